import type { Browser, Page } from "playwright-core";
import { simulatorPageUrl } from "#simulator";
import { type Demo, settle } from "./demo.ts";

// The pictures of the pages beside the console that the guides describe.

type Save = (page: Page, name: string) => Promise<void>;

const WIDE = { width: 1280, height: 800 };
const CARD = { width: 720, height: 620 };

/** The simulator with a thread open, and the check page of a held message. */
export async function takeGuidePages(browser: Browser, demo: Demo, save: Save): Promise<void> {
  const context = { locale: "en-GB", timezoneId: "UTC", reducedMotion: "reduce", colorScheme: "light" } as const;
  const { simulator_url: simulator, control_token: token } = demo.local;
  const people = await browser.newPage({ ...context, viewport: WIDE });
  await people.goto(simulatorPageUrl(simulator, token));
  // Its thread, and those below it in the list, are in a script that the fonts of every browser have.
  await people.locator("#people button", { hasText: "Aoife Byrne" }).first().click();
  await people.evaluate(
    "document.querySelector('#people [aria-current], #people .selected, #people [aria-selected=true]')?.scrollIntoView({ block: 'start' })",
  );
  await settle(people);
  await save(people, "simulator");

  const check = await browser.newPage({ ...context, viewport: CARD });
  await check.goto(await holdMessage(demo));
  await check.getByRole("button").first().waitFor();
  await settle(check);
  await save(check, "check-page");
}

interface ConversationPage {
  readonly conversations: readonly {
    readonly id: string;
    readonly can_reply: boolean;
    readonly can_send_as_human_agent: boolean;
  }[];
}

/** Holds a message for a conversation to which only a person may write. Returns the address of its check page. */
async function holdMessage({ local, api }: Demo): Promise<string> {
  const caller = { key: local.live_key };
  const { conversations } = await api.call<ConversationPage>(caller, "GET", "/v1/conversations?limit=100");
  const waiting = conversations.find(({ can_reply, can_send_as_human_agent }) => !can_reply && can_send_as_human_agent);
  if (waiting === undefined) throw new Error("The demo has no conversation for a held message.");
  const { hold } = await api.call<{ hold: { verify_url: string } }>(caller, "POST", "/v1/messages/human-agent", {
    conversation_id: waiting.id,
    text: "Yes, we ship to all of Europe. It takes about four days.",
    actor_id: "lena",
  });
  return hold.verify_url;
}
