import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { MINUTE, SECOND } from "../../shared/kernel/time.ts";
import { until } from "../e2e/support/poll.ts";
import { launchBrowser } from "./support/browser.ts";
import { type CheckServer, refusal, startCheckServer } from "./support/check-server.ts";
import { follow, heading, press } from "./support/visit.ts";

// Every way in which the check page ends or halts, in its words.

let browser: Browser;
let server: CheckServer;

beforeAll(async () => {
  [browser, server] = await Promise.all([launchBrowser(), startCheckServer()]);
});
afterEach(async () => {
  for (const context of browser.contexts()) await context.close();
});
afterAll(async () => {
  await browser?.close();
  await server?.close();
});
beforeEach(() => {
  server.calls.length = 0;
});

const words = (page: Page) => page.locator("main").innerText();
const buttons = (page: Page) => page.getByRole("button").count();

test.each([
  ["Too <b>long</b>", "Not sent", "Instagram did not take it: “Too <b>long</b>”"],
  ["needs_reauth", "Not sent", "The account it should go out from must be connected to Instagram anew."],
  ["restricted", "Not sent", "Instagram has restricted the account it should go out from."],
  ["outcome_unknown", "Perhaps not sent", "Look into the conversation before you write it again"],
])("a send that failed (%s) ends with “%s”, the reason, and no button", async (detail, title, reason) => {
  const error = { code: "send_failed", message: "No.", detail };
  const { page } = await follow(browser, server, server.hold({ outcome: "failed", error }));
  await press(page);
  await heading(page, title);
  expect(await words(page)).toContain(reason);
  expect(await buttons(page)).toBe(0);
});

test.each([
  ["sent", "Already sent", "goes out only once"],
  ["failed", "Perhaps not sent", "Look into the conversation before you write it again"],
  ["sending", "Being sent", "has not answered yet"],
] as const)("a link whose message is %s says “%s” without a press, and has no button", async (status, title, said) => {
  const { page } = await follow(browser, server, server.hold({ status }));
  await heading(page, title);
  expect(await words(page)).toContain(said);
  expect(await buttons(page)).toBe(0);
});

test("a link whose time ran out says so, and that nothing has been sent", async () => {
  const { page } = await follow(browser, server, server.hold({ expiresAt: Date.now() - 1 }));
  await heading(page, "Time ran out");
  expect(await words(page)).toContain("Nothing has been sent.");
  expect(await buttons(page)).toBe(0);
});

test("a wrong secret, an unknown hold and what is no hold's id look the same, and the last asks the server nothing", async () => {
  const hold = server.hold();
  for (const wrong of [
    { ...hold, secret: "x" },
    { ...hold, id: "hold_01JZ0000000000000000000000" },
  ]) {
    const { page } = await follow(browser, server, wrong);
    await heading(page, "This link is not valid");
  }
  server.calls.length = 0;
  for (const id of ["", "hold_1", "../../v1/messages", `${hold.id}/complete`]) {
    const { page } = await follow(browser, server, { ...hold, id });
    await heading(page, "This link is not valid");
    expect(page.url()).not.toContain(hold.secret);
  }
  expect(server.calls).toEqual([]);
});

test("a message that is on its way is looked at again until it is sent", async () => {
  const hold = server.hold({ outcome: "sending" });
  const { page } = await follow(browser, server, hold, { clockAt: Date.now() });
  await press(page);
  await heading(page, "Being sent");
  const looks = () => server.calls.filter((call) => call.route === "look").length;
  await until("the page looks again", async () => {
    await page.clock.fastForward(3 * SECOND);
    return looks() > 3;
  });
  await heading(page, "Being sent");
  hold.status = "sent";
  await page.clock.fastForward(3 * SECOND);
  await heading(page, "Sent");
});

test("a message that stays on its way is looked at for a while, then at a press", async () => {
  const hold = server.hold({ status: "sending" });
  const { page } = await follow(browser, server, hold, { clockAt: Date.now() });
  await until("the page stops looking by itself", async () => {
    await page.clock.fastForward(3 * SECOND);
    return (await buttons(page)) > 0;
  });
  hold.status = "sent";
  await press(page, "Look again");
  await heading(page, "Already sent");
});

