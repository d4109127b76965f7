import { beforeAll, expect, it } from "vitest";
import { openedOnce } from "../../support/opened.ts";
import { createTestWebhook, listDeliveries, type TestWebhook } from "../support/api-calls.ts";
import type { ListedDelivery, ResponseData } from "../support/api-response.ts";
import { failureLines, waitUntilIdle } from "../support/emulator-journals.ts";
import { openSharedStack } from "../support/local-stack.ts";
import { demoAccountIds, newMessageId, newPersonId, postWebhook, textEntry } from "../support/platform-webhooks.ts";
import { verifyAsDocumented, verifyPackages } from "../support/verify-signature.ts";
import { waitFor } from "../support/wait-for.ts";
import { openReceiver, type ReceivedDelivery } from "../support/webhook-receiver.ts";

let hook: TestWebhook;

const stack = openedOnce(openSharedStack);
const receiver = openedOnce(openReceiver);
const otherReceiver = openedOnce(openReceiver);
beforeAll(async () => {
  hook = await createTestWebhook(stack, receiver.url, ["message.received"]);
});

async function callApi(method: string, path: string, body?: unknown): Promise<ResponseData> {
  const response = await stack.api(method, `/v1/webhooks/${path}`, body);
  expect([response.status, response.text]).toEqual([200, expect.any(String)]);
  return response.body.data;
}

async function sendMessages(...texts: string[]): Promise<void> {
  const at = await stack.now();
  const entries = texts.map((text, n) =>
    textEntry(demoAccountIds.messenger, newPersonId(), newMessageId(), text, at + n),
  );
  expect((await postWebhook(stack, "page", entries)).status).toBe(200);
  await waitUntilIdle(stack);
}

const receivedWithText = (text: string): ReceivedDelivery[] =>
  receiver.deliveries.filter(({ event }) => event.type === "message.received" && event.data.message.text === text);

function waitForRow(hookId: string, id: string, status: string): Promise<ListedDelivery> {
  return waitFor(`${id} is ${status}`, async () =>
    (await listDeliveries(stack, hookId)).find((row) => row.delivery_id === id && row.status === status),
  );
}

it("a rotated secret and the previous one verify for 24 hours, then only the new one", async () => {
  const rotated = await callApi("POST", `${hook.id}/rotate`);
  expect(rotated.endpoint.secondary_active).toBe(true);
  const verifiedBy = async (text: string) => {
    await sendMessages(text);
    const [delivery] = receivedWithText(text);
    if (!delivery) throw new Error("No delivery arrived.");
    const at = Number(delivery.headers["svc-timestamp"]) * 1_000;
    return [hook.secret, rotated.signing_secret].map((secret) => verifyAsDocumented(secret, delivery, at));
  };
  expect(await verifiedBy("within the overlap")).toEqual([true, true]);
  const [both] = receivedWithText("within the overlap");
  const at = await stack.now();
  for (const verify of Object.values(verifyPackages)) {
    for (const secret of [hook.secret, rotated.signing_secret]) expect(both && verify(secret, both, at)).toBe(true);
  }
  await stack.clock("PT24H");
  expect(await verifiedBy("after the overlap")).toEqual([false, true]);
  hook = { ...hook, secret: rotated.signing_secret };
});

it("events of a paused endpoint are blocked, and a replay of the window sends them page by page", async () => {
  const from = await stack.now();
  await callApi("PATCH", hook.id, { status: "paused" });
  const texts = Array.from({ length: 5 }, (_, n) => `paused ${n}`);
  await sendMessages(...texts);
  const blocked = (await callApi("GET", `${hook.id}/deliveries/summary?status=blocked`)).deliveries;
  expect(blocked).toHaveLength(5);
  expect(texts.flatMap(receivedWithText)).toEqual([]);
  await callApi("PATCH", hook.id, { status: "active" });

  const path = `${hook.id}/deliveries/replay?from=${from}&status=blocked&limit=2`;
  const pages: ResponseData[] = [];
  for (let cursor: string | null = ""; cursor !== null; cursor = pages.at(-1)?.next_cursor ?? null) {
    pages.push(await callApi("POST", cursor === "" ? path : `${path}&cursor=${cursor}`));
  }
  expect(pages.map(({ matched, enqueued, skipped }) => [matched, enqueued, skipped])).toEqual([
    [2, 2, 0],
    [2, 2, 0],
    [1, 1, 0],
  ]);
  for (const { delivery_id } of blocked) await waitForRow(hook.id, delivery_id, "delivered");
  expect(texts.map((text) => receivedWithText(text).length)).toEqual([1, 1, 1, 1, 1]);
  expect((await callApi("GET", `${hook.id}/deliveries/summary`)).deliveries).toEqual([]);
});

