// The page without a mouse, and without eyes.

import assert from "node:assert/strict";

export async function run(visit) {
  const { page } = visit;
  const focused = () => page.evaluate(() => {
    const at = document.activeElement;
    const { outlineStyle, outlineWidth } = getComputedStyle(at);
    assertVisible(outlineStyle !== "none" && parseFloat(outlineWidth) >= 2);
    function assertVisible(isVisible) {
      if (!isVisible) throw new Error(`the focus is not seen at ${at.outerHTML}`);
    }
    return at.id || at.getAttribute("aria-labelledby") || at.tagName;
  });
  await page.getByText("Begins at Talk").waitFor();

  // Every control in the order in which it stands there, and nothing else.
  const order = [];
  for (let i = 0; i < 9; i += 1) {
    await page.keyboard.press("Tab");
    order.push(await focused());
  }
  assert.deepEqual(order, ["flow", "new", "scroll", "SUMMARY", "message", "send", "steps-title", "happened-title", "state-title"]);

  // A conversation: typed, stopped, tried again, ended, begun anew.
  for (let i = 0; i < 4; i += 1) await page.keyboard.press("Shift+Tab");
  assert.equal(await focused(), "message");
  await page.keyboard.type("two");
  await page.keyboard.press("Shift+Enter");
  await page.keyboard.type("lines");
  await page.keyboard.press("Enter");
  await visit.hears("Yes.");
  assert.deepEqual(await visit.conversation(), [["user", "two\nlines"], ["assistant", "Yes."]]);
  assert.equal(await focused(), "message");
  await page.keyboard.press("Enter");
  assert.equal((await visit.conversation()).length, 2, "an empty message is not sent");

  await page.keyboard.type("tell");
  await page.keyboard.press("Enter");
  await page.locator("#messages > [aria-busy]").getByText("Once upon").waitFor();
  await page.keyboard.press("Tab");
  assert.equal(await focused(), "stop");
  await page.keyboard.press("Enter");
  await page.locator("#notice").getByText("Stopped").waitFor();
  assert.equal(await focused(), "message");

  await page.keyboard.type("bye");
  await page.keyboard.press("Enter");
  await page.locator("#ended").waitFor();
  assert.equal(await focused(), "again");
  assert.match(await page.locator("#announcer").innerText(), /Good bye\.\s+This conversation has ended\./);
  await page.keyboard.press("Enter");
  await page.getByText("Begins at Talk").waitFor();
  await page.waitForFunction(() => document.activeElement.id === "message");

  // What a screen reader goes by.
  const tree = await page.locator("body").ariaSnapshot();
  for (const part of ["- banner", "- main", "- region \"Conversation\"", "- region \"Inside\"", "- region \"Messages\"", "- region \"Steps\"", "- region \"Turns\"", "- region \"State\"", "- textbox \"Message\"", "- status"]) {
    assert.ok(tree.includes(part), `${part} is not in\n${tree}`);
  }
  assert.match(tree, /Talk entry/);
  assert.match(tree, /goes to Rest by work/);
  assert.ok(!tree.includes("- img"), "the lines are not for ears");
}
