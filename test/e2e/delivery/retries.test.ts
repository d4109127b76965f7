import { beforeAll, expect, it } from "vitest";
import { openedOnce } from "../../support/opened.ts";
import { createTestWebhook, listDeliveries } from "../support/api-calls.ts";
import type { ListedDelivery } from "../support/api-response.ts";
import { waitUntilIdle } from "../support/emulator-journals.ts";
import { openSharedStack } from "../support/local-stack.ts";
import { demoAccountIds, newMessageId, newPersonId, postWebhook, textEntry } from "../support/platform-webhooks.ts";
import { verifyAsDocumented } from "../support/verify-signature.ts";
import { waitFor } from "../support/wait-for.ts";
import { openReceiver, type ReceivedDelivery } from "../support/webhook-receiver.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** The wait before attempts 2 to 10 as docs/guides/delivery.md has it, and a turn of the clock that is sure to pass it. */
const retrySchedule = [
  { attempt: 2, wait: 5 * SECOND, turn: "PT10S" },
  { attempt: 3, wait: 5 * MINUTE, turn: "PT6M" },
  { attempt: 4, wait: 30 * MINUTE, turn: "PT35M" },
  { attempt: 5, wait: 2 * HOUR, turn: "PT2H30M" },
  { attempt: 6, wait: 5 * HOUR, turn: "PT6H" },
  { attempt: 7, wait: 10 * HOUR, turn: "PT12H" },
  { attempt: 8, wait: 14 * HOUR, turn: "PT16H" },
  { attempt: 9, wait: 20 * HOUR, turn: "PT23H" },
  { attempt: 10, wait: 24 * HOUR, turn: "PT27H" },
] as const;

const stack = openedOnce(openSharedStack);
const receiver = openedOnce(openReceiver);
const hook = openedOnce(() => createTestWebhook(stack, receiver.url, ["message.received"]));
beforeAll(async () => {
  receiver.respondWith(({ data }, nth) => {
    const { text } = data.message;
    if (text === "third time") return { status: nth < 3 ? 500 : 204 };
    if (text === "gone") return { status: 410 };
    if (text === "later") return nth === 1 ? { status: 429, headers: { "retry-after": "3600" } } : { status: 200 };
    if (text === "elsewhere") return { status: nth === 1 ? 302 : 200, headers: { location: receiver.url } };
    return { status: 500 };
  });
});

const receivedWithText = (text: string): ReceivedDelivery[] =>
  receiver.deliveries.filter(({ event }) => event.data.message.text === text);

/** Sends a message from a person and waits until the first attempt is recorded. */
async function sendMessage(text: string): Promise<ListedDelivery> {
  const entry = textEntry(demoAccountIds.messenger, newPersonId(), newMessageId(), text, await stack.now());
  expect((await postWebhook(stack, "page", [entry])).status).toBe(200);
  return waitForRow(text, 1);
}

/** The delivery once it has passed an attempt. */
function waitForRow(text: string, attempt: number): Promise<ListedDelivery> {
  return waitFor(`attempt ${attempt} of "${text}" is settled`, async () => {
    const [one] = receivedWithText(text);
    const rows = one ? await listDeliveries(stack, hook.id) : [];
    const row = rows.find(({ event_id }) => event_id === one?.event.id);
    return row && row.attempt_number >= attempt && row.status !== "attempting" ? row : null;
  });
}

it("a failing receiver is called ten times, never early, and then the delivery is dlq", async () => {
  let row = await sendMessage("never");
  for (const { attempt, wait, turn: advance } of retrySchedule) {
    expect(row).toMatchObject({
      status: "retrying",
      attempt_number: attempt - 1,
      last_response_status: 500,
      last_error: "status",
    });
    const due = row.next_retry_at ?? 0;
    // The row is written shortly after the attempt.
    expect(due - row.updated_at).toBeGreaterThan(wait - SECOND);
    expect(due - row.updated_at).toBeLessThanOrEqual(wait * 1.1);
    await stack.clock(advance);
    row = await waitForRow("never", attempt);
    const attempts = receivedWithText("never");
    expect(attempts).toHaveLength(attempt);
    expect(Number(attempts.at(-1)?.headers["svc-timestamp"])).toBeGreaterThanOrEqual(Math.floor(due / SECOND));
  }
  expect(row).toMatchObject({ status: "dlq", attempt_number: 10, next_retry_at: null, last_response_status: 500 });
  await stack.clock("PT30H");
  await waitUntilIdle(stack);
  expect(receivedWithText("never")).toHaveLength(10);
  expect(new Set(receivedWithText("never").map(({ event }) => event.id)).size).toBe(1);
  expect(new Set(receivedWithText("never").map(({ raw }) => raw.toString())).size).toBe(1);
});

it("no attempt is made before it is due", async () => {
  await sendMessage("early");
  await stack.clock("PT10S");
  await waitForRow("early", 2);
  await stack.clock("PT4M");
  await waitUntilIdle(stack);
  expect(await waitForRow("early", 2)).toMatchObject({ status: "retrying", attempt_number: 2 });
  expect(receivedWithText("early")).toHaveLength(2);
  await stack.clock("PT2M");
  expect(await waitForRow("early", 3)).toMatchObject({ status: "retrying", attempt_number: 3 });
});

it("a 2xx ends the retries as delivered", async () => {
  await sendMessage("third time");
  await stack.clock("PT10S");
  expect(await waitForRow("third time", 2)).toMatchObject({ status: "retrying", last_response_status: 500 });
  await stack.clock("PT6M");
  expect(await waitForRow("third time", 3)).toMatchObject({
    status: "delivered",
    attempt_number: 3,
    next_retry_at: null,
    last_response_status: 204,
    last_error: null,
  });
  await stack.clock("PT1H");
  await waitUntilIdle(stack);
  expect(receivedWithText("third time")).toHaveLength(3);
});

it("410 fails the delivery at once", async () => {
  expect(await sendMessage("gone")).toMatchObject({ status: "failed", attempt_number: 1, next_retry_at: null });
  // The 410 also paused the endpoint, which the tests below use.
  await waitUntilIdle(stack);
  expect((await stack.api("PATCH", `/v1/webhooks/${hook.id}`, { status: "active" })).status).toBe(200);
});

it("Retry-After of a 429 is the minimum wait", async () => {
  const row = await sendMessage("later");
  expect(row.status).toBe("retrying");
  expect((row.next_retry_at ?? 0) - row.updated_at).toBeGreaterThan(HOUR - SECOND);
  await stack.clock("PT1H1M");
  expect(await waitForRow("later", 2)).toMatchObject({ status: "delivered", attempt_number: 2 });
});

it("a redirect is a failure and is not followed", async () => {
  expect(await sendMessage("elsewhere")).toMatchObject({ status: "retrying", last_response_status: 302 });
  expect(receivedWithText("elsewhere")).toHaveLength(1);
});

it("every attempt has its own timestamp and signature", async () => {
  const timestamps = receivedWithText("never").map(({ headers }) => Number(headers["svc-timestamp"]));
  expect(new Set(timestamps).size).toBe(10);
  const turned = receivedWithText("never").map((delivery) =>
    verifyAsDocumented(hook.secret, delivery, Number(delivery.headers["svc-timestamp"]) * SECOND),
  );
  expect(turned).toEqual(Array(10).fill(true));
  expect(
    receivedWithText("never")
      .slice(-1)
      .map((delivery) => verifyAsDocumented(hook.secret, delivery)),
  ).toEqual([false]);
});
