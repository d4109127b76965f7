import { readConversationId } from "../../domain/inbox/conversations.ts";
import type { SendRecord } from "../../domain/sending/sends.ts";
import { forEachConcurrent } from "../../kernel/parallel.ts";
import { DAY, MINUTE, type Millis } from "../../kernel/time.ts";
import type { DueSend } from "../../stores/sending/due-sends.ts";
import { applySendFailure } from "./apply-send-failure.ts";
import { completeSend } from "./complete.ts";
import type { SettlePorts } from "./ports.ts";
import { publishSendFailed } from "./publish-send-failed.ts";
import type { SendAttempt } from "./send-attempt.ts";

/** Looked at once more each time: a sender's clock may be a little late. */
const LOOKBACK: Millis = 5 * MINUTE;
/** How far the very first sweep looks back. */
const FIRST_LOOKBACK: Millis = DAY;
/** Sends that are settled at once. */
const CONCURRENCY = 8;

/**
 * Settles the sends whose minute is over, earliest first: whatever line their process died at, they end as if it had
 * not, and one that nobody knows anything about is told as failed. Safe to repeat, and to kill: what is settled is not
 * due any more, and the mark moves page by page. Throws when some could not be settled; they are looked at again.
 * @param inTime whether another page may be begun
 * @returns how many there were
 */
export async function settleDueSends(
  ports: SettlePorts,
  now: Millis,
  inTime: () => boolean = () => true,
): Promise<number> {
  const checkpoint = await ports.dueSends.checkpoint();
  const from = checkpoint === null ? now - FIRST_LOOKBACK : checkpoint.at - LOOKBACK;
  let settledCount = 0;
  const failures: unknown[] = [];
  for await (const { items, cursor, last } of ports.dueSends.between(from, now)) {
    if (!inTime()) break;
    if (items.length === 0 && !last) continue;
    // One that cannot be settled keeps none of the others waiting, and the mark before it.
    await forEachConcurrent(items, CONCURRENCY, (due) =>
      settleDueSend(ports, due, now).catch((error: unknown) => void failures.push(error)),
    );
    settledCount += items.length;
    if (failures.length === 0) await ports.dueSends.saveCheckpoint(cursor);
  }
  if (settledCount > 0) ports.log({ event: "sends_settled", sends: settledCount });
  if (failures.length > 0) throw failures[0];
  return settledCount;
}

async function settleDueSend(ports: SettlePorts, due: DueSend, now: Millis): Promise<void> {
  const [attempt, record] = await Promise.all([
    loadAttempt(ports, due, now),
    ports.sendRecords.get(due.conversationId, due.sendId),
  ]);
  // Without a record it was never begun, or its conversation was erased.
  if (attempt && record) await settleByRecord(ports, { ...attempt, send: record }, record);
  await ports.dueSends.remove(due);
}

async function settleByRecord(ports: SettlePorts, attempt: SendAttempt, record: SendRecord): Promise<void> {
  const { state, messageId, messageIdSource: namedBy, failure } = record;
  switch (state) {
    case "sent":
      // One that an echo settled is announced with the echo.
      if (namedBy === "answer" && messageId !== null) await completeSend(ports, attempt, messageId);
      return;
    case "failed":
      if (failure) {
        await applySendFailure(ports, attempt, failure);
        await publishSendFailed(ports, attempt, failure.detail, { repeated: true });
      }
      return;
    case "sending":
    case "unknown":
      // An echo may have come since it was read: then nothing failed.
      if (await ports.sendRecords.giveUp(attempt.head.id, record.id)) {
        await publishSendFailed(ports, attempt, "outcome_unknown", { repeated: true });
      }
  }
}

/** Null when the conversation is gone. */
async function loadAttempt(
  ports: SettlePorts,
  { conversationId, content, startedAt }: DueSend,
  now: Millis,
): Promise<Omit<SendAttempt, "send"> | null> {
  const tenant = readConversationId(conversationId)?.tenant;
  const head = tenant && (await ports.conversations.get(tenant, conversationId, now));
  return head ? { tenant, head, content, startedAt, shards: await ports.feedShards(tenant, now) } : null;
}
