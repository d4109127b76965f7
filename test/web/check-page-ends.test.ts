import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { MINUTE, SECOND } from "../../shared/kernel/time.ts";
import { waitFor } from "../e2e/support/wait-for.ts";
import { testBrowser } from "./support/browser.ts";
import { type CheckServer, refusalReply, startCheckServer } from "./support/check-server.ts";
import { pressButton, visitHold, waitForHeading } from "./support/page-visit.ts";

// Every way in which the check page ends or halts, in its words.

let browser: Browser;
let server: CheckServer;

beforeAll(async () => {
  [browser, server] = await Promise.all([testBrowser(), startCheckServer()]);
});
afterEach(async () => {
  for (const context of browser.contexts()) await context.close();
});
afterAll(async () => {
  await server?.close();
});
beforeEach(() => {
  server.calls.length = 0;
});

const mainText = (page: Page) => page.locator("main").innerText();
const buttonCount = (page: Page) => page.getByRole("button").count();

test.each([
  ["Too <b>long</b>", "Not sent", "Instagram did not take it: “Too <b>long</b>”"],
  ["needs_reauth", "Not sent", "The account it should go out from must be connected to Instagram anew."],
  ["restricted", "Not sent", "Instagram has restricted the account it should go out from."],
  ["outcome_unknown", "Perhaps not sent", "Look into the conversation before you write it again"],
])("a send that failed (%s) ends with “%s”, the reason, and no button", async (detail, title, reason) => {
  const error = { code: "send_failed", message: "No.", detail };
  const { page } = await visitHold(browser, server, server.createHold({ outcome: "failed", error }));
  await pressButton(page);
  await waitForHeading(page, title);
  expect(await mainText(page)).toContain(reason);
  expect(await buttonCount(page)).toBe(0);
});

test.each([
  ["sent", "Already sent", "goes out only once"],
  ["failed", "Perhaps not sent", "Look into the conversation before you write it again"],
  ["sending", "Being sent", "has not answered yet"],
] as const)(
  "a link whose message is %s says “%s” without a press, and has no button",
  async (status, title, expectedTitle) => {
    const { page } = await visitHold(browser, server, server.createHold({ status }));
    await waitForHeading(page, title);
    expect(await mainText(page)).toContain(expectedTitle);
    expect(await buttonCount(page)).toBe(0);
  },
);

test("a link whose time ran out says so, and that nothing has been sent", async () => {
  const { page } = await visitHold(browser, server, server.createHold({ expiresAt: Date.now() - 1 }));
  await waitForHeading(page, "Time ran out");
  expect(await mainText(page)).toContain("Nothing has been sent.");
  expect(await buttonCount(page)).toBe(0);
});

test("a wrong secret, an unknown hold and what is no hold's id look the same, and the last asks the server nothing", async () => {
  const hold = server.createHold();
  for (const wrong of [
    { ...hold, secret: "x" },
    { ...hold, id: "hold_01JZ0000000000000000000000" },
  ]) {
    const { page } = await visitHold(browser, server, wrong);
    await waitForHeading(page, "This link is not valid");
  }
  server.calls.length = 0;
  for (const id of ["", "hold_1", "../../v1/messages", `${hold.id}/complete`]) {
    const { page } = await visitHold(browser, server, { ...hold, id });
    await waitForHeading(page, "This link is not valid");
    expect(page.url()).not.toContain(hold.secret);
  }
  expect(server.calls).toEqual([]);
});

test("a message that is on its way is looked at again until it is sent", async () => {
  const hold = server.createHold({ outcome: "sending" });
  const { page } = await visitHold(browser, server, hold, { clockAt: Date.now() });
  await pressButton(page);
  await waitForHeading(page, "Being sent");
  const looks = () => server.calls.filter((call) => call.route === "look").length;
  await waitFor("the page looks again", async () => {
    await page.clock.fastForward(3 * SECOND);
    return looks() > 3;
  });
  await waitForHeading(page, "Being sent");
  hold.status = "sent";
  await page.clock.fastForward(3 * SECOND);
  await waitForHeading(page, "Sent");
});

test("a message that stays on its way is looked at for a while, then at a press", async () => {
  const hold = server.createHold({ status: "sending" });
  const { page } = await visitHold(browser, server, hold, { clockAt: Date.now() });
  await waitFor("the page stops looking by itself", async () => {
    await page.clock.fastForward(3 * SECOND);
    return (await buttonCount(page)) > 0;
  });
  hold.status = "sent";
  await pressButton(page, "Look again");
  await waitForHeading(page, "Already sent");
});

