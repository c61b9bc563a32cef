// What the checks of pages share: the browser, axe-core, and a generator of random numbers that is the same everywhere.
"use strict";
const fs = require("fs");
const path = require("path");

// Milliseconds after which something hangs. Far away: no check may fail because the machine is busy.
const PATIENCE = 1200000;
const modules = path.join(__dirname, "../../build/node/node_modules");

function skip(reason) {
  console.log(`pages: skipped: ${reason}; tools/setup test installs it`);
  process.exit(77);
}

function load(name) {
  try {
    return require(path.join(modules, name));
  } catch (error) {
    return skip(`the package ${name} is not in build/node`);
  }
}

function findBrowser() {
  const names = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
  return names.find((name) => fs.existsSync(name)) || skip("there is no chromium");
}

// Debian's chromium; a process of a container has no sandbox and little shared memory.
function launch() {
  const { chromium } = load("playwright-core");
  load("axe-core");
  const args = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"];
  return chromium.launch({ executablePath: findBrowser(), args, timeout: PATIENCE });
}

// A page in a context of its own: its settings, cookies and stored decisions are of no other page.
async function newPage(browser, options) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  context.setDefaultTimeout(PATIENCE);
  return context.newPage();
}

// What axe-core finds on the open page. The context needs bypassCSP, as axe-core is a script of its own.
async function axeFaults(page) {
  await page.addScriptTag({ path: path.join(modules, "axe-core/axe.min.js") });
  const { violations } = await page.evaluate("axe.run(document, { resultTypes: ['violations'] })");
  return violations.map((violation) => {
    const nodes = violation.nodes.slice(0, 3).map((node) => node.target.join(" ")).join(", ");
    return `axe-core: ${violation.id}: ${violation.help} (${nodes})`;
  });
}

// Uniform numbers below 1, by Lehmer's generator.
function uniformNumbers(seed) {
  let state = seed;
  return () => (state = (state * 48271) % 2147483647) / 2147483647;
}

module.exports = { launch, newPage, axeFaults, uniformNumbers };
