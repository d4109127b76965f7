import fc from "fast-check";
import { expect, it } from "vitest";
import { newUlid } from "#base/kernel/ids.ts";
import type { Millis } from "#base/kernel/time.ts";
import { openTable } from "#base/table/client.ts";
import { contentHash, type NewSend, type SendRecord } from "#features/sending/rules/sends.ts";
import { type PlatformResult, sendRecordStore } from "#features/sending/store/send-records.ts";
import { startTestTable } from "../../../support/dynamodb.ts";
import { type Fault, injectFaults } from "../../../support/faults.ts";
import { openedOnce } from "../../../support/opened.ts";
import { NOW, newTenant, sampleConversationId } from "../../../support/stores/samples.ts";

const table = openedOnce(startTestTable);
const records = openedOnce(() => sendRecordStore(openTable(table.tableName, table.client)));

function sampleSend(rest: Partial<NewSend> = {}): NewSend {
  return {
    id: newUlid(NOW),
    content: contentHash("hi", []),
    via: "api_in_window",
    actorId: null,
    holdId: null,
    replyTo: null,
    scope: "live",
    ...rest,
  };
}

/** A send in its own conversation. */
async function startSend(rest: Partial<NewSend> = {}): Promise<{ conversation: string; record: SendRecord }> {
  const conversation = sampleConversationId(newTenant());
  const send = sampleSend(rest);
  await records.start(conversation, send, NOW);
  return { conversation, record: await read(conversation, send.id) };
}

async function read(conversation: string, id: string): Promise<SendRecord> {
  const record = await records.get(conversation, id);
  if (!record) throw new Error("The record is gone.");
  return record;
}

const echo = (id: string) => ({ id, sentAt: NOW });
const sentAnswer = (messageId: string): PlatformResult => ({ state: "sent", messageId });

/** Runs `work` once for each of its requests, with the response of that request lost. */
async function withEachAnswerLost(minimumCalls: number, work: () => Promise<void>): Promise<void> {
  for (let k = 0; ; k++) {
    let reached = false;
    const end = injectFaults(table.client, ({ index }): Fault => {
      if (index !== k) return "pass";
      reached = true;
      return "lost";
    });
    await work().finally(end);
    if (!reached) return expect(k).toBeGreaterThanOrEqual(minimumCalls);
  }
}

it("a send record is read back field by field, with and without optional ones, and only in its own conversation", async () => {
  const full = { actorId: "usr_1", holdId: "hold_1", replyTo: "m0", scope: "test", via: "api_human_agent" } as const;
  for (const rest of [full, {}]) {
    const { conversation, record } = await startSend(rest);
    expect(record).toEqual({
      ...sampleSend({ ...rest, id: record.id }),
      startedAt: NOW,
      state: "sending",
      messageId: null,
      messageIdSource: null,
    });
    expect(await records.get(sampleConversationId(newTenant()), record.id)).toBeNull();
    expect(await records.get(conversation, newUlid(NOW))).toBeNull();
  }
});

it("a send record is found by its start time to the millisecond, oldest first", async () => {
  const conversation = sampleConversationId(newTenant());
  const times: Millis[] = [NOW + 2, NOW, NOW + 1, NOW + 1, NOW + 3];
  for (const at of times) await records.start(conversation, sampleSend({ id: newUlid(at) }), at);
  const listSends = async (from: Millis, until: Millis) =>
    (await records.startedBetween(conversation, from, until)).map(({ startedAt }) => startedAt - NOW);
  expect(await listSends(NOW, NOW + 3)).toEqual([0, 1, 1, 2, 3]);
  expect(await listSends(NOW + 1, NOW + 2)).toEqual([1, 1, 2]);
  expect(await listSends(NOW + 4, NOW + 9)).toEqual([]);
  expect(await listSends(-5, 5)).toEqual([]);
});

it("settling by the platform's response is final once the message id is known", async () => {
  for (const state of ["failed", "unknown"] as const) {
    const { conversation, record } = await startSend();
    expect(await records.settleSend(conversation, record.id, { state })).toBe("settled");
    expect(await read(conversation, record.id)).toMatchObject({ state, messageId: null });
    expect(await records.settleSend(conversation, record.id, sentAnswer("m1"))).toBe("settled");
    expect(await records.settleSend(conversation, record.id, { state })).toBe("settled_before");
    expect(await read(conversation, record.id)).toMatchObject({
      state: "sent",
      messageId: "m1",
      messageIdSource: "answer",
    });
  }
});

it("settling by the platform's response does not override an echo with an unknown outcome, but with the response's message id", async () => {
  const { conversation, record } = await startSend();
  expect(await records.matchEcho(conversation, record, echo("m1"))).toBe(true);
  await records.settleSend(conversation, record.id, { state: "unknown" });
  expect(await read(conversation, record.id)).toMatchObject({
    state: "sent",
    messageId: "m1",
    messageIdSource: "echo",
  });
  await records.settleSend(conversation, record.id, sentAnswer("m2"));
  expect(await read(conversation, record.id)).toMatchObject({ messageId: "m2", messageIdSource: "answer" });
});

