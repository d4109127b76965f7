import type { Page } from "playwright-core";
import { SECOND } from "#base/kernel/time.ts";
import type { CheckPageTexts } from "#base/languages/texts.ts";
import { waitFor } from "../../../e2e/support/wait-for.ts";
import { type CheckServer, type HeldMessage, holdReply, refusalReply } from "../../../web/support/check-page-server.ts";
import { solvePuzzles } from "../../../web/support/page-visit.ts";

// The states of the check page, and how a page with idle workers reaches each.

export interface CheckVisit {
  readonly page: Page;
  readonly server: CheckServer;
  /** Opens the link of a new hold. */
  readonly open: (overrides?: Partial<HeldMessage>) => Promise<unknown>;
}

export interface CheckState {
  readonly name: string;
  /** The name of the heading's text. */
  readonly title: keyof CheckPageTexts;
  readonly reach: (visit: CheckVisit) => Promise<unknown>;
  /** What shows that the state is reached, if the heading does not. */
  readonly shown?: string;
  /** Answers the call that the state delays. */
  readonly leave?: (visit: CheckVisit) => Promise<unknown>;
}

const LONG_NAME = "Maximiliane Lindqvist-Ostermann von der Hafenschneiderei";
const attachments = [
  { type: "image", url: "https://files.example.com/a-rather-long-name-of-a-picture-without-spaces.jpg" },
  { type: "video", url: null },
  { type: "audio", url: null },
  { type: "file", url: "https://files.example.com/order.pdf" },
];
const full = {
  displayName: LONG_NAME,
  username: "maximiliane.lindqvist.ostermann.official",
  actorName: LONG_NAME,
  attachments,
  test: true,
} as const;
const failure = (detail: string | null, code = "send_failed") =>
  ({ status: "failed", error: { code, message: "No.", detail } }) as const;

let answerDelayed = () => {};
const answerCall = async () => answerDelayed();
const press = ({ page }: CheckVisit) => page.locator("#go").click();
/** Presses the button and answers the puzzles of the check. */
async function solve(visit: CheckVisit): Promise<void> {
  await press(visit);
  await solvePuzzles(visit.page, 50);
}

/** A state that opening a hold's link shows. */
function opened(name: string, title: keyof CheckPageTexts, overrides: Partial<HeldMessage>): CheckState {
  return { name, title, reach: ({ open }) => open(overrides) };
}

/** A state that an answer to the call of a route shows. */
function answered(
  name: string,
  title: keyof CheckPageTexts,
  ...[route, reply]: Parameters<CheckServer["replyNext"]>
): CheckState {
  return {
    name,
    title,
    reach: async (visit) => {
      visit.server.replyNext(route, reply);
      await visit.open();
      if (route === "challenge") await press(visit);
      if (route === "complete") await solve(visit);
    },
  };
}

export const checkStates: readonly CheckState[] = [
  {
    name: "loading",
    title: "loadingTitle",
    reach: async ({ server, open }) => {
      answerDelayed = server.delayNext("get");
      await open();
    },
    leave: answerCall,
  },
  { ...opened("the question", "question", full), shown: "#go" },
  {
    name: "the last minute",
    title: "question",
    reach: async ({ page, open }) => {
      await open({ text: "", attachments });
      await page.locator("#go").waitFor();
      await page.clock.fastForward(870 * SECOND);
    },
    shown: ".left.last",
  },
  {
    name: "working",
    title: "question",
    reach: async (visit) => {
      await visit.open(full);
      await press(visit);
      await solvePuzzles(visit.page, 5);
      await visit.page.clock.fastForward(7 * SECOND);
      await solvePuzzles(visit.page, 10);
    },
    shown: "#progress",
  },
  {
    name: "sending",
    title: "question",
    reach: async (visit) => {
      answerDelayed = visit.server.delayNext("complete");
      await visit.open(full);
      await solve(visit);
    },
    shown: "#progress",
    leave: answerCall,
  },
  {
    name: "sent",
    title: "sentTitle",
    reach: async (visit) => {
      const hold = visit.server.createHold({ displayName: LONG_NAME, status: "sent" });
      visit.server.replyNext("complete", holdReply(hold));
      await visit.open({ displayName: LONG_NAME });
      await solve(visit);
    },
  },
  opened("a test that passed", "testTitle", { status: "sent", test: true }),
  opened("sent before", "alreadySentTitle", { status: "sent" }),
  opened("not confirmed yet", "sendingTitle", { status: "sending" }),
  {
    name: "still sending",
    title: "stillSendingTitle",
    reach: async ({ page, open }) => {
      await open({ status: "sending" });
      await waitFor("the page stops polling", async () => {
        await page.clock.fastForward(3 * SECOND);
        return (await page.locator("button:visible").count()) > 0;
      });
    },
  },
  opened("expired", "expiredTitle", { expiresAt: 0 }),
  {
    name: "a link without its secret",
    title: "incompleteTitle",
    reach: ({ page, server }) => page.goto(`${server.origin}/verify?hold=hold_01JZ0000000000000000000000`),
  },
  answered("a wrong link", "notValidTitle", "get", refusalReply(404, "hold_not_found", null)),
  answered("no connection", "unreachableTitle", "get", "drop"),
  answered("a fault", "errorTitle", "get", refusalReply(500, "internal_error", null)),
  answered("no response", "noResponseTitle", "complete", { status: 502, body: "<html>" }),
  answered(
    "a refused check",
    "checkFailedTitle",
    "complete",
    refusalReply(400, "invalid_request", "invalid_solutions"),
  ),
  answered(
    "too many attempts",
    "tooManyTitle",
    "challenge",
    refusalReply(429, "rate_limited", null, { "Retry-After": "3555" }),
  ),
  {
    name: "the end of the wait",
    title: "waitOverTitle",
    reach: async (visit) => {
      visit.server.replyNext("challenge", refusalReply(429, "rate_limited", null, { "Retry-After": "20" }));
      await visit.open();
      await press(visit);
      await visit.page.locator("button:visible").waitFor({ state: "detached" });
      await visit.page.clock.fastForward(30 * SECOND);
    },
  },
  opened("an unknown end", "notConfirmedTitle", { status: "failed" }),
  opened("an unknown outcome", "notConfirmedTitle", failure("outcome_unknown")),
  opened("a closed window", "notSentTitle", failure(null, "window_closed")),
  opened("a limit", "notSentTitle", failure(null, "rate_limited")),
  opened("a disconnected account", "notSentTitle", failure(null, "account_not_found")),
  opened("a fault before the send", "notSentTitle", failure(null, "internal_error")),
  opened("an unexplained failure", "notSentTitle", failure(null, "unsupported")),
  opened("a send that was too slow", "notSentTitle", failure("not_sent_in_time")),
  opened("an account to reconnect", "notSentTitle", failure("needs_reauth")),
  opened("a restricted account", "notSentTitle", failure("restricted")),
  opened("a refusal", "notSentTitle", failure("")),
  opened("a refusal in the platform's words", "notSentTitle", failure(`(#551) Not available: ${"w".repeat(80)}`)),
  answered("a text to copy", "notSentTitle", "complete", refusalReply(409, "send_failed", "restricted")),
  {
    name: "a text that was not copied",
    title: "notSentTitle",
    reach: async ({ page }) => {
      await page.evaluate("navigator.clipboard.writeText = () => Promise.reject(new Error('denied'))");
      await page.locator("#go").click();
      await waitFor("the status", async () => (await page.getByRole("status").innerText()) !== "");
    },
  },
];
