// The page in a browser: one scenario, on a service that runs.
//
//     node page.mjs SCENARIO URL
//
// `scripts/browser` says where Chromium and what drives it are.

import { createRequire } from "node:module";
import { join } from "node:path";
import { Visit } from "./visit.mjs";

const require = createRequire(join(process.env.PICOFLOW_TEST_BROWSER_MODULES, "of"));
const { chromium } = require("playwright-core");
const [, , scenario, url] = process.argv;

const { run, refusals = [] } = await import(`./${scenario}.mjs`);
const args = ["--no-sandbox", "--disable-dev-shm-usage"];
const browser = await chromium.launch({ executablePath: process.env.PICOFLOW_TEST_BROWSER, args });
const visit = await Visit.open(browser, url, refusals);
try {
  await run(visit);
  visit.isClean();
} catch (error) {
  // What the page itself has to say may be the cause.
  console.error(visit.faults);
  await visit.picture(`failed-${scenario}`);
  throw error;
} finally {
  await browser.close();
}
