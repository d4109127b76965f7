import { afterAll, beforeAll, expect, it } from "vitest";
import type { Data, ListedDelivery } from "./support/answers.ts";
import { failuresIn, untilIdle } from "./support/journals.ts";
import { type RunningLocal, startLocal } from "./support/local-stack.ts";
import { accountIds, inbound, newMid, newPerson, textEntry } from "./support/platform.ts";
import { until } from "./support/poll.ts";
import { createHook, deliveriesOf, type Hook } from "./support/read-all.ts";
import { openReceiver, type Received, type Receiver } from "./support/receiver.ts";
import { packages, verifyByTheDocs } from "./support/verify.ts";

let stack: RunningLocal;
let receiver: Receiver;
let other: Receiver;
let hook: Hook;

beforeAll(async () => {
  [stack, receiver, other] = await Promise.all([startLocal(), openReceiver(), openReceiver()]);
  hook = await createHook(stack, receiver.url, ["message.received"]);
});
afterAll(async () => {
  await Promise.all([stack?.stop(), receiver?.close(), other?.close()]);
});

async function call(method: string, path: string, body?: unknown): Promise<Data> {
  const answer = await stack.api(method, `/v1/webhooks/${path}`, body);
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
  return answer.body.data;
}

async function write(...texts: string[]): Promise<void> {
  const at = await stack.now();
  const entries = texts.map((text, n) => textEntry(accountIds.messenger, newPerson(), newMid(), text, at + n));
  expect((await inbound(stack, "page", entries)).status).toBe(200);
  await untilIdle(stack);
}

const receivedOf = (text: string): Received[] =>
  receiver.received.filter(({ event }) => event.type === "message.received" && event.data.message.text === text);

function rowOf(hookId: string, id: string, status: string): Promise<ListedDelivery> {
  return until(`${id} is ${status}`, async () =>
    (await deliveriesOf(stack, hookId)).find((row) => row.delivery_id === id && row.status === status),
  );
}

it("a rotated secret verifies beside the one before it for 24 hours, and then alone", async () => {
  const rotated = await call("POST", `${hook.id}/rotate`);
  expect(rotated.endpoint.secondary_active).toBe(true);
  const verifiedBy = async (text: string) => {
    await write(text);
    const [delivery] = receivedOf(text);
    if (!delivery) throw new Error("Nothing came.");
    const at = Number(delivery.headers["svc-timestamp"]) * 1_000;
    return [hook.secret, rotated.signing_secret].map((secret) => verifyByTheDocs(secret, delivery, at));
  };
  expect(await verifiedBy("within the overlap")).toEqual([true, true]);
  const [both] = receivedOf("within the overlap");
  for (const verify of Object.values(packages)) {
    for (const secret of [hook.secret, rotated.signing_secret]) expect(both && verify(secret, both)).toBe(true);
  }
  await stack.clock("PT24H");
  expect(await verifiedBy("after the overlap")).toEqual([false, true]);
  hook = { ...hook, secret: rotated.signing_secret };
});

it("what came while an endpoint was paused is blocked, and is sent by a replay of its window, page by page", async () => {
  const from = await stack.now();
  await call("PATCH", hook.id, { status: "paused" });
  const texts = Array.from({ length: 5 }, (_, n) => `paused ${n}`);
  await write(...texts);
  const blocked = (await call("GET", `${hook.id}/deliveries/summary?status=blocked`)).deliveries;
  expect(blocked).toHaveLength(5);
  expect(texts.flatMap(receivedOf)).toEqual([]);
  await call("PATCH", hook.id, { status: "active" });

  const path = `${hook.id}/deliveries/replay?from=${from}&status=blocked&limit=2`;
  const pages: Data[] = [];
  for (let cursor: string | null = ""; cursor !== null; cursor = pages.at(-1)?.next_cursor ?? null) {
    pages.push(await call("POST", cursor === "" ? path : `${path}&cursor=${cursor}`));
  }
  expect(pages.map(({ matched, enqueued, skipped }) => [matched, enqueued, skipped])).toEqual([
    [2, 2, 0],
    [2, 2, 0],
    [1, 1, 0],
  ]);
  for (const { delivery_id } of blocked) await rowOf(hook.id, delivery_id, "delivered");
  expect(texts.map((text) => receivedOf(text).length)).toEqual([1, 1, 1, 1, 1]);
  expect((await call("GET", `${hook.id}/deliveries/summary`)).deliveries).toEqual([]);
});