it("settling by the platform's response does not make a send failed that the sweep abandoned", async () => {
  const { conversation, record } = await startSend();
  expect(await records.abandon(conversation, record.id)).toBe(true);
  expect(await records.settleSend(conversation, record.id, { state: "failed" })).toBe("settled_before");
  expect(await read(conversation, record.id)).toMatchObject({ state: "unknown" });
});

it("settling by the platform's response of an erased record is no error and creates none", async () => {
  const conversation = sampleConversationId(newTenant());
  const id = newUlid(NOW);
  for (const answer of [sentAnswer("m"), { state: "failed" }, { state: "unknown" }] as const) {
    expect(await records.settleSend(conversation, id, answer)).toBe("gone");
  }
  expect(await records.get(conversation, id)).toBeNull();
});

it("settling by the platform's response survives a lost response of the table", async () => {
  await withEachAnswerLost(4, async () => {
    const conversation = sampleConversationId(newTenant());
    const send = sampleSend();
    await records.start(conversation, send, NOW);
    expect(await records.settleSend(conversation, send.id, sentAnswer("m1"))).toBe("settled");
    const refusedSend = sampleSend();
    await records.start(conversation, refusedSend, NOW);
    expect(await records.settleSend(conversation, refusedSend.id, { state: "failed" })).toBe("settled");
  });
});

it("a claim by an echo belongs to one message: another message is refused, the same one claims it again", async () => {
  const { conversation, record } = await startSend();
  expect(await records.matchEcho(conversation, record, echo("m1"))).toBe(true);
  expect(await records.matchEcho(conversation, record, echo("m2"))).toBe(false);
  expect(await records.matchEcho(conversation, record, echo("m1"))).toBe(true);
  expect(await records.matchEcho(conversation, await read(conversation, record.id), echo("m1"))).toBe(true);
  expect(await read(conversation, record.id)).toMatchObject({
    state: "sent",
    messageId: "m1",
    messageIdSource: "echo",
  });
});

it("a claim by an echo leaves a message id from the response unchanged", async () => {
  const { conversation, record } = await startSend();
  await records.settleSend(conversation, record.id, sentAnswer("m1"));
  expect(await records.matchEcho(conversation, record, echo("m1"))).toBe(true);
  expect(await records.matchEcho(conversation, record, echo("m2"))).toBe(false);
  expect(await read(conversation, record.id)).toMatchObject({ messageId: "m1", messageIdSource: "answer" });
});

it("a claim by an echo is refused when the platform refused the send since, and when the record is gone", async () => {
  const { conversation, record } = await startSend();
  await records.settleSend(conversation, record.id, { state: "failed" });
  expect(await records.matchEcho(conversation, record, echo("m1"))).toBe(false);
  expect(await records.matchEcho(sampleConversationId(newTenant()), record, echo("m1"))).toBe(false);
  // The send failed when it was read, but the echo names it in its metadata.
  expect(await records.matchEcho(conversation, await read(conversation, record.id), echo("m1"))).toBe(true);
});

it("a claim by an echo takes over from an echo of another send, but not from a response", async () => {
  const { conversation, record } = await startSend();
  await records.matchEcho(conversation, record, echo("m1"));
  const claimed = await read(conversation, record.id);
  expect(await records.matchEcho(conversation, claimed, echo("m2"))).toBe(true);
  expect(await records.matchEcho(conversation, claimed, echo("m3"))).toBe(false);
  await records.settleSend(conversation, record.id, sentAnswer("m4"));
  expect(await records.matchEcho(conversation, await read(conversation, record.id), echo("m5"))).toBe(false);
});

it("a claim by an echo survives a lost response of the table", async () => {
  await withEachAnswerLost(2, async () => {
    const conversation = sampleConversationId(newTenant());
    const send = sampleSend();
    await records.start(conversation, send, NOW);
    const record = { ...send, startedAt: NOW, state: "sending", messageId: null, messageIdSource: null } as const;
    expect(await records.matchEcho(conversation, record, echo("m1"))).toBe(true);
  });
});

it("a claim by an echo succeeds for one of several concurrent echoes; the response overrides it", async () => {
  const claims = fc.uniqueArray(fc.constantFrom("m1", "m2", "m3"), { minLength: 2 });
  const answers = fc.constantFrom<PlatformResult | null>(null, { state: "unknown" }, sentAnswer("m9"));
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), claims, answers, async (scheduler, ids, answer) => {
      const { conversation, record } = await startSend();
      const end = injectFaults(table.client, () => scheduler.schedule(Promise.resolve<Fault>("pass")));
      const all = Promise.all([
        ...ids.map((id) => records.matchEcho(conversation, record, echo(id))),
        ...(answer ? [records.settleSend(conversation, record.id, answer).then(() => null)] : []),
      ]);
      const won = await scheduler.waitFor(all).finally(end);
      const winners = ids.filter((_, i) => won[i]);
      expect(winners.length).toBeLessThanOrEqual(1);
      const after = await read(conversation, record.id);
      expect(after.state).toBe("sent");
      expect(after.messageId).toBe(answer?.state === "sent" ? "m9" : winners[0]);
    }),
    { numRuns: 60 },
  );
});
