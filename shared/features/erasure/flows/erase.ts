import { newUlid } from "#base/kernel/ids.ts";
import { type Refusal, refuse } from "#base/kernel/refusals.ts";
import type { RequestTime } from "#base/kernel/request-time.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import { done, drop, type RecordOutcome } from "#base/queues/record-outcome.ts";
import { type Author, actingMember, authorName } from "#features/access/rules/callers.ts";
import { malformedConversationId, parseConversationId } from "#features/inbox/rules/messages.ts";
import type { JournalEntry } from "#features/recovery/journal.ts";
import { newJournalEntry } from "#features/recovery/journal.ts";
import type { ErasePorts, EraseRequestPorts } from "../ports.ts";
import { type ErasureMessage, encodeErasure } from "../queue.ts";
import {
  addRemovalCounts,
  BACKGROUND_DELAY,
  deriveErasureId,
  noRemovals,
  PASS_INTERVAL,
  type RemovalCounts,
} from "../rules/erasures.ts";
import type { HeadSnapshot } from "../store/erasures.ts";
import type { Erasure } from "../store/items.ts";
import { hasTraceUpTo, newestTraceAt, runFirstPass, runLaterPass } from "./passes.ts";

/**
 * Continues an erasure until time runs out, and queues a new message for the rest. Returning the same message to the
 * queue would count as a failed receive. Until the erasure is over, a message is always queued: an erasure that has not
 * started when its message comes never starts.
 */
export async function eraseInBackground(
  ports: ErasePorts,
  message: ErasureMessage,
  time: { readonly now: () => Millis; readonly hasTime: () => boolean },
): Promise<RecordOutcome> {
  const now = time.now();
  const erasure = await startedErasure(ports, message, now);
  if (!erasure) return drop("stale");
  const resumeAt = await continueErasure(ports, { erasure, now }, time.hasTime);
  if (resumeAt === null) return done;
  const delay = Math.max(0, resumeAt - now);
  const { op: _op, ...rest } = message;
  await ports.erasureWork.send({ body: encodeErasure(rest), group: message.tenant, delay });
  return done;
}

/**
 * The erasure to continue. The start that the message was sent before must not be committed from now on: no other message
 * would continue it.
 */
async function startedErasure(
  { erasures }: ErasePorts,
  { tenant, erasureId, op }: ErasureMessage,
  now: Millis,
): Promise<Erasure | null> {
  const erasure = await erasures.get(tenant, erasureId);
  if (op === undefined || erasure?.op === op) return erasure;
  return (await erasures.refuseStart(erasureId, op, now)) ? erasure : erasures.get(tenant, erasureId);
}

/** @returns when to continue; null when the erasure is over */
async function continueErasure(
  ports: ErasePorts,
  due: { readonly erasure: Erasure; readonly now: Millis },
  hasTime: () => boolean,
): Promise<Millis | null> {
  const { erasure, now } = due;
  if (erasure.phase === "first") return (await runFirstPass(ports, due, hasTime)).nextPassAt ?? now;
  const dueAt = erasure.nextPassAt ?? now;
  return dueAt > now ? dueAt : runLaterPass(ports, due, hasTime);
}

/** A conversation to erase, and who erases it. */
interface ErasureRequest {
  readonly author: Author;
  readonly tenant: TenantId;
  readonly conversationId: string;
  readonly now: Millis;
  readonly time: Pick<RequestTime, "now">;
  /** Erases what was sent up to this instant, and leaves what is newer. Default: everything */
  readonly upTo?: Millis | undefined;
}

export interface ErasureResult {
  /** False while the erasure continues in the background. */
  readonly done: boolean;
  readonly removed: RemovalCounts;
}

/** A start fails when the conversation changed since it was read, which frequent messages can cause repeatedly. */
const ATTEMPTS_MAX = 20;

/**
 * Erases a conversation and everything stored elsewhere because of it. What does not finish in time continues in the
 * background. Safe to repeat: while the marker exists, a repeated call continues the erasure, erases what came since, or
 * renews the marker if nothing is left: what failed to be stored before the call must not be stored after it.
 * @param hasTime whether another page may start
 */
export async function eraseConversation(
  ports: EraseRequestPorts,
  request: ErasureRequest,
  hasTime: () => boolean,
): Promise<
  ErasureResult | Refusal<"live_key_required" | "conversation_not_found" | "conversation_id_cut" | "role_forbidden">
> {
  if ("caller" in request.author && request.author.caller.scope === "test") return refuse("live_key_required");
  if (!parseConversationId(request.tenant, request.conversationId))
    return malformedConversationId(request.conversationId);
  for (let removed = noRemovals; ; ) {
    const start = await startErasure(ports, request);
    if (start === "nothing_left") return { done: true, removed };
    if (start === null) return refuse("conversation_not_found");
    if (start === "actor_changed") return refuse("role_forbidden");
    const pass = await runFirstPass(ports, { erasure: start.erasure, now: request.now }, hasTime);
    removed = addRemovalCounts(removed, pass.removed);
    if (pass.phase === "first") return { done: false, removed };
    // An erasure that an earlier request started does not cover what came between the two.
    if (start.isOwn || !hasTime()) return { done: start.isOwn, removed };
  }
}

