// A whole conversation of the example `basic_flow`.

import assert from "node:assert/strict";

export async function run(visit) {
  const { page } = visit;
  await page.getByText("Begins at WeatherStep").waitFor();
  assert.equal(await page.locator("#graph ol > li").count(), 14);
  assert.equal(await page.locator("#graph svg path.dot").count(), 14);
  await visit.isAccessible("new");

  await visit.say("Hi", "I can tell you the weather of LA and NYC");
  await visit.isAt("WeatherStep");
  assert.deepEqual(await page.locator("#now .offered li").allTextContents(), ["get_weather", "terminate_session"]);
  assert.ok((await page.locator("#now .ways li").allTextContents()).includes("goes to FooLogicStep in look_up"));
  assert.deepEqual(await visit.happened(), [["model", "asked by WeatherStep"]]);
  assert.ok(await page.getByRole("combobox", { name: "Flow" }).isDisabled());

  await visit.say("PDX,PHX", "I support LA and NYC");
  await visit.isAt("WeatherStep");
  assert.equal(await page.locator("#turns .result").first().textContent(), "PDX is not supported. Only LA and NYC are.");

  await visit.say("LA,NYC", "What are your favorite color, movie and season?");
  await visit.isAt("FavoritesStep");
  assert.deepEqual(await visit.happened(), [
    ["model", "asked by WeatherStep"],
    ["tool", "get_weather"],
    ["tool", "get_weather"],
    ["move", "WeatherStep → FooLogicStep"],
    ["move", "FooLogicStep → GooLogicStep"],
    ["move", "GooLogicStep → FavoritesStep"],
    ["model", "asked by FavoritesStep"],
  ]);
  assert.deepEqual(await page.locator("#turns > li:first-child .arguments").allTextContents(), [
    '{ "cityName": "LA" }',
    '{ "cityName": "NYC" }',
  ]);
  await state(page, "WeatherStep", { city_LA: 72, city_NYC: 83 }, true);

  await visit.say("blue, Star Wars, summer", "What is your full name?");
  await visit.isAt("NameStep");
  await state(page, "WeatherStep", { city_LA: 72, city_NYC: 83 }, false);
  await visit.say("John Doe", "Cannot accept John Doe");
  await visit.isAt("NameStep");
  await visit.say("John Wick", "What is your date of birth");
  await visit.isAt("DOBStep");
  const happened = await visit.happened();
  assert.deepEqual(happened.filter(([kind]) => kind === "child").map(([, step]) => step).sort(), [
    "ConcurStep1", "ConcurStep2", "ConcurStep3", "ConcurStep4", "InContextStep",
  ]);
  assert.deepEqual(happened.filter(([kind]) => kind === "move"), [["move", "NameStep → DOBStep"]]);
  await visit.isAccessible("running");

  // What went before stands there again as it was: also what the step in between has said to itself does not.
  const before = [await visit.conversation(), await page.locator("#turns").innerText()];
  await page.reload();
  await visit.isAt("DOBStep");
  assert.deepEqual([await visit.conversation(), await page.locator("#turns").innerText()], before);

  await visit.say("1/1/2000", "What is your address");
  await visit.isAt("AddressStep");
  await visit.say("123 K St. Portland, OR 97006", "everything is complete");
  await visit.isAt("TerminateSessionStep");
  await state(page, "AddressStep", { address: { city: "Portland", state: "OR", zip: "97006" } }, true);
  assert.match(await page.locator("#session dl").innerText(), /Status\s+completed\s+Turns\s+8\s/);
  assert.match(await page.locator("#session .notes").innerText(), /NameStep: a movie for John Wick/);
  assert.ok(await page.getByText("This conversation has ended.").first().isVisible());
  assert.ok(await visit.message.isHidden());
  await visit.isAccessible("ended");

  // In another tab, which has not seen it, the document tells it.
  const other = await page.context().newPage();
  await other.goto(page.url());
  await other.locator("#messages").getByText("123 K St. Portland, OR 97006", { exact: true }).waitFor();
  await other.getByText("This is what the histories of the steps have").first().waitFor();
  assert.ok(await other.locator("#ended").isVisible());
  await other.close();

  await visit.find("Begin a new one").click();
  await page.getByText("Begins at WeatherStep").waitFor();
  assert.deepEqual(await visit.conversation(), []);
  assert.doesNotMatch(page.url(), /session/);

  // What a session is started with.
  await page.getByText("Config of the new session").click();
  await page.getByLabel("JSON that the flow is started with").fill("{ president");
  await visit.say("Hi");
  await page.getByText("This is no JSON").waitFor();
  assert.deepEqual(await visit.conversation(), []);
  assert.equal(await visit.message.inputValue(), "Hi");
  await visit.isAccessible("config");
  await page.getByLabel("JSON that the flow is started with").fill('{ "isPresident": true }');
  await visit.find("Send").click();
  await visit.hears("Welcome, Mr. President!");
  await visit.isAt("PresidentStep");
}

/** Waits until a step has this state, and is marked as changed by the last turn or not. */
async function state(page, step, expected, isChanged) {
  await page.waitForFunction(([step, expected, isChanged]) => {
    const all = [...document.querySelectorAll(".step-state")];
    const own = all.find((each) => each.querySelector("h4").firstChild.textContent === step);
    const shown = own && JSON.parse(own.querySelector("pre").textContent);
    const holds = own && Object.entries(expected).every(([key, value]) =>
      Object.entries(Object(value)).every(([inner, part]) => shown[key][inner] === part)
        && (typeof value === "object" || shown[key] === value));
    return holds && Boolean(own.querySelector(".tag")) === isChanged;
  }, [step, expected, isChanged]);
}
