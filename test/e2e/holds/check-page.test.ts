import type { Page } from "playwright-core";
import { beforeEach, expect, inject, it } from "vitest";
import { openedOnce } from "../../support/opened.ts";
import { openedBrowser, openPage, pressButton, waitForHeading } from "../../web/support/page-visit.ts";
import { openSubscribedReceiver, personWrites, sentMessages } from "../support/api-calls.ts";
import { failureLines } from "../support/emulator-journals.ts";
import { openSharedStack } from "../support/local-stack.ts";
import { waitFor } from "../support/wait-for.ts";
import { easyPuzzles } from "./easy-puzzles.ts";

// A held message end to end: a key creates the hold, a person passes the check in a browser, the platform receives the
// message once, and the tenant receives the event.

/** Two tabs solve the puzzles of a live message in parallel, on a busy machine. */
const SOLVE_TIMEOUT = 60_000;

interface Hold {
  readonly id: string;
  readonly status: string;
  readonly verify_url: string;
  readonly platform_message_id?: string;
  readonly error?: { readonly code: string; readonly detail: string };
}

const stack = openedOnce(openSharedStack);
const browser = openedBrowser();
const receiver = openedOnce(() => openSubscribedReceiver(stack, ["message.sent", "message.failed"]));
let conversation: string;
beforeEach(async () => {
  conversation = await personWroteADayAgo("Mara Lindqvist");
});

async function personWroteADayAgo(person: string): Promise<string> {
  const id = await personWrites(stack, "messenger", person, "Is it ready?");
  await stack.clock("PT25H");
  return id;
}

async function requestHold(text: string, key?: string): Promise<Hold> {
  const request = { conversation_id: conversation, text, actor_id: "console:usr_ann" };
  const { status, body } = await stack.api("POST", "/v1/messages/human-agent", request, key);
  expect(status).toBe(202);
  return (body.data as unknown as { hold: Hold }).hold;
}

/** Eases the puzzles of a page's challenges, whose full difficulty takes five seconds of CPU time. */
async function easePuzzles(page: Page): Promise<void> {
  const withEasierPuzzles = easyPuzzles(stack);
  await page.route("**/challenge", async (route) => {
    const response = await route.fetch();
    const { data, ...envelope } = await response.json();
    await route.fulfill({ response, json: { ...envelope, data: await withEasierPuzzles(data) } });
  });
}

const readHold = async (id: string): Promise<Hold> =>
  ((await stack.api("GET", `/v1/messages/holds/${id}`)).body.data as unknown as { hold: Hold }).hold;

const holdEvents = (holdId: string) =>
  receiver.deliveries.filter(({ event }) => (event.data.message as { hold_id?: string }).hold_id === holdId);

it("the link of a held message shows the message, and pressing the button sends it once with the human-agent tag", async () => {
  const text = "Hello Mara,\n\nyes, it is ready.";
  const hold = await requestHold(text);
  expect(hold.verify_url.split("#")[0]).toBe(`${stack.info.base_url}/verify?hold=${hold.id}`);
  const { page, requestedUrls, complaints } = await openPage(browser, hold.verify_url);
  await waitForHeading(page, "Check and send");
  expect(await page.getByRole("region", { name: "Your message" }).innerText()).toMatch(
    /To Mara Lindqvist\s+on Messenger\s+Hello Mara,\n\nyes, it is ready.\s+From\s+\S.+\s+Typed by\s+console:usr_ann/,
  );
  expect(await page.getByRole("timer").innerText()).toMatch(/^1[45]:\d\d$/);
  expect(await sentMessages(stack, text)).toEqual([]);
  await page.reload();
  await pressButton(page);
  await waitForHeading(page, "Sent");

  const [sent, ...others] = await sentMessages(stack, text);
  expect([sent?.request.tag, others]).toEqual(["HUMAN_AGENT", []]);
  expect(await readHold(hold.id)).toMatchObject({ status: "sent", platform_message_id: sent?.mid });
  const { body } = await stack.api("GET", `/v1/messages/${sent?.mid}`);
  expect(body.data.message).toMatchObject({
    text,
    direction: "outbound",
    sent_via: "api_human_agent",
    actor_id: "console:usr_ann",
  });
  await waitFor("the event is delivered", () => holdEvents(hold.id).length > 0);
  expect(holdEvents(hold.id)[0]?.event).toMatchObject({ type: "message.sent", data: { message: { text } } });

  // The secret is not visible afterwards, and no other host was contacted.
  const secret = hold.verify_url.split("#t=")[1] ?? "";
  expect(page.url()).toBe(`${stack.info.base_url}/verify?hold=${hold.id}`);
  expect(requestedUrls.filter((url) => new URL(url).origin !== stack.info.base_url)).toEqual([]);
  expect(requestedUrls.slice(1).filter((url) => url.includes(secret))).toEqual([]);
  expect(complaints).toEqual([]);
  expect(stack.log()).not.toContain(secret);
  expect(failureLines(stack.log())).toEqual([]);
});

