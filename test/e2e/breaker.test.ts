import { afterAll, beforeAll, expect, it } from "vitest";
import type { ListedDelivery } from "./support/answers.ts";
import { failuresIn, untilIdle } from "./support/journals.ts";
import { type RunningLocal, startLocal } from "./support/local-stack.ts";
import { accountIds, inbound, newMid, newPerson, textEntry } from "./support/platform.ts";
import { until } from "./support/poll.ts";
import { createHook, deliveriesOf, type Hook } from "./support/read-all.ts";
import { openReceiver, type Receiver } from "./support/receiver.ts";

interface Mail {
  readonly from: string;
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
}

let stack: RunningLocal;
let receiver: Receiver;
let other: Receiver;
let hook: Hook;
let begun = 0;

beforeAll(async () => {
  [stack, receiver, other] = await Promise.all([startLocal(), openReceiver(), openReceiver()]);
  hook = await createHook(stack, receiver.url, ["message.received"]);
  await createHook(stack, other.url, ["webhook.paused"]);
  receiver.answer(() => ({ status: 500 }));
  begun = await stack.now();
});
afterAll(async () => {
  await Promise.all([stack?.stop(), receiver?.close(), other?.close()]);
});

async function write(count: number): Promise<void> {
  const at = await stack.now();
  const entries = Array.from({ length: count }, (_, n) =>
    textEntry(accountIds.messenger, newPerson(), newMid(), "hello", at + n),
  );
  expect((await inbound(stack, "page", entries)).status).toBe(200);
  await untilIdle(stack);
}

const rows = () => deliveriesOf(stack, hook.id);
const untilRows = (what: string, each: (row: ListedDelivery) => boolean, count: number) =>
  until(what, async () => {
    const found = await rows();
    return found.length === count && found.every(each) ? found : null;
  });
const mails = async (): Promise<Mail[]> => {
  const { text } = await stack.request("/_local/mail");
  return (JSON.parse(text) as { mails: Mail[] }).mails.toReversed();
};
/** Turns the clock past the next probe, and waits until it was made. */
async function probe(turn: string): Promise<void> {
  const before = receiver.received.length;
  await stack.clock(turn);
  await until(`a probe after ${turn}`, () => receiver.received.length > before);
  await untilIdle(stack);
}

it("after ten failures in a row an endpoint is called once a minute, then less, and what comes waits", async () => {
  await write(10);
  await untilRows(
    "ten attempts failed",
    ({ status, attempt_number }) => status === "retrying" && attempt_number === 1,
    10,
  );
  expect(receiver.received).toHaveLength(10);
  await write(3);
  const found = await until("three more wait", async () => {
    const all = await rows();
    return all.length === 13 ? all : null;
  });
  expect(found.slice(0, 3)).toMatchObject(
    Array(3).fill({ status: "retrying", attempt_number: 0, next_retry_at: null }),
  );
  expect(receiver.received).toHaveLength(10);
  await probe("PT61S");
  expect(receiver.received).toHaveLength(11);
  await stack.clock("PT90S");
  await untilIdle(stack);
  expect(receiver.received).toHaveLength(11);
  await probe("PT31S");
  expect(receiver.received).toHaveLength(12);
});

it("after half of five days its owner is warned, after five it is paused, and what waited is blocked", async () => {
  for (const turn of ["PT241S", "PT481S", "PT961S", "PT1801S", "PT1801S", "PT1801S", "PT1801S", "PT1801S"])
    await probe(turn);
  expect(await mails()).toEqual([]);
  await probe("PT60H");
  const [warning] = await until("the warning", async () => ((await mails()).length > 0 ? mails() : null));
  expect(warning).toMatchObject({
    from: "parley@local.test",
    to: ["owner@local.invalid"],
    subject: expect.stringContaining("are failing"),
  });
  await probe("PT60H");
  const [, paused] = await until("the second mail", async () => ((await mails()).length > 1 ? mails() : null));
  expect(paused?.subject).toContain("are paused");
  expect(paused?.text).toContain(hook.id);
  await untilRows("what waited is blocked", ({ status }) => status === "blocked" || status === "retrying", 13);
  await stack.clock("PT10M");
  await stack.clock("PT24H");
  await untilRows("all of it is blocked", ({ status }) => status === "blocked", 13);
  await until("the other endpoint is told", () => other.received.length > 0);
  expect(other.received[0]?.event).toMatchObject({
    type: "webhook.paused",
    data: { endpoint_id: hook.id, reason: "failing" },
  });
  const { body } = await stack.api("GET", `/v1/webhooks/${hook.id}`);
  expect(body.data.endpoint.status).toBe("paused");
  expect(await mails()).toHaveLength(2);
});

it("active again, it is sent what was blocked by a replay of its window", async () => {
  receiver.answer(() => ({ status: 200 }));
  const before = receiver.received.length;
  expect((await stack.api("PATCH", `/v1/webhooks/${hook.id}`, { status: "active" })).status).toBe(200);
  const path = `/v1/webhooks/${hook.id}/deliveries/replay?from=${begun}&status=blocked`;
  expect((await stack.api("POST", path)).body.data).toMatchObject({ matched: 13, enqueued: 13 });
  await untilRows("all are delivered", ({ status }) => status === "delivered", 13);
  expect(new Set(receiver.received.slice(before).map(({ event }) => event.id)).size).toBe(13);
  expect(failuresIn(stack.log())).toEqual([]);
});
