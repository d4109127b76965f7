import type { Page } from "playwright-core";
import { beforeEach, expect, test } from "vitest";
import { MINUTE, SECOND } from "#base/kernel/time.ts";
import { waitFor } from "../e2e/support/wait-for.ts";
import { openedOnce } from "../support/opened.ts";
import { refusalReply, startCheckServer } from "./support/check-page-server.ts";
import { openedBrowser, pressButton, visitHold, waitForHeading } from "./support/page-visit.ts";

// Every final or paused state of the check page, with its texts.

const browser = openedBrowser();
const server = openedOnce(startCheckServer);
beforeEach(() => {
  server.calls.length = 0;
});

const mainText = (page: Page) => page.locator("main").innerText();
const buttonCount = (page: Page) => page.getByRole("button").count();

const failure = (detail: string) => ({ code: "send_failed", message: "No.", detail });

test("the page says in its own words that the platform refused the message, then quotes the platform in smaller ones", async () => {
  const hold = server.createHold({ outcome: "failed", error: failure("(#100) Too <b>long</b>") });
  const { page } = await visitHold(browser, server, hold);
  await pressButton(page);
  await waitForHeading(page, "Not sent");
  expect(await mainText(page)).toMatch(
    /^Not sent\s+Instagram did not accept the message\.\s+To send [^.]+\.\s+Instagram says: \S?\(#100\) Too <b>long<\/b>/,
  );
  const sizes = await page.evaluate<number[]>(
    "['#body p', '#quote-text'].map((of) => parseFloat(getComputedStyle(document.querySelector(of)).fontSize))",
  );
  expect(sizes[1]).toBeLessThan(sizes[0] ?? 0);
});

test("the page offers to copy a text that was not sent, and selects it where the browser does not copy", async () => {
  const text = "Hello Mara,\n\nit is <ready>.";
  const hold = server.createHold({ outcome: "failed", error: failure("restricted"), text });
  const { page } = await visitHold(browser, server, hold, { permissions: ["clipboard-read", "clipboard-write"] });
  await pressButton(page);
  await waitForHeading(page, "Not sent");
  await pressButton(page, "Copy the text");
  await page.getByRole("button", { name: "Copied", exact: true }).waitFor();
  expect(await page.evaluate("navigator.clipboard.readText()")).toBe(text);
  expect(await page.getByRole("status").innerText()).toBe("The text is copied.");
  await page.evaluate("navigator.clipboard.writeText = () => Promise.reject(new Error('denied'))");
  await pressButton(page, "Copied");
  await page.getByText("Your browser did not copy the text. It is selected now").waitFor();
  await page.getByRole("button", { name: "Copy the text", exact: true }).waitFor();
  expect(await page.evaluate("getSelection().toString()")).toBe(text);
});

test("the page offers to copy a text whose time ran out in the page, and not one that may have been sent", async () => {
  const expired = server.createHold();
  const { page } = await visitHold(browser, server, expired);
  await waitForHeading(page, "Check and send");
  expired.expiresAt = Date.now() - 1;
  await pressButton(page);
  await waitForHeading(page, "Time ran out");
  expect(await page.getByRole("button").innerText()).toBe("Copy the text");
  const unclear = server.createHold({ outcome: "failed", error: failure("outcome_unknown") });
  await visitHold(browser, server, unclear);
  await pressButton(page);
  await waitForHeading(page, "Not confirmed");
  expect(await mainText(page)).toContain("Check the conversation before you write the message again");
  expect(await buttonCount(page)).toBe(0);
  const attachments = [{ type: "image", url: null }];
  await visitHold(browser, server, server.createHold({ outcome: "failed", error: failure(""), text: "", attachments }));
  await pressButton(page);
  await waitForHeading(page, "Not sent");
  expect(await buttonCount(page)).toBe(0);
});

test("the page says that a message certainly failed, and why, when its link is opened again and after a reload", async () => {
  const hold = server.createHold({ status: "failed", error: failure("needs_reauth"), platform: "messenger" });
  const { page } = await visitHold(browser, server, hold);
  for (const again of [async () => {}, () => page.reload(), () => page.goto(server.linkTo(hold))]) {
    await again();
    await waitForHeading(page, "Not sent");
    expect(await mainText(page)).toContain("The account for this message must be reconnected to Messenger.");
    expect(await buttonCount(page)).toBe(0);
    expect(JSON.stringify(await page.evaluate("history.state"))).not.toContain(hold.secret);
  }
});

test("the page forgets the secret of a hold that expired or is gone, and keeps it while there is no connection", async () => {
  const state = (page: Page) => page.evaluate<string>("JSON.stringify(history.state)");
  const hold = server.createHold();
  server.replyNext("get", "drop");
  const { page } = await visitHold(browser, server, hold);
  await waitForHeading(page, "No connection");
  expect(await state(page)).toContain(hold.secret);
  server.replyNext("get", { status: 404, body: "<html>" });
  await page.reload();
  await waitForHeading(page, "Something went wrong");
  expect(await state(page)).toContain(hold.secret);
  hold.expiresAt = Date.now() - 1;
  await page.reload();
  await waitForHeading(page, "Time ran out");
  expect(await state(page)).not.toContain(hold.secret);
  await visitHold(browser, server, { ...hold, secret: "wrong-secret" });
  await waitForHeading(page, "This link is not valid");
  expect(await state(page)).not.toContain("wrong-secret");
});

test("the page never shows a test as a message that reached the person, also when its link is opened again", async () => {
  const { page } = await visitHold(browser, server, server.createHold({ status: "sent", test: true }));
  await waitForHeading(page, "Test passed");
  expect(await mainText(page)).not.toMatch(/(been|was) sent/);
});

test.each([
  ["sent", "Already sent", "sent only once"],
  ["failed", "Not confirmed", "Check the conversation before you write the message again"],
  ["sending", "Sending", "has not confirmed your message yet"],
] as const)(
  "the page shows a message in state %s as “%s” without a press and without a button",
  async (status, title, expectedText) => {
    const { page } = await visitHold(browser, server, server.createHold({ status }));
    await waitForHeading(page, title);
    expect(await mainText(page)).toContain(expectedText);
    expect(await buttonCount(page)).toBe(0);
  },
);

test("the page says that an expired hold ran out of time and that nothing was sent", async () => {
  const { page } = await visitHold(browser, server, server.createHold({ expiresAt: Date.now() - 1 }));
  await waitForHeading(page, "Time ran out");
  expect(await mainText(page)).toContain("Nothing was sent.");
  expect(await buttonCount(page)).toBe(0);
});

test("the page shows a wrong secret, an unknown hold and a malformed id alike, and sends no request for the last", async () => {
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

test("the page polls a message that is being sent until it is sent", async () => {
  const hold = server.createHold({ outcome: "sending" });
  const { page } = await visitHold(browser, server, hold, { clockAt: Date.now() });
  await pressButton(page);
  await waitForHeading(page, "Sending");
  const polls = () => server.calls.filter((call) => call.route === "get").length;
  await waitFor("the page polls", async () => {
    await page.clock.fastForward(3 * SECOND);
    return polls() > 3;
  });
  await waitForHeading(page, "Sending");
  hold.status = "sent";
  await page.clock.fastForward(3 * SECOND);
  await waitForHeading(page, "Sent");
});

test("the page stops polling a message that stays in sending, and then refreshes at a press", async () => {
  const hold = server.createHold({ status: "sending" });
  const { page } = await visitHold(browser, server, hold, { clockAt: Date.now() });
  await waitFor("the page stops polling", async () => {
    await page.clock.fastForward(3 * SECOND);
    return (await buttonCount(page)) > 0;
  });
  hold.status = "sent";
  await pressButton(page, "Refresh status");
  await waitForHeading(page, "Already sent");
});

test("the page counts down the wait after too many attempts, then lets the person continue", async () => {
  server.replyNext("challenge", refusalReply(429, "rate_limited", null, { "Retry-After": "75" }));
  const { page } = await visitHold(browser, server, server.createHold(), { clockAt: Date.now() });
  await pressButton(page);
  await waitForHeading(page, "Too many attempts");
  expect(await mainText(page)).toMatch(/You can try again in 1 minute 1[345] seconds/);
  expect(await buttonCount(page)).toBe(0);
  await page.clock.fastForward(30 * SECOND);
  await page.getByText(/You can try again in 4\d seconds/).waitFor();
  await page.clock.fastForward(MINUTE);
  await waitForHeading(page, "Ready to continue");
  await pressButton(page, "Try again");
  await pressButton(page);
  await waitForHeading(page, "Sent");
});

test("the page waits a minute after a 429 without a body or Retry-After", async () => {
  server.replyNext("get", { status: 429, body: undefined });
  const { page } = await visitHold(browser, server, server.createHold(), { clockAt: Date.now() });
  await waitForHeading(page, "Too many attempts");
  expect(await mainText(page)).toMatch(/You can try again in (1 minute|5\d seconds)\./);
});

test("the page sends nothing without a connection before the send, and offers a retry", async () => {
  const hold = server.createHold();
  server.replyNext("get", "drop");
  const { page } = await visitHold(browser, server, hold);
  await waitForHeading(page, "No connection");
  await pressButton(page, "Try again");
  await waitForHeading(page, "Check and send");
  await page.context().setOffline(true);
  await pressButton(page);
  await waitForHeading(page, "No connection");
  expect(await mainText(page)).toContain("this attempt sent nothing");
  await page.context().setOffline(false);
  await pressButton(page, "Try again");
  await pressButton(page);
  await waitForHeading(page, "Sent");
});

test("the page does not say that nothing was sent when the response to the send is lost, and a refresh shows the outcome", async () => {
  server.replyNext("complete", "drop");
  const { page } = await visitHold(browser, server, server.createHold());
  await pressButton(page);
  await waitForHeading(page, "No response");
  expect(await mainText(page)).toContain("the message may have been sent");
  await pressButton(page, "Refresh status");
  await waitForHeading(page, "Already sent");
});

test("the page blames the service for a server error before the send, and offers a retry", async () => {
  server.replyNext("challenge", { status: 503, body: "<html>" });
  const { page } = await visitHold(browser, server, server.createHold());
  await pressButton(page);
  await waitForHeading(page, "Something went wrong");
  await pressButton(page, "Try again");
  await pressButton(page);
  await waitForHeading(page, "Sent");
});

test("the page does not say that nothing was sent after a proxy's answer to the solutions, and a refresh shows the outcome", async () => {
  server.replyNext("complete", { status: 502, body: "<html>Bad gateway</html>" });
  const { page } = await visitHold(browser, server, server.createHold());
  await pressButton(page);
  await waitForHeading(page, "No response");
  expect(await mainText(page)).toContain("the message may have been sent");
  expect(await mainText(page)).not.toMatch(/not sent|write/i);
  await pressButton(page, "Refresh status");
  await waitForHeading(page, "Check and send");
  await pressButton(page);
  await waitForHeading(page, "Sent");
});

test("the page repeats a refused check at a press", async () => {
  server.replyNext("complete", refusalReply(400, "invalid_request", "invalid_solutions"));
  const { page } = await visitHold(browser, server, server.createHold());
  await pressButton(page);
  await waitForHeading(page, "The check failed");
  await pressButton(page, "Try again");
  await pressButton(page);
  await waitForHeading(page, "Sent");
});

test("the page treats a response that is not from the service, such as a Wi-Fi sign-in page, as no connection", async () => {
  server.replyNext("get", { status: 200, body: "<html>Please sign in</html>" });
  const { page } = await visitHold(browser, server, server.createHold());
  await waitForHeading(page, "No connection");
});

test("the page says that the check could not run when the worker does not load, and refuses challenges that would take hours", async () => {
  const { page } = await visitHold(browser, server, server.createHold());
  await page.route("**/verify/solver.js", (route) => route.abort());
  await pressButton(page);
  await waitForHeading(page, "The check could not run");
  await page.unroute("**/verify/solver.js");
  await pressButton(page, "Try again");
  const data = { challenge: { c: 50, s: 32, d: 8 }, token: "t", expires: Date.now() + MINUTE };
  server.replyNext("challenge", { status: 200, body: { ok: true, data } });
  await pressButton(page);
  await waitForHeading(page, "No connection");
});
