import { deriveUlid, ulidTime } from "#base/kernel/ids.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { done, drop, type RecordOutcome } from "#base/queues/record-outcome.ts";
import { conversationErasedFrame, conversationUpdatedFrame } from "../../events.ts";
import { listTargets, type PushRun } from "./batch.ts";
import type { PushPorts } from "./ports.ts";
import { postFrames } from "./post-frames.ts";

/** A conversation to push. */
interface ConversationRef {
  readonly tenant: TenantId;
  readonly conversationId: string;
  /** The ULID of the frame. */
  readonly eventUlid: string;
  readonly erased?: boolean;
}

/**
 * Pushes a conversation as it is, or that it was erased. A person may have written again since: then the new conversation
 * follows when all sockets have the end of the old one.
 */
export async function pushConversation(
  ports: PushPorts,
  { tenant, conversationId, eventUlid, erased = false }: ConversationRef,
  run: PushRun,
): Promise<RecordOutcome> {
  const { sockets } = await listTargets(ports, tenant, run);
  if (sockets.length === 0) return done;
  if (erased) {
    const frames = [conversationErasedFrame(tenant, { ulid: eventUlid, conversationId })];
    await postFrames(ports, { tenant, sockets, frames }, run);
  }
  const now = run.now();
  const head = await ports.conversations.get(tenant, conversationId, now);
  if (!head) return erased ? done : drop("gone");
  const ulid = erased ? deriveUlid(ulidTime(eventUlid), `${eventUlid}\nconversation.updated`) : eventUlid;
  const frames = [conversationUpdatedFrame(tenant, { ulid, head, now })];
  await postFrames(ports, { tenant, sockets, frames }, run);
  return done;
}