it("a delivered event is sent again by force alone: the same bytes, signed anew", async () => {
  await write("once more");
  const [first] = receivedOf("once more");
  const id = String(first?.headers["svc-delivery-id"]);
  const path = `/v1/webhooks/${hook.id}/deliveries/${id}/replay`;
  const refused = await stack.api("POST", path);
  expect([refused.status, refused.body.error.code]).toEqual([409, "replay_conflict"]);
  expect((await stack.api("POST", `${path}?force=true`)).status).toBe(200);
  await until("it came again", () => receivedOf("once more").length === 2);
  const [, second] = receivedOf("once more");
  expect(second?.raw.toString()).toBe(first?.raw.toString());
  expect(second && verifyByTheDocs(hook.secret, second, await stack.now())).toBe(true);
  expect(await rowOf(hook.id, id, "delivered")).toMatchObject({ attempt_number: 1 });
});

it("a test event comes signed, to that endpoint alone", async () => {
  const { delivery_id } = await call("POST", `${hook.id}/test`);
  await rowOf(hook.id, delivery_id, "delivered");
  const [test, ...rest] = receiver.received.filter(({ event }) => event.type === "test.event");
  expect(rest).toEqual([]);
  expect(test?.event.data).toMatchObject({ endpoint_id: hook.id, requested_by: expect.stringMatching(/^key:/) });
  expect(test && verifyByTheDocs(hook.secret, test, await stack.now())).toBe(true);
});

it("an endpoint that is pointed elsewhere gets the next event there, and a deleted one none", async () => {
  const moving = await createHook(stack, `${receiver.url}/old`, ["message.received"]);
  await call("PATCH", moving.id, { url: `${other.url}/new` });
  await write("after the move");
  expect(other.received.map(({ event }) => event.data.message.text)).toEqual(["after the move"]);
  await call("DELETE", moving.id);
  await write("after the end");
  expect(other.received).toHaveLength(1);
  expect(receivedOf("after the end")).toHaveLength(1);
  const gone = await stack.api("POST", `/v1/webhooks/${moving.id}/test`);
  expect([gone.status, gone.body.error.code]).toEqual([404, "endpoint_not_found"]);
  expect(await deliveriesOf(stack, moving.id)).toHaveLength(1);
});

it("a receiver that says 410 has its endpoint paused, and the tenant's other endpoints are told", async () => {
  const watcher = await createHook(stack, other.url, ["webhook.paused"]);
  receiver.answer(() => ({ status: 410 }));
  await write("to nobody");
  expect((await call("GET", hook.id)).endpoint.status).toBe("paused");
  const told = await until("the others are told", () =>
    other.received.find(({ event }) => event.type === "webhook.paused"),
  );
  expect(told.event.data).toEqual({ endpoint_id: hook.id, reason: "gone" });
  expect(verifyByTheDocs(watcher.secret, told, await stack.now())).toBe(true);
  await write("to nobody either");
  expect(receivedOf("to nobody either")).toEqual([]);
  expect((await deliveriesOf(stack, hook.id)).slice(0, 2).map(({ status }) => status)).toEqual(["blocked", "failed"]);
});

it("all of it left its audit rows, and no failure in the logs", async () => {
  const { body } = await stack.api("GET", "/v1/audit?limit=100");
  const { audit } = body.data as unknown as { audit: { action: string; actor: string }[] };
  const actions = audit.map(({ action }) => action);
  for (const action of ["create", "update", "delete", "rotate", "test", "replay", "bulk_replay", "auto_pause"]) {
    expect(actions).toContain(`webhook.${action}`);
  }
  expect(audit.find(({ action }) => action === "webhook.auto_pause")?.actor).toBe("system");
  expect(failuresIn(stack.log())).toEqual([]);
});
