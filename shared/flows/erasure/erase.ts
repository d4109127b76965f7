import { type Caller, callerActor } from "../../domain/access/api-keys.ts";
import { BACKGROUND_DELAY, deriveErasureId, noRemovals, type RemovalCounts } from "../../domain/erasure/erasures.ts";
import { parseConversationId } from "../../domain/inbox/conversations.ts";
import { newUlid } from "../../kernel/ids.ts";
import { type Refusal, refuse } from "../../kernel/refusals.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import type { Millis } from "../../kernel/time.ts";
import { encodeErasure } from "../../queues/erasures.ts";
import type { Erasure } from "../../stores/erasure/erasure-items.ts";
import { runFirstPass } from "./first-pass.ts";
import type { ErasePorts } from "./ports.ts";
import { newestTraceAt } from "./related-rows.ts";

export interface ErasureResult {
  /** False while the background goes on. */
  readonly done: boolean;
  readonly removed: RemovalCounts;
}

/** A conversation that someone writes in all the time changes under every attempt to erase it as it was read. */
const ATTEMPTS_MAX = 20;

/**
 * Erases one person's conversation, and what there is of it elsewhere. What does not end in time ends in the background.
 * Repeated while the marker lives, it has nothing left to do, or goes on with what is left.
 */
export async function eraseConversation(
  ports: ErasePorts,
  tenant: TenantId,
  request: { conversationId: string; caller: Caller; ip: string | null },
  inTime: () => boolean,
  now: Millis,
): Promise<ErasureResult | Refusal<"forbidden" | "conversation_not_found">> {
  if (request.caller.scope === "test") return refuse("forbidden");
  if (!parseConversationId(tenant, request.conversationId)) return refuse("conversation_not_found");
  const erasure = await startErasure(ports, tenant, request, now);
  if (erasure === "over") return { done: true, removed: noRemovals };
  if (erasure === null) return refuse("conversation_not_found");
  const { phase, removed } = await runFirstPass(ports, erasure, inTime, now);
  return { done: phase !== "first", removed };
}

/** The erasure to work on, begun here or under way before; `over` when there is nothing left, null when there never was. */
async function startErasure(
  ports: ErasePorts,
  tenant: TenantId,
  { conversationId, caller, ip }: { conversationId: string; caller: Caller; ip: string | null },
  now: Millis,
): Promise<Erasure | "over" | null> {
  const op = newUlid(now);
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    const { head, erasure } = await ports.erasures.getWithHead(conversationId, now);
    const startedHere = erasure !== "over" && erasure?.op === op;
    if (erasure !== "over" && erasure !== null && (erasure.phase === "first" || startedHere)) {
      // Whoever was to go on with it may have given up.
      if (!startedHere) await scheduleBackgroundErasure(ports, tenant, erasure.id);
      return erasure;
    }
    const newestAt = head.lastAt ?? (await newestWithoutHead(ports, conversationId, erasure, now));
    if (newestAt === null) return erasure === null ? null : "over";
    // The platform's clock may be ahead of ours: whatever the conversation holds is erased.
    const erasedAt = Math.max(now, newestAt);
    // First of all: a worker that does not know of an erasure looks for no marker.
    await ports.tenantStates.recordErasure(tenant, erasedAt);
    if (attempt === 1) await scheduleBackgroundErasure(ports, tenant, deriveErasureId(conversationId));
    await ports.erasures.start(tenant, conversationId, head, { erasedAt, op, actor: callerActor(caller), ip });
  }
  throw new Error("The conversation changed under every attempt to erase it.");
}

/**
 * The newest instant of what lies there without a conversation, such as a change of a message that never came; null
 * when there is nothing but what an erasure under way sees to.
 */
async function newestWithoutHead(
  ports: ErasePorts,
  conversationId: string,
  erasure: Erasure | "over" | null,
  now: Millis,
): Promise<Millis | null> {
  const after = erasure === null || erasure === "over" ? Number.NEGATIVE_INFINITY : erasure.erasedAt;
  return newestTraceAt(ports, conversationId, after, now);
}

/** Sent before the work is begun: should this process die, the background finds what it left. */
function scheduleBackgroundErasure(ports: ErasePorts, tenant: TenantId, erasureId: string): Promise<void> {
  return ports.erasureWork.send({
    body: encodeErasure({ tenant, erasureId }),
    group: tenant,
    delay: BACKGROUND_DELAY,
  });
}
