import { allDone, forEachConcurrent } from "#base/kernel/parallel.ts";
import { DAY, MINUTE, type Millis } from "#base/kernel/time.ts";
import { runWithTrace } from "#base/kernel/trace.ts";
import { readConversationId } from "#features/inbox/rules/messages.ts";
import type { SettlePorts } from "../ports.ts";
import type { SendRecord } from "../rules/sends.ts";
import type { DueSend } from "../store/send-records.ts";
import { applySendFailure, completeSend, endSendRestriction, publishSendFailed, type SendAttempt } from "./settle.ts";

/** Each sweep reads this much before the checkpoint again, because the clock of a sending process may be late. */
const LOOKBACK: Millis = 5 * MINUTE;
/** How far the first sweep looks back. */
const FIRST_LOOKBACK: Millis = DAY;
/** Sends settled in parallel. */
const CONCURRENCY = 8;

/**
 * Settles the sends whose deadline has passed, earliest first. A send ends the same way at whichever line its process
 * died. A send with an unknown outcome is published as failed. Safe to repeat and to interrupt: a settled send is no
 * longer due, and the checkpoint advances page by page. Throws when a send could not be settled; the next sweep retries.
 * @param hasTime whether there is time for another page
 * @returns the number of sends read
 */
export async function settleDueSends(
  ports: SettlePorts,
  now: Millis,
  hasTime: () => boolean = () => true,
): Promise<number> {
  const checkpoint = await ports.dueSends.checkpoint();
  const from = checkpoint === null ? now - FIRST_LOOKBACK : checkpoint.at - LOOKBACK;
  let settledCount = 0;
  const failures: unknown[] = [];
  for await (const { items, cursor, last } of ports.dueSends.between(from, now)) {
    if (!hasTime()) break;
    if (items.length === 0 && !last) continue;
    // A send that fails blocks no other send, but the checkpoint stays before it.
    await forEachConcurrent(items, CONCURRENCY, (due) =>
      runWithTrace(due.traceId ?? null, () => settleDueSend(ports, due, now)).catch(
        (error: unknown) => void failures.push(error),
      ),
    );
    settledCount += items.length;
    if (failures.length === 0) await ports.dueSends.saveCheckpoint(cursor);
  }
  if (settledCount > 0) ports.log({ event: "sends.settled", sends: settledCount });
  if (failures.length > 0) throw failures[0];
  return settledCount;
}

async function settleDueSend(ports: SettlePorts, due: DueSend, now: Millis): Promise<void> {
  const [attempt, record] = await allDone([
    loadAttempt(ports, due, now),
    ports.sendRecords.get(due.conversationId, due.sendId),
  ]);
  // Without a record the send was never started, or its conversation was erased.
  if (attempt && record) await settleByRecord(ports, { ...attempt, send: record }, record);
  await ports.dueSends.remove(due);
}

async function settleByRecord(ports: SettlePorts, attempt: SendAttempt, record: SendRecord): Promise<void> {
  const { state, messageId, messageIdSource, failure } = record;
  switch (state) {
    case "sent":
      // A send that an echo settled is published with the echo.
      if (messageIdSource !== "answer" || messageId === null) return;
      await completeSend(ports, attempt, messageId);
      return endSendRestriction(ports, attempt);
    case "failed":
      if (failure) {
        await applySendFailure(ports, attempt, failure);
        await publishSendFailed(ports, attempt, failure.detail, { repeated: true });
      }
      return;
    case "sending":
    case "unknown":
      // An echo may have settled the send since the record was read.
      if (await ports.sendRecords.abandon(attempt.head.id, record.id)) {
        await publishSendFailed(ports, attempt, "outcome_unknown", { repeated: true });
      }
  }
}

/** Null when the conversation was erased. */
async function loadAttempt(
  ports: SettlePorts,
  { conversationId, content, startedAt }: DueSend,
  now: Millis,
): Promise<Omit<SendAttempt, "send"> | null> {
  const tenant = readConversationId(conversationId)?.tenant;
  // As it was when the send started: the conversation may have expired since.
  const head = tenant && (await ports.conversations.get(tenant, conversationId, startedAt));
  return head ? { tenant, head, content, startedAt, shards: await ports.feedShards(tenant, now) } : null;
}
