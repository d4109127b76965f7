import { readConversationId } from "../../domain/inbox/conversations.ts";
import type { SendRecord } from "../../domain/sending/sends.ts";
import { eachOf } from "../../kernel/parallel.ts";
import { DAY, MINUTE, type Millis } from "../../kernel/time.ts";
import type { DueSend } from "../../stores/sending/due-sends.ts";
import type { SettlePorts } from "../ports.ts";
import { takeConsequences } from "./apply-send-failure.ts";
import { keepSent } from "./complete.ts";
import { tellFailure } from "./publish-send-failed.ts";
import type { Attempt } from "./send-attempt.ts";

/** Looked at once more each time: a sender's clock may be a little late. */
const LOOKED_BACK: Millis = 5 * MINUTE;
/** How far the very first sweep looks back. */
const FIRST_LOOKED_BACK: Millis = DAY;
/** Sends that are settled at once. */
const WIDTH = 8;

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
  const mark = await ports.dueSends.sweptUpTo();
  const from = mark === null ? now - FIRST_LOOKED_BACK : mark.at - LOOKED_BACK;
  let settled = 0;
  const failures: unknown[] = [];
  for await (const { items, upTo, last } of ports.dueSends.between(from, now)) {
    if (!inTime()) break;
    if (items.length === 0 && !last) continue;
    // One that cannot be settled keeps none of the others waiting, and the mark before it.
    await eachOf(items, WIDTH, (due) => settle(ports, due, now).catch((error: unknown) => void failures.push(error)));
    settled += items.length;
    if (failures.length === 0) await ports.dueSends.markSwept(upTo);
  }
  if (settled > 0) ports.log({ event: "sends_settled", sends: settled });
  if (failures.length > 0) throw failures[0];
  return settled;
}

async function settle(ports: SettlePorts, due: DueSend, now: Millis): Promise<void> {
  const [attempt, record] = await Promise.all([
    attemptOf(ports, due, now),
    ports.sendRecords.get(due.conversationId, due.sendId),
  ]);
  // Without a record it was never begun, or its conversation was erased.
  if (attempt && record) await settleAs(ports, { ...attempt, send: record }, record);
  await ports.dueSends.done(due);
}

async function settleAs(ports: SettlePorts, attempt: Attempt, record: SendRecord): Promise<void> {
  const { state, messageId, namedBy, failure } = record;
  switch (state) {
    case "sent":
      // One that an echo settled is announced with the echo.
      if (namedBy === "answer" && messageId !== null) await keepSent(ports, attempt, messageId);
      return;
    case "failed":
      if (failure) {
        await takeConsequences(ports, attempt, failure);
        await tellFailure(ports, attempt, failure.detail, { repeated: true });
      }
      return;
    case "sending":
    case "unknown":
      // An echo may have come since it was read: then nothing failed.
      if (await ports.sendRecords.giveUp(attempt.head.id, record.id)) {
        await tellFailure(ports, attempt, "outcome_unknown", { repeated: true });
      }
  }
}

/** Null when the conversation is gone. */
async function attemptOf(
  ports: SettlePorts,
  { conversationId, content, begunAt }: DueSend,
  now: Millis,
): Promise<Omit<Attempt, "send"> | null> {
  const tenant = readConversationId(conversationId)?.tenant;
  const head = tenant && (await ports.conversations.get(tenant, conversationId, now));
  return head ? { tenant, head, content, begunAt, shards: await ports.shardsOf(tenant, now) } : null;
}
