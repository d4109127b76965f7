// `npm run pictures -- <folder> [--only <pattern>] [--views <name,...>]`: takes a picture of the console in every state, at
// each width, light and dark, from the demo of the local stack, and lists what a program finds wrong in them in
// `findings.txt`. The pictures are for people who look at them: nothing compares them. Fonts and browser are those of
// `npm run docs:pictures`.
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import type { Browser, BrowserContextOptions } from "playwright-core";
import { testBrowser } from "../../web/support/browser.ts";
import { advanceClock, type Demo, openContext, type SignedIn, settle, signIn, withDemo } from "../demo.ts";
import { Answers } from "./answers.ts";
import { findings } from "./findings.ts";
import { GONE_HOST, playGallery } from "./gallery.ts";
import { type PictureState, states } from "./states.ts";
import { Visit } from "./visit.ts";

const views: Readonly<Record<string, BrowserContextOptions>> = {
  "1440": { viewport: { width: 1440, height: 900 } },
  "1024": { viewport: { width: 1024, height: 768 } },
  "720": { viewport: { width: 720, height: 900 } },
  "390": { viewport: { width: 390, height: 844 }, hasTouch: true },
  // A window of 1440 by 900 at 200 %.
  zoomed: { viewport: { width: 720, height: 450 }, deviceScaleFactor: 2 },
  forced: { viewport: { width: 1440, height: 900 }, forcedColors: "active" },
};
const WIDTHS = "1440,1024,720,390";
const CONCURRENT_VISITS = 3;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { only: { type: "string", default: "." }, views: { type: "string", default: WIDTHS } },
});
const [folder] = positionals;
if (folder === undefined) throw new Error("Missing folder. Usage: npm run pictures -- <folder> [--only <pattern>]");
const target = resolve(folder);
const only = new RegExp(values.only);

interface Stage {
  readonly browser: Browser;
  readonly demo: Demo;
  readonly signedIn: SignedIn;
  readonly conversations: ReadonlyMap<string, string>;
}

/** The id of each person's conversation, by name. */
async function listConversations({ api, local }: Demo): Promise<Map<string, string>> {
  const caller = { key: local.live_key };
  const ids = new Map<string, string>();
  for (let cursor: string | null = ""; cursor !== null; ) {
    const query = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const page: { conversations: { id: string; participant_name: string | null }[]; next_cursor: string | null } =
      await api.call(caller, "GET", `/v1/conversations?limit=50${query}`);
    for (const { id, participant_name } of page.conversations) ids.set(participant_name ?? id, id);
    cursor = page.next_cursor;
  }
  return ids;
}

/** @returns what is wrong in the picture of the light theme */
async function takePictures(stage: Stage, state: PictureState, view: string): Promise<string[]> {
  const context = await openContext(stage.browser, stage.signedIn, { ...views[view], colorScheme: "light" });
  try {
    await context.route(GONE_HOST, (route) => route.abort());
    const answers = await Answers.of(context);
    const page = await context.newPage();
    page.setDefaultTimeout(15_000);
    const visit = new Visit(page, answers, stage.demo, stage.conversations);
    for (const step of state.steps) await step(visit);
    await page.locator(state.shown).first().waitFor();
    await settle(page);
    // Not every state has it, and some are about the time before.
    if ((await page.locator(".live.waiting").count()) > 0)
      await page
        .locator(".live:not(.waiting)")
        .waitFor({ state: "attached", timeout: 3_000 })
        .catch(() => null);
    const found = await findings(page, visit.isPhone);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: join(target, `${state.name}-${view}-${colorScheme}.png`), caret: "hide" });
    }
    return found;
  } catch (error) {
    return [`is not reached: ${error instanceof Error ? error.message.split("\n")[0] : error}`];
  } finally {
    await context.close();
  }
}

mkdirSync(target, { recursive: true });
await withDemo(async (demo) => {
  await playGallery(demo);
  // The windows of two conversations are over by then.
  await advanceClock(demo, "PT3M");
  const browser = await testBrowser();
  const stage = { browser, demo, signedIn: await signIn(browser, demo), conversations: await listConversations(demo) };
  const wanted = states.filter(({ name }) => only.test(name));
  const waiting = values.views.split(",").flatMap((view) => wanted.map((state) => ({ state, view })));
  const lines: string[] = [];
  const worker = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const { state, view } = next;
      const found = await takePictures(stage, state, view);
      lines.push(...found.map((finding) => `${state.name} at ${view}: ${finding}`));
      process.stdout.write(`${[`${state.name} at ${view}`, ...found].join("\n  ")}\n`);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT_VISITS }, worker));
  writeFileSync(join(target, "findings.txt"), `${lines.sort().join("\n")}\n`);
  await browser.close();
});