// The two tabs solve live puzzles for ten seconds of CPU time. In `npm test`, a page with a double of the API shows what
// both tabs report, and `holds.test.ts` completes one hold twenty times at once.
it.runIf(inject("fullRun"))(
  "a link that is open in two tabs, with the button pressed in both, sends once, and both report it",
  async () => {
    const text = "in two tabs";
    const hold = await requestHold(text);
    const tabs = await Promise.all([1, 2].map(() => openPage(browser, hold.verify_url, { newTab: true })));
    await Promise.all(tabs.map(({ page }) => waitForHeading(page, "Check and send")));
    await Promise.all(tabs.map(({ page }) => pressButton(page)));
    const sent = { level: 1, name: /^(Sent|Already sent)$/ } as const;
    for (const { page } of tabs) await page.getByRole("heading", sent).waitFor({ timeout: SOLVE_TIMEOUT });
    expect(await sentMessages(stack, text)).toHaveLength(1);
    expect(await readHold(hold.id)).toMatchObject({ status: "sent" });
  },
  2 * SOLVE_TIMEOUT,
);

it("the link of a held message of a test key's message passes the same check and reaches no one", async () => {
  const text = "only a test";
  const hold = await requestHold(text, stack.info.test_key);
  const { page } = await openPage(browser, hold.verify_url);
  if (!inject("fullRun")) await easePuzzles(page);
  await pressButton(page);
  await waitForHeading(page, "Test passed");
  expect((await readHold(hold.id)).platform_message_id).toMatch(/^mock_mid_/);
  expect(await sentMessages(stack, text)).toEqual([]);
});

it("the link of a held message of a message that the platform refuses shows the reason, also when it is opened again", async () => {
  const hold = await requestHold("refused");
  await stack.sim("POST", "/faults", { mode: "person_unavailable", for: 1 });
  const { page } = await openPage(browser, hold.verify_url);
  await easePuzzles(page);
  await pressButton(page);
  await waitForHeading(page, "Not sent");
  expect(await readHold(hold.id)).toMatchObject({ status: "failed", error: { code: "send_failed" } });
  const explanation = await page.locator(".head").innerText();
  expect(explanation).toMatch(/^Not sent\s+Messenger did not accept the message\.[\s\S]*Messenger says: ./);
  await page.getByRole("button", { name: "Copy the text" }).waitFor();
  await openPage(browser, hold.verify_url);
  await waitForHeading(page, "Not sent");
  expect(await page.locator(".head").innerText()).toBe(explanation);
  expect(await page.getByRole("button").count()).toBe(0);
  await waitFor("the event is delivered", () => holdEvents(hold.id).length > 0);
  expect(holdEvents(hold.id)[0]?.event.type).toBe("message.failed");
});

it("a link that is opened too late or with another secret sends nothing", async () => {
  const hold = await requestHold("too late");
  const { page: wrong } = await openPage(
    browser,
    hold.verify_url.replace(/.$/, (last) => (last === "A" ? "B" : "A")),
  );
  await waitForHeading(wrong, "This link is not valid");
  await stack.clock("PT15M");
  const { page: late } = await openPage(browser, hold.verify_url);
  await waitForHeading(late, "Time ran out");
  await stack.clock("PT15M");
  const { page: gone } = await openPage(browser, hold.verify_url);
  await waitForHeading(gone, "This link is not valid");
  expect(await sentMessages(stack, "too late")).toEqual([]);
});

it("the check page has a strict content security policy, cannot be framed and is not cached", async () => {
  const { status, headers } = await stack.request("/verify");
  expect(status).toBe(200);
  expect(Object.fromEntries(headers)).toMatchObject({
    "content-type": "text/html; charset=utf-8",
    "content-security-policy":
      "default-src 'none'; script-src 'self'; worker-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "cache-control": "no-store",
  });
});
