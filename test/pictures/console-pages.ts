import type { Browser, Page } from "playwright-core";
import { type Demo, openContext, type SignedIn, settle } from "./demo.ts";
import { Answers } from "./every-state/answers.ts";
import { states } from "./every-state/states.ts";
import { Visit } from "./every-state/visit.ts";

// The pictures of the console's pages beside the inbox. They show what the states of the same names show.

type Save = (page: Page, name: string) => Promise<void>;

const VIEW = { viewport: { width: 1280, height: 800 }, colorScheme: "light" } as const;
const pictures = [
  "overview",
  "accounts-troubled",
  "delivery",
  "api-keys-secret",
  "team",
  "audit",
  "waiting",
  "overview-start",
] as const;

/** The overview, a delivery, a new key and the other pages, and the first steps of a workspace. */
export async function takeConsolePages(browser: Browser, demo: Demo, signedIn: SignedIn, save: Save): Promise<void> {
  for (const name of pictures) {
    const state = states.find((each) => each.name === name);
    if (state === undefined) throw new Error(`There is no state ${name}.`);
    const context = await openContext(browser, signedIn, VIEW);
    const page = await context.newPage();
    const visit = new Visit(page, await Answers.of(context), demo, new Map());
    for (const step of state.steps) await step(visit);
    await page.locator(state.shown).first().waitFor();
    await settle(page);
    await save(page, `console-${name}`);
    await context.close();
  }
}
