import { actorOf, type Caller } from "../../domain/access/api-keys.ts";
import { BACKGROUND_AFTER, erasureIdOf, nothingRemoved, type Removed } from "../../domain/erasure/erasures.ts";
import { parseConversationId } from "../../domain/inbox/conversations.ts";
import { newUlid } from "../../kernel/ids.ts";
import { type Refusal, refuse } from "../../kernel/refusals.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import type { Millis } from "../../kernel/time.ts";
import { writeErasure } from "../../queues/messages.ts";
import type { Erasure } from "../../stores/erasure/erasure-items.ts";
import type { ErasePorts } from "../ports.ts";
import { erasePages } from "./first-pass.ts";
import { newestLeft } from "./related-rows.ts";

export interface ErasureAnswer {
  /** False while the background goes on. */
  readonly done: boolean;
  readonly removed: Removed;
}

/** A conversation that someone writes in all the time changes under every attempt to erase it as it was read. */
const TRIES = 20;

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
): Promise<ErasureAnswer | Refusal<"forbidden" | "conversation_not_found">> {
  if (request.caller.scope === "test") return refuse("forbidden");
  if (!parseConversationId(tenant, request.conversationId)) return refuse("conversation_not_found");
  const erasure = await begin(ports, tenant, request, now);
  if (erasure === "over") return { done: true, removed: nothingRemoved };
  if (erasure === null) return refuse("conversation_not_found");
  const { phase, removed } = await erasePages(ports, erasure, inTime, now);
  return { done: phase !== "first", removed };
}

/** The erasure to work on, begun here or under way before; `over` when there is nothing left, null when there never was. */
async function begin(
  ports: ErasePorts,
  tenant: TenantId,
  { conversationId, caller, ip }: { conversationId: string; caller: Caller; ip: string | null },
  now: Millis,
): Promise<Erasure | "over" | null> {
  const op = newUlid(now);
  for (let tries = 1; tries <= TRIES; tries++) {
    const { head, erasure } = await ports.erasures.standing(conversationId, now);
    const own = erasure !== "over" && erasure?.op === op;
    if (erasure !== "over" && erasure !== null && (erasure.phase === "first" || own)) {
      // Whoever was to go on with it may have given up.
      if (!own) await resumeLater(ports, tenant, erasure.id);
      return erasure;
    }
    const newest = head.lastAt ?? (await newestWithoutHead(ports, conversationId, erasure, now));
    if (newest === null) return erasure === null ? null : "over";
    // The platform's clock may be ahead of ours: whatever the conversation holds is erased.
    const erasedAt = Math.max(now, newest);
    // First of all: a worker that does not know of an erasure looks for no marker.
    await ports.tenantStates.noteErasure(tenant, erasedAt);
    if (tries === 1) await resumeLater(ports, tenant, erasureIdOf(conversationId));
    await ports.erasures.begin(tenant, conversationId, head, { erasedAt, op, actor: actorOf(caller), ip });
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
  const behind = erasure === null || erasure === "over" ? Number.NEGATIVE_INFINITY : erasure.erasedAt;
  return newestLeft(ports, conversationId, behind, now);
}

/** Sent before the work is begun: should this process die, the background finds what it left. */
function resumeLater(ports: ErasePorts, tenant: TenantId, erasureId: string): Promise<void> {
  return ports.erasureWork.send({
    body: writeErasure({ tenant, erasureId }),
    group: tenant,
    delay: BACKGROUND_AFTER,
  });
}
