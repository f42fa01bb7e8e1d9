// A service that wants to know who calls, and does not show everybody what is inside.

import assert from "node:assert/strict";

export const refusals = ["status of 401", "status of 403"];

export async function run(visit) {
  const { page } = visit;
  const token = page.getByLabel("Token", { exact: true });
  await token.waitFor();
  assert.ok(await visit.message.isHidden());
  assert.ok(await token.evaluate((field) => field === document.activeElement));
  await visit.isAccessible("token");
  await token.fill("wrong");
  await token.press("Enter");
  await page.getByRole("alert").filter({ hasText: "does not know this token" }).waitFor();

  // A user may talk, and not look inside; a reload shows what this tab has seen.
  await token.fill("of-ann");
  await token.press("Enter");
  await page.locator("#closed").getByText("What goes on inside is not shown").waitFor();
  assert.ok(await token.isHidden());
  await visit.say("Hi", "Yes.");
  await visit.isAccessible("closed");
  await page.reload();
  await visit.hears("Yes.");
  await visit.say("Hi again", "Yes.");
  const said = await visit.conversation();
  assert.deepEqual(said, [["user", "Hi"], ["assistant", "Yes."], ["user", "Hi again"], ["assistant", "Yes."]]);

  // Another tab knows nothing of the token; with an operator's, it sees the same session from inside.
  const address = page.url();
  const other = await page.context().newPage();
  await other.goto(address);
  await other.getByLabel("Token", { exact: true }).fill("of-operator");
  await other.keyboard.press("Enter");
  await other.locator("#messages").getByText("Hi again").waitFor();
  await other.locator("#graph li[aria-current]", { hasText: "Talk" }).waitFor();
  await other.close();

  // A token that is not valid any more, in the middle: with a new one, the message is sent.
  await page.evaluate(() => sessionStorage.setItem("picoflow.token", "old"));
  await visit.say("And now?");
  await token.fill("of-ann");
  await token.press("Enter");
  await visit.hears("Yes.");
  assert.deepEqual(await visit.conversation(), [...said, ["user", "And now?"], ["assistant", "Yes."]]);

  // What the user's own session says of itself is all that an unknown history is replaced with.
  await page.evaluate(() => sessionStorage.removeItem("picoflow.turns"));
  await page.reload();
  await page.locator("#notice").getByText("What was said before is not shown here").waitFor();
  await visit.say("bye", "Good bye.");
  await page.getByText("This conversation has ended.").first().waitFor();
  await page.reload();
  await page.locator("#ended").waitFor();
}
