// What a turn shows while it runs, and how it can end.

import assert from "node:assert/strict";

export const refusals = ["status of 404", "net::ERR_CONNECTION_RESET"];

export async function run(visit) {
  const { page } = visit;
  const does = (name) => page.request.post(new URL(`/${name}`, visit.url).href);
  const pending = page.locator("#messages > [aria-busy] .text");
  const spoken = async () => page.locator("#announcer").innerText();

  // Text is there before the turn has ended, is spoken once it has, and a second attempt takes the first one's place.
  await visit.say("tell");
  await pending.getByText("Once upon", { exact: true }).waitFor();
  assert.equal(await spoken(), "");
  await page.locator("#turns .model .what", { hasText: "asked by Talk" }).waitFor();
  await visit.isAccessible("streaming");
  await does("go-on");
  await visit.hears("Once upon a time.");
  assert.match(await spoken(), /^Once upon a time\.$/);
  await visit.say("stumble");
  await pending.getByText("Wrong", { exact: true }).waitFor();
  await does("go-on");
  await pending.getByText("Ri", { exact: true }).waitFor();
  await does("go-on");
  await visit.hears("Right.");
  assert.deepEqual((await visit.conversation()).slice(-2), [["user", "stumble"], ["assistant", "Right."]]);

  // What a handler says before the reply; a call that is refused; a warning; what the model thinks.
  await visit.say("work", "All done.");
  assert.deepEqual((await visit.conversation()).slice(-2), [["assistant", "One moment."], ["assistant", "All done."]]);
  assert.deepEqual(await visit.happened(), [
    ["model", "asked by Talk"],
    ["model", "what it thinksLet me see."],
    ["tool", "work"],
    ["warn", "the work is hard"],
    ["tool", "missing"],
    ["warn", "hallucinated tool: missing"],
    ["said", "One moment."],
    ["move", "Talk → Rest"],
    ["model", "asked by Rest"],
  ]);
  assert.equal(await page.locator("#turns > li:first-child .refused").count(), 1);
  assert.match(await page.locator("#turns > li:first-child summary").first().innerText(), /1,200 tokens read, 34 written/);
  await page.locator("#session .warn", { hasText: "the work is hard" }).waitFor();

  // HTML of a model is text.
  const text = `<img src=x onerror="window.broken = 1"><script>window.broken = 1</script><b>bold</b>`;
  await visit.say("html", text);
  assert.equal(await page.locator("#messages img, #messages script, #messages b, #inside img, #inside b").count(), 0);
  assert.equal(await page.evaluate(() => window.broken), undefined);

  // A turn that is stopped is not kept, and can be tried again.
  await visit.say("tell");
  await pending.getByText("Once upon", { exact: true }).waitFor();
  await visit.find("Stop").click();
  await page.locator("#notice").getByText("Stopped").waitFor();
  assert.ok(await visit.message.evaluate((field) => field === document.activeElement));
  await page.waitForFunction(async () => (await (await fetch("/stopped")).text()) === "1");
  await visit.isAccessible("stopped");
  await visit.find("Try again").click();
  await pending.getByText("Once upon", { exact: true }).waitFor();
  await does("go-on");
  await visit.hears("Once upon a time.");
  assert.equal((await visit.conversation()).filter(([, text]) => text === "tell").length, 2);

  // So is one that fails.
  await visit.say("break");
  const alert = page.getByRole("alert").filter({ hasText: "the model gave no answer, and nothing of the turn was kept: try it again (MODEL_FAILED)" });
  await alert.waitFor();
  await visit.isAccessible("failed");
  await visit.find("Try again").click();
  await visit.hears("Mended.");
  assert.equal(await alert.count(), 0);

  // A reload goes on with the session and shows it as it was, without what came to nothing.
  const before = await visit.conversation();
  await page.reload();
  await visit.isAt("Rest");
  assert.deepEqual(await visit.conversation(), before);
  await visit.say("Are you there?", "Yes.");

  // An answer that is lost on its way is given again, and the turn is not run twice.
  const turns = async () => Number((await page.locator("#session dl").innerText()).match(/Turns\s+(\d+)/)[1]);
  const run = await turns();
  await page.route("**/ai/run", async (route) => {
    await route.fetch();
    await route.abort("connectionreset");
  }, { times: 1 });
  await visit.say("And now?");
  await page.getByRole("alert").filter({ hasText: "the connection broke (CONNECTION_LOST)" }).waitFor();
  await visit.find("Try again").click();
  await visit.hears("Yes.");
  assert.deepEqual((await visit.conversation()).slice(-3), [["assistant", "Yes."], ["user", "And now?"], ["assistant", "Yes."]]);
  await page.waitForFunction((turns) => document.querySelector("#session dl").innerText.match(`Turns\\s+${turns}\\s`), run + 1);

  // A turn that is left behind tells nothing any more.
  await visit.say("tell");
  await pending.getByText("Once upon", { exact: true }).waitFor();
  await visit.find("New conversation").click();
  await page.getByText("Begins at Talk").waitFor();
  assert.deepEqual(await visit.conversation(), []);
  assert.ok(await visit.find("Send").isVisible());

  // A session that is not there.
  await page.goto(`${visit.url}#flow=TalkFlow&session=nobody`);
  await page.reload();
  await page.getByRole("alert").filter({ hasText: "there is no session `nobody`" }).waitFor();
  await page.locator("#notice").getByRole("button", { name: "New conversation" }).click();
  await page.getByText("Begins at Talk").waitFor();

  // A flow may begin without a message, and another one can be chosen.
  await visit.find("Send").click();
  await visit.hears("Yes.");
  await visit.find("New conversation").click();
  await page.getByRole("combobox", { name: "Flow" }).selectOption("TellFlow");
  await page.getByText("Begins at Tell").waitFor();
  await visit.say("Hi", "Yes.");
  await visit.isAt("Tell");
}
