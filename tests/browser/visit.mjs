// A person at the page, and what has to hold wherever they go.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const MODULES = process.env.PICOFLOW_TEST_BROWSER_MODULES;
const SCREENSHOTS = join(MODULES, "../screenshots");
const AXE = readFileSync(join(MODULES, "axe-core/axe.min.js"), "utf8");
const [WIDE, MIDDLE, NARROW] = [[1280, 860], [900, 700], [390, 844]].map(([width, height]) => ({ width, height }));

export class Visit {
  /** Opens the page. The console may tell of requests that fail in these ways, and of nothing else. */
  static async open(browser, url, refusals) {
    const context = await browser.newContext({ viewport: WIDE });
    const visit = new Visit(await context.newPage(), url, refusals);
    await visit.page.goto(url);
    return visit;
  }

  faults = [];

  constructor(page, url, refusals) {
    this.page = page;
    this.url = url;
    // Other tests may have the processor for a while.
    page.setDefaultTimeout(120_000);
    const context = page.context();
    context.on("weberror", (error) => this.faults.push(`thrown: ${error.error().stack}`));
    context.on("console", (message) => {
      const text = message.text();
      const isRefusal = text.startsWith("Failed to load resource") && refusals.some((way) => text.includes(way));
      if (message.type() !== "log" && !isRefusal) this.faults.push(`console: ${text}`);
    });
    context.on("request", (request) => {
      if (new URL(request.url()).origin !== new URL(url).origin) this.faults.push(`asked ${request.url()}`);
    });
  }

  /** No error, no violation of a policy, no request to elsewhere. */
  isClean() {
    assert.deepEqual(this.faults, []);
  }

  find(label, role = "button") {
    return this.page.getByRole(role, { name: label, exact: true });
  }

  get message() {
    return this.find("Message", "textbox");
  }

  /** Types a message and waits for what comes of it. */
  async say(text, reply) {
    await this.message.fill(text);
    await this.message.press("Enter");
    if (reply !== undefined) await this.hears(reply);
  }

  /** Waits until the newest message of the assistant is this one, and the turn has ended. */
  async hears(reply) {
    await this.page.waitForFunction((reply) => {
      const last = [...document.querySelectorAll("#messages > .assistant:not([aria-busy])")].at(-1);
      return last?.querySelector(".text").textContent.includes(reply) && document.getElementById("stop").hidden;
    }, reply);
  }

  /** What was said, as it stands there. */
  async conversation() {
    return this.page.locator("#messages > li").evaluateAll((all) =>
      all.map((li) => [li.classList.contains("user") ? "user" : "assistant", li.querySelector(".text").textContent]));
  }

  /** Waits until this step is the one that is lit. */
  async isAt(step) {
    await this.page.locator("#graph li[aria-current=step] .name > span:first-child", { hasText: new RegExp(`^${step}$`) }).waitFor();
    assert.equal(await this.page.locator("#graph li[aria-current]").count(), 1);
  }

  /** What the newest turn did: the kind and the text of each line. */
  async happened() {
    return this.page.locator("#turns > li:first-child > details > ol > li").evaluateAll((all) =>
      all.map((li) => [li.classList[0], li.querySelector(".what").firstChild.textContent.trim()]));
  }

  /** No rule of accessibility is broken, in light and dark, wide and narrow; pictures of all. */
  async isAccessible(state) {
    for (const colorScheme of ["light", "dark"]) {
      await this.page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      for (const size of [WIDE, MIDDLE]) {
        await this.page.setViewportSize(size);
        await this.#isAccessible(`${state}-${size.width}-${colorScheme}`);
      }
      await this.page.setViewportSize(NARROW);
      for (const view of ["Inside", "Chat"]) {
        await this.find(view).click();
        await this.#isAccessible(`${state}-${NARROW.width}-${view.toLowerCase()}-${colorScheme}`);
      }
    }
    await this.page.setViewportSize(WIDE);
    await this.page.emulateMedia({ colorScheme: "light" });
  }

  async picture(name) {
    mkdirSync(SCREENSHOTS, { recursive: true });
    await this.page.screenshot({ path: join(SCREENSHOTS, `${name}.png`) });
  }

  async #isAccessible(name) {
    await this.picture(name);
    const [needs, has] = await this.page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
    assert.ok(needs <= has, `${name}: ${needs} pixels do not fit into ${has}`);
    await this.page.evaluate(AXE);
    const { violations, passes } = await this.page.evaluate(() => {
      // Those that are off by default too, but for the contrast of the highest level.
      const rules = axe.getRules().map(({ ruleId }) => [ruleId, { enabled: ruleId !== "color-contrast-enhanced" }]);
      return axe.run(document, { rules: Object.fromEntries(rules) });
    });
    const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join("\n")}`);
    assert.deepEqual(found, [], name);
    assert.ok(passes.some(({ id }) => id === "color-contrast"), "the rules have not run");
  }
}