test("after too many tries the page says how long to wait, counts it down, and lets the person go on then", async () => {
  server.next("challenge", refusal(429, "rate_limited", null, { "Retry-After": "75" }));
  const { page } = await follow(browser, server, server.hold(), { clockAt: Date.now() });
  await press(page);
  await heading(page, "Too many tries");
  expect(await words(page)).toMatch(/You can go on in 1 minute 1[345] seconds/);
  expect(await buttons(page)).toBe(0);
  await page.clock.fastForward(30 * SECOND);
  await page.getByText(/You can go on in 4\d seconds/).waitFor();
  await page.clock.fastForward(MINUTE);
  await heading(page, "Ready to go on");
  await press(page, "Try again");
  await press(page);
  await heading(page, "Sent");
});

test("a bare 429 of the edge, without a body or a Retry-After, is a wait of a minute", async () => {
  server.next("look", { status: 429, body: undefined });
  const { page } = await follow(browser, server, server.hold(), { clockAt: Date.now() });
  await heading(page, "Too many tries");
  expect(await words(page)).toMatch(/You can go on in (1 minute|5\d seconds)\./);
});

test("without a connection at the look or the challenge nothing is sent, and the person can try again", async () => {
  const hold = server.hold();
  server.next("look", "drop");
  const { page } = await follow(browser, server, hold);
  await heading(page, "No connection");
  await press(page, "Try again");
  await heading(page, "Check and send");
  await page.context().setOffline(true);
  await press(page);
  await heading(page, "No connection");
  expect(await words(page)).toContain("nothing was sent from here");
  await page.context().setOffline(false);
  await press(page, "Try again");
  await press(page);
  await heading(page, "Sent");
});

test("where the answer to the send is lost, the page does not say that nothing was sent: a look tells", async () => {
  server.next("complete", "drop");
  const { page } = await follow(browser, server, server.hold());
  await press(page);
  await heading(page, "No answer");
  expect(await words(page)).toContain("the message may have been sent");
  await press(page, "Look again");
  await heading(page, "Already sent");
});

test("a fault of the server before the send is its own, and the person can try again", async () => {
  server.next("challenge", { status: 503, body: "<html>" });
  const { page } = await follow(browser, server, server.hold());
  await press(page);
  await heading(page, "Something went wrong");
  await press(page, "Try again");
  await press(page);
  await heading(page, "Sent");
});

test.each([
  ["a proxy's 502", { status: 502, body: "<html>Bad gateway</html>" }],
  ["the edge's 503", { status: 503, body: { message: "Service Unavailable" } }],
  ["a 500 of the service", refusal(500, "internal_error", "")],
])("after the solutions went out, %s does not say that nothing was sent: a look tells", async (_whose, answer) => {
  server.next("complete", answer);
  const { page } = await follow(browser, server, server.hold());
  await press(page);
  await heading(page, "No answer");
  expect(await words(page)).toContain("the message may have been sent");
  expect(await words(page)).not.toMatch(/not sent|write/i);
  await press(page, "Look again");
  await press(page);
  await heading(page, "Sent");
});

test("a check that the server refuses is tried anew at a press", async () => {
  server.next("complete", refusal(400, "invalid_request", "invalid_solutions"));
  const { page } = await follow(browser, server, server.hold());
  await press(page);
  await heading(page, "The check did not work");
  await press(page, "Try again");
  await press(page);
  await heading(page, "Sent");
});

test("what answers in the place of the server, as a sign-in page of a network does, counts as no connection", async () => {
  server.next("look", { status: 200, body: "<html>Please sign in</html>" });
  const { page } = await follow(browser, server, server.hold());
  await heading(page, "No connection");
});

test("a worker that does not load is told as such, and terms that would take hours are not begun", async () => {
  const { page } = await follow(browser, server, server.hold());
  await page.route("**/verify/solver.js", (route) => route.abort());
  await press(page);
  await heading(page, "The check does not run here");
  await page.unroute("**/verify/solver.js");
  await press(page, "Try again");
  const data = { challenge: { c: 50, s: 32, d: 8 }, token: "t", expires: Date.now() + MINUTE };
  server.next("challenge", { status: 200, body: { ok: true, data } });
  await press(page);
  await heading(page, "No connection");
});