/**
 * Starts an erasure, or finds the one in progress.
 * @returns `isOwn`: whether this request started it; `nothing_left` when only the marker was renewed; null when there
 *   never was anything; `actor_changed` when the person is no longer an admin
 */
async function startErasure(
  ports: EraseRequestPorts,
  request: ErasureRequest,
): Promise<{ readonly erasure: Erasure; readonly isOwn: boolean } | "nothing_left" | "actor_changed" | null> {
  const { author, tenant, conversationId, now, time, upTo } = request;
  const erasureId = deriveErasureId(conversationId);
  const ops = new Set<string>();
  let op = "";
  let entry: JournalEntry | null = null;
  let recordedUpTo = Number.NEGATIVE_INFINITY;
  let scheduledAt = Number.NEGATIVE_INFINITY;
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    const { head, erasure, erasedAt: lastErasedAt } = await ports.erasures.getWithHead(conversationId, now);
    if (erasure !== null && ops.has(erasure.op)) return { erasure, isOwn: true };
    if (erasure?.phase === "first") {
      // The message of the earlier request may be lost.
      await scheduleBackgroundErasure(ports, { tenant, erasureId });
      return { erasure, isOwn: false };
    }
    const isCovered = upTo !== undefined && lastErasedAt !== null && lastErasedAt >= upTo;
    if (isCovered || (upTo !== undefined && !(await hasTraceUpTo(ports, conversationId, upTo)))) return "nothing_left";
    const newestAt = head.lastAt ?? (await newestWithoutHead(ports, { conversationId, head, erasure }));
    if (newestAt === null && lastErasedAt === null) return null;
    // Never an earlier instant than the last one, which may be of another process or of the platform's clock.
    if (newestAt === null && lastErasedAt !== null && lastErasedAt >= now) return "nothing_left";
    // The platform's clock may be ahead of ours. Messages stamped later than `now` are erased too.
    const erasedAt = upTo ?? Math.max(now, newestAt ?? now);
    // A later attempt may erase what is newer. Its entry then replaces that of the attempt before.
    if (erasedAt > recordedUpTo) {
      const act = { kind: "conversation.erase", conversationId, upTo: erasedAt } as const;
      entry = { ...(entry ?? newJournalEntry(act, now)), act };
      await ports.journal.record(entry);
      recordedUpTo = erasedAt;
    }
    // Before anything else in the table: workers read erasure markers only of tenants with a recorded erasure.
    await ports.tenantStates.recordErasure(tenant, erasedAt);
    // The background refuses a start that comes after its message. So a process that was frozen sends another one.
    if (time.now() - scheduledAt >= BACKGROUND_DELAY / 2) {
      scheduledAt = time.now();
      op = newUlid(scheduledAt);
      ops.add(op);
      await scheduleBackgroundErasure(ports, { tenant, erasureId, op });
    }
    const member = actingMember(author, "admin");
    const start = { erasedAt, op, actor: authorName(author), ip: author.ip ?? null, member };
    const nextPassAt = time.now() + PASS_INTERVAL;
    const result =
      newestAt === null
        ? await ports.erasures.renew(tenant, conversationId, head, { ...start, nextPassAt })
        : await ports.erasures.start(tenant, conversationId, head, start);
    // The background refuses a start that was not made.
    if (result === "actor_changed") {
      if (entry) await ports.journal.withdraw(entry);
      return result;
    }
    if (newestAt === null && result === "started") return "nothing_left";
  }
  throw new Error("The erasure could not start: the conversation changed during every attempt.");
}

/**
 * The time of the newest row of a conversation whose head shows no message: the row of a change whose message never arrived,
 * or of a message that outlived the head. A head that has more than the time of an erasure counts, too.
 * @returns null when the erasure in progress covers every row, or nothing is stored
 */
async function newestWithoutHead(
  ports: ErasePorts,
  {
    conversationId,
    head,
    erasure,
  }: { readonly conversationId: string; readonly head: HeadSnapshot; readonly erasure: Erasure | null },
): Promise<Millis | null> {
  if (erasure !== null) return newestTraceAt(ports, conversationId, erasure.erasedAt);
  const newestAt = await newestTraceAt(ports, conversationId, Number.NEGATIVE_INFINITY);
  return newestAt ?? (head.hasContent ? OLDER_THAN_ANY_ERASURE : null);
}

/** The time of a head without a message. */
const OLDER_THAN_ANY_ERASURE: Millis = 0;

/** Sent before the erasure starts, so that the background continues it if this process dies. */
function scheduleBackgroundErasure(ports: ErasePorts, message: ErasureMessage): Promise<void> {
  return ports.erasureWork.send({ body: encodeErasure(message), group: message.tenant, delay: BACKGROUND_DELAY });
}