it("a delivered event is replayed only with force, with the same body and a new signature", async () => {
  await sendMessages("second copy");
  const [first] = receivedWithText("second copy");
  const id = String(first?.headers["svc-delivery-id"]);
  const path = `/v1/webhooks/${hook.id}/deliveries/${id}/replay`;
  const refused = await stack.api("POST", path);
  expect([refused.status, refused.body.error.code]).toEqual([409, "replay_conflict"]);
  expect((await stack.api("POST", `${path}?force=true`)).status).toBe(200);
  await waitFor("the event is delivered again", () => receivedWithText("second copy").length === 2);
  const [, second] = receivedWithText("second copy");
  expect(second?.raw.toString()).toBe(first?.raw.toString());
  expect(second && verifyAsDocumented(hook.secret, second, await stack.now())).toBe(true);
  expect(await waitForRow(hook.id, id, "delivered")).toMatchObject({ attempt_number: 1 });
});

it("a test event is signed and sent only to its endpoint", async () => {
  const { delivery_id } = await callApi("POST", `${hook.id}/test`);
  await waitForRow(hook.id, delivery_id, "delivered");
  const [test, ...rest] = receiver.deliveries.filter(({ event }) => event.type === "test.event");
  expect(rest).toEqual([]);
  expect(test?.event.data).toMatchObject({ endpoint_id: hook.id, requested_by: expect.stringMatching(/^key:/) });
  expect(test && verifyAsDocumented(hook.secret, test, await stack.now())).toBe(true);
});

it("an updated URL receives the next event, and a deleted endpoint none", async () => {
  const moving = await createTestWebhook(stack, `${receiver.url}/old`, ["message.received"]);
  await callApi("PATCH", moving.id, { url: `${otherReceiver.url}/new` });
  await sendMessages("after the move");
  expect(otherReceiver.deliveries.map(({ event }) => event.data.message.text)).toEqual(["after the move"]);
  await callApi("DELETE", moving.id);
  await sendMessages("after the end");
  expect(otherReceiver.deliveries).toHaveLength(1);
  expect(receivedWithText("after the end")).toHaveLength(1);
  const gone = await stack.api("POST", `/v1/webhooks/${moving.id}/test`);
  expect([gone.status, gone.body.error.code]).toEqual([404, "endpoint_not_found"]);
  expect(await listDeliveries(stack, moving.id)).toHaveLength(1);
});

it("a 410 pauses the endpoint, and the tenant's other endpoints receive webhook.paused", async () => {
  const watcher = await createTestWebhook(stack, otherReceiver.url, ["webhook.paused"]);
  receiver.respondWith(() => ({ status: 410 }));
  await sendMessages("to no one");
  expect((await callApi("GET", hook.id)).endpoint.status).toBe("paused");
  const received = await waitFor("the other endpoint receives the event", () =>
    otherReceiver.deliveries.find(({ event }) => event.type === "webhook.paused"),
  );
  expect(received.event.data).toEqual({ endpoint_id: hook.id, reason: "gone" });
  expect(verifyAsDocumented(watcher.secret, received, await stack.now())).toBe(true);
  await sendMessages("to no one either");
  expect(receivedWithText("to no one either")).toEqual([]);
  expect((await listDeliveries(stack, hook.id)).slice(0, 2).map(({ status }) => status)).toEqual(["blocked", "failed"]);
});

it("all actions have audit rows, and nothing failed", async () => {
  const { body } = await stack.api("GET", "/v1/audit?limit=100");
  const { audit } = body.data as unknown as { audit: { action: string; actor: string }[] };
  const actions = audit.map(({ action }) => action);
  for (const action of ["create", "update", "delete", "rotate", "test", "replay", "bulk_replay", "auto_pause"]) {
    expect(actions).toContain(`webhook.${action}`);
  }
  expect(audit.find(({ action }) => action === "webhook.auto_pause")?.actor).toBe("system");
  expect(failureLines(stack.log())).toEqual([]);
});
