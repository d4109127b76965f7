import { setTimeout as sleep } from "node:timers/promises";
import type { Page } from "playwright-core";
import { testBrowser } from "../web/support/browser.ts";
import type { BenchmarkLine } from "./benchmark-lines.ts";
import { type ConsoleBench, startConsoleBench } from "./console-api.ts";

const CONVERSATIONS = 10_000;
const MESSAGES_PER_SECOND = 25;
const LONG_TASK_MS = 50;
const NODES_MAX = 1_500;
const LIMITS = { firstRowsMs: 1_000, switchMs: 50, keyMs: 50 };
const LOADING_MAX_MS = 240_000;

/** Records in the page when the first row stands, and each task of 50 ms or more. */
const RECORD = `(() => {
  window.longTasks = [];
  new PerformanceObserver((list) => longTasks.push(...list.getEntries().map(({ duration }) => duration)))
    .observe({ type: "longtask" });
  const observer = new MutationObserver(() => {
    if (!document.querySelector(".row")) return;
    window.firstRowAt = performance.now();
    observer.disconnect();
  });
  observer.observe(document, { childList: true, subtree: true });
})()`;

/** Presses a row, and returns the milliseconds until its thread is painted. */
const SWITCH = `(row) => new Promise((resolve) => {
  const name = row.querySelector(".name bdi").textContent;
  const start = performance.now();
  row.click();
  const look = () => {
    const isShown = document.querySelector(".thread h2")?.textContent === name && document.querySelector(".thread .m");
    if (!isShown) return requestAnimationFrame(look);
    setTimeout(() => resolve(performance.now() - start));
  };
  look();
})`;

/** Records from each key to the task after the next frame. */
const RECORD_KEYS = `(() => {
  window.keyTimes = [];
  addEventListener("keydown", ({ timeStamp }) => {
    requestAnimationFrame(() => setTimeout(() => keyTimes.push(performance.now() - timeStamp)));
  }, true);
})()`;

export interface ConsoleFigures {
  readonly firstRowsMs: number;
  readonly switchMs: number;
  readonly keyMs: number;
  readonly nodes: number;
  /** Requests of the page while frames arrive. */
  readonly requests: number;
  readonly longTasks: number;
  readonly longestTaskMs: number;
}

/**
 * Opens the console with 10,000 conversations in a browser, and measures it while frames arrive.
 * @param seconds how long 50 frames a second arrive
 */
export async function measureConsole(seconds: number): Promise<ConsoleFigures> {
  const bench = await startConsoleBench(CONVERSATIONS);
  const browser = await testBrowser();
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  try {
    const page = await context.newPage();
    await page.addInitScript(RECORD);
    await page.goto(`${bench.origin}/app/acme/inbox`);
    await page.locator(".row").first().waitFor();
    const firstRowsMs = await numberOf(page, "firstRowAt");
    await loadAll(page);
    const switchMs = await measureSwitch(page);
    await page.evaluate("longTasks.length = 0");
    let requests = 0;
    page.on("request", () => requests++);
    const pushing = pushFrames(bench, seconds);
    const keyMs = await measureKeys(page, seconds);
    await pushing;
    // Otherwise the page was measured at rest.
    await page.locator(".row", { hasText: "Message " }).first().waitFor();
    return {
      firstRowsMs,
      switchMs,
      keyMs,
      nodes: await numberOf(page, "document.querySelectorAll('*').length"),
      requests,
      longTasks: await numberOf(page, `longTasks.filter((duration) => duration > ${LONG_TASK_MS}).length`),
      longestTaskMs: await numberOf(page, "Math.max(0, ...longTasks)"),
    };
  } finally {
    await context.close();
    bench.close();
  }
}

export async function consoleLines(): Promise<BenchmarkLine[]> {
  const figures = await measureConsole(60);
  const line = (label: string, value: number, target: number, binding = false) => ({
    label: `console with ${CONVERSATIONS} conversations: ${label}`,
    value,
    target,
    binding,
  });
  return [
    line("from the address to the first rows: ms", figures.firstRowsMs, LIMITS.firstRowsMs),
    line("a loaded thread shows: ms", figures.switchMs, LIMITS.switchMs),
    line(`key to paint, at ${MESSAGES_PER_SECOND} messages a second: ms`, figures.keyMs, LIMITS.keyMs),
    line("longest task in a minute of frames: ms", figures.longestTaskMs, LONG_TASK_MS),
    // These are counted, and do not depend on the machine.
    line("nodes of the page", figures.nodes, NODES_MAX, true),
    line("requests in a minute of frames", figures.requests, 0, true),
  ];
}

async function numberOf(page: Page, expression: string): Promise<number> {
  return Number(await page.evaluate(expression));
}

/** Loads every page of the list of all, as a person who scrolls to its end. */
async function loadAll(page: Page): Promise<void> {
  await page.locator(".tabs button").nth(1).click();
  const end = Date.now() + LOADING_MAX_MS;
  const last = page.locator(".row", { hasText: `person.${CONVERSATIONS - 1}` });
  while ((await last.count()) === 0) {
    if (Date.now() > end) throw new Error("The list did not load to its end.");
    await page.evaluate("{ const list = document.querySelector('.rows'); list.scrollTop = list.scrollHeight; }");
    await sleep(30);
  }
  await page.evaluate("document.querySelector('.rows').scrollTop = 0");
  await page.locator(".row", { hasText: "person.0" }).first().waitFor();
}

/** The median of ten switches between two threads that are loaded. */
async function measureSwitch(page: Page): Promise<number> {
  const times: number[] = [];
  for (let turn = 0; turn < 12; turn++) {
    const time = await numberOf(page, `(${SWITCH})(document.querySelectorAll(".row")[${turn % 2}])`);
    if (turn >= 2) times.push(time);
    await sleep(250);
  }
  return median(times);
}

/** The median from a key to the paint of its letter, while frames arrive. */
async function measureKeys(page: Page, seconds: number): Promise<number> {
  await page.evaluate(RECORD_KEYS);
  await page.locator(".box textarea").focus();
  const end = Date.now() + seconds * 1_000;
  for (let key = 0; Date.now() < end; key++) {
    await page.keyboard.press(key % 60 === 59 ? "Control+A" : "a");
    await sleep(150);
  }
  return median((await page.evaluate("keyTimes")) as number[]);
}

/** Each message is one frame. */
async function pushFrames(bench: ConsoleBench, seconds: number): Promise<void> {
  const start = Date.now();
  const total = seconds * MESSAGES_PER_SECOND;
  for (let pushed = 0; pushed < total; ) {
    const due = Math.min(total, ((Date.now() - start) / 1_000) * MESSAGES_PER_SECOND);
    for (; pushed < due; pushed++) bench.push((pushed * 7_919) % CONVERSATIONS);
    await sleep(20);
  }
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
