import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { TenantId } from "#base/kernel/tenant.ts";
import { DAY, HOUR, SECOND } from "#base/kernel/time.ts";
import { createOperatorKey } from "#features/access/flows/keys.ts";
import { noRemovals } from "#features/erasure/rules/erasures.ts";
import {
  type DataSubject,
  drainErasures,
  putEndpointRow,
  rowsMentioning,
  seedDataSubject,
} from "../../../support/flows/data-subject.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedOnce } from "../../../support/opened.ts";
import { testApp } from "../../../support/routes/test-app.ts";
import { newTenant, sampleConversationId } from "../../../support/stores/samples.ts";
import { createKey } from "../../access/flows/support/api-keys.ts";

let tenant: TenantId;
let subject: DataSubject;
let key: string;
const testEnv = openedOnce(openTestEnv);
const queues = openedOnce(() => testEnv.newQueues());
const ports = openedOnce(() => testEnv.apiPorts(queues));
const app = openedOnce(() => testApp(testEnv, ports));
beforeEach(async () => {
  tenant = newTenant();
  key = await newKey(tenant);
  subject = await seedDataSubject(testEnv, tenant, [await putEndpointRow(testEnv, tenant, "one")]);
  testEnv.advance(SECOND);
});
afterEach(() => {
  vi.restoreAllMocks();
});

async function newKey(keyTenant: TenantId, scope: "live" | "test" = "live"): Promise<string> {
  return (await createKey(ports, keyTenant, { scope, label: "", author: { actor: "cli" } }, testEnv.now())).secret;
}

async function requestErasure(id: string, apiKey = key, query = "") {
  const response = await app.request(`/v1/conversations/${encodeURIComponent(id)}${query}`, {
    method: "DELETE",
    headers: { authorization: `Bearer ${apiKey}` },
  });
  return { status: response.status, text: await response.text() };
}

const expectedAnswer = (done: boolean, removed: DataSubject["counts"]) => {
  const { conversation, profile, messages, markers, deliveries, sendRecords, uploads, holds } = removed;
  const counts = { conversation, profile, messages, markers, deliveries, uploads, holds, send_records: sendRecords };
  return JSON.stringify({ ok: true, data: { done, removed: counts } });
};
const read = async () =>
  (
    await app.request(`/v1/conversations/${encodeURIComponent(subject.conversation)}`, {
      headers: { authorization: `Bearer ${key}` },
    })
  ).status;

it("DELETE /v1/conversations/{id} answers 200 with the counts, then 200 with zeros while the marker exists, then 404", async () => {
  expect(await requestErasure(subject.conversation)).toEqual({
    status: 200,
    text: expectedAnswer(true, subject.counts),
  });
  expect(await read()).toBe(404);
  let calledAt = testEnv.now();
  for (const elapsed of [0, HOUR, 7 * DAY]) {
    testEnv.advance(elapsed);
    calledAt = testEnv.now();
    expect(await requestErasure(subject.conversation)).toEqual({
      status: 200,
      text: expectedAnswer(true, noRemovals),
    });
    await drainErasures(testEnv, queues);
  }
  testEnv.advance(calledAt + 7 * DAY + HOUR + SECOND - testEnv.now());
  expect((await requestErasure(subject.conversation, await newKey(tenant))).status).toBe(404);
});

it("DELETE /v1/conversations/{id} answers 202 when it takes too long, and 200 with zeros after the background work", async () => {
  // Each clock reading advances the clock by seven seconds.
  let at = 0;
  vi.spyOn(performance, "now").mockImplementation(() => (at += 7 * SECOND));
  const first = await requestErasure(subject.conversation);
  vi.restoreAllMocks();
  expect(first.status).toBe(202);
  expect(JSON.parse(first.text)).toMatchObject({ ok: true, data: { done: false, removed: { conversation: 1 } } });
  expect(await read()).toBe(404);
  await drainErasures(testEnv, queues);
  expect(await requestErasure(subject.conversation)).toEqual({
    status: 200,
    text: expectedAnswer(true, noRemovals),
  });
  await drainErasures(testEnv, queues);
  expect(await rowsMentioning(testEnv, subject)).toEqual([]);
});

it("DELETE /v1/conversations/{id} answers malformed, unknown and foreign ids with the same bytes", async () => {
  const stranger = newTenant();
  const unknown = await requestErasure(sampleConversationId(tenant, "123"));
  expect(unknown.status).toBe(404);
  expect(JSON.parse(unknown.text)).toMatchObject({ ok: false, error: { code: "conversation_not_found" } });
  for (const id of ["x", "CONV#", `${subject.conversation}#`, sampleConversationId(stranger)]) {
    expect(await requestErasure(id)).toEqual(unknown);
  }
  expect(await requestErasure(subject.conversation, await newKey(stranger))).toEqual(unknown);
  expect(await read()).toBe(200);
});

it("DELETE /v1/conversations/{id} is forbidden for a test key, for any id", async () => {
  const test = await newKey(tenant, "test");
  for (const id of [subject.conversation, "x"]) {
    const refused = await requestErasure(id, test);
    expect([refused.status, JSON.parse(refused.text).error.code]).toEqual([403, "forbidden"]);
  }
  expect(await read()).toBe(200);
});

it("DELETE /v1/conversations/{id} accepts an operator key with its tenant named", async () => {
  const settings = { scope: "live", label: "", author: { actor: "cli" } } as const;
  const { secret } = await createOperatorKey(ports, [tenant], settings, testEnv.now());
  expect((await requestErasure(subject.conversation, secret)).status).toBe(400);
  expect((await requestErasure(subject.conversation, secret, `?tenant=${newTenant()}`)).status).toBe(403);
  expect((await requestErasure(subject.conversation, secret, `?tenant=${tenant}`)).status).toBe(200);
});