test("after too many tries the page says how long to wait, counts it down, and lets the person go on then", async () => {
  server.replyNext("challenge", refusalReply(429, "rate_limited", null, { "Retry-After": "75" }));
  const { page } = await visitHold(browser, server, server.createHold(), { clockAt: Date.now() });
  await pressButton(page);
  await waitForHeading(page, "Too many tries");
  expect(await mainText(page)).toMatch(/You can go on in 1 minute 1[345] seconds/);
  expect(await buttonCount(page)).toBe(0);
  await page.clock.fastForward(30 * SECOND);
  await page.getByText(/You can go on in 4\d seconds/).waitFor();
  await page.clock.fastForward(MINUTE);
  await waitForHeading(page, "Ready to go on");
  await pressButton(page, "Try again");
  await pressButton(page);
  await waitForHeading(page, "Sent");
});

test("a bare 429 of the edge, without a body or a Retry-After, is a wait of a minute", async () => {
  server.replyNext("look", { status: 429, body: undefined });
  const { page } = await visitHold(browser, server, server.createHold(), { clockAt: Date.now() });
  await waitForHeading(page, "Too many tries");
  expect(await mainText(page)).toMatch(/You can go on in (1 minute|5\d seconds)\./);
});

test("without a connection at the look or the challenge nothing is sent, and the person can try again", async () => {
  const hold = server.createHold();
  server.replyNext("look", "drop");
  const { page } = await visitHold(browser, server, hold);
  await waitForHeading(page, "No connection");
  await pressButton(page, "Try again");
  await waitForHeading(page, "Check and send");
  await page.context().setOffline(true);
  await pressButton(page);
  await waitForHeading(page, "No connection");
  expect(await mainText(page)).toContain("nothing was sent from here");
  await page.context().setOffline(false);
  await pressButton(page, "Try again");
  await pressButton(page);
  await waitForHeading(page, "Sent");
});

test("where the answer to the send is lost, the page does not say that nothing was sent: a look tells", async () => {
  server.replyNext("complete", "drop");
  const { page } = await visitHold(browser, server, server.createHold());
  await pressButton(page);
  await waitForHeading(page, "No answer");
  expect(await mainText(page)).toContain("the message may have been sent");
  await pressButton(page, "Look again");
  await waitForHeading(page, "Already sent");
});

test("a fault of the server before the send is its own, and the person can try again", async () => {
  server.replyNext("challenge", { status: 503, body: "<html>" });
  const { page } = await visitHold(browser, server, server.createHold());
  await pressButton(page);
  await waitForHeading(page, "Something went wrong");
  await pressButton(page, "Try again");
  await pressButton(page);
  await waitForHeading(page, "Sent");
});

test.each([
  ["a proxy's 502", { status: 502, body: "<html>Bad gateway</html>" }],
  ["the edge's 503", { status: 503, body: { message: "Service Unavailable" } }],
  ["a 500 of the service", refusalReply(500, "internal_error", "")],
])("after the solutions went out, %s does not say that nothing was sent: a look tells", async (_whose, answer) => {
  server.replyNext("complete", answer);
  const { page } = await visitHold(browser, server, server.createHold());
  await pressButton(page);
  await waitForHeading(page, "No answer");
  expect(await mainText(page)).toContain("the message may have been sent");
  expect(await mainText(page)).not.toMatch(/not sent|write/i);
  await pressButton(page, "Look again");
  await pressButton(page);
  await waitForHeading(page, "Sent");
});

test("a check that the server refuses is tried anew at a press", async () => {
  server.replyNext("complete", refusalReply(400, "invalid_request", "invalid_solutions"));
  const { page } = await visitHold(browser, server, server.createHold());
  await pressButton(page);
  await waitForHeading(page, "The check did not work");
  await pressButton(page, "Try again");
  await pressButton(page);
  await waitForHeading(page, "Sent");
});

test("what answers in the place of the server, as a sign-in page of a network does, counts as no connection", async () => {
  server.replyNext("look", { status: 200, body: "<html>Please sign in</html>" });
  const { page } = await visitHold(browser, server, server.createHold());
  await waitForHeading(page, "No connection");
});

test("a worker that does not load is told as such, and terms that would take hours are not begun", async () => {
  const { page } = await visitHold(browser, server, server.createHold());
  await page.route("**/verify/solver.js", (route) => route.abort());
  await pressButton(page);
  await waitForHeading(page, "The check does not run here");
  await page.unroute("**/verify/solver.js");
  await pressButton(page, "Try again");
  const data = { challenge: { c: 50, s: 32, d: 8 }, token: "t", expires: Date.now() + MINUTE };
  server.replyNext("challenge", { status: 200, body: { ok: true, data } });
  await pressButton(page);
  await waitForHeading(page, "No connection");
});
