import { parseTenant, type TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import { type Key, t13 } from "#base/table/keys.ts";
import { BEFORE_ALL_ROWS, deriveErasureId, noRemovals, type RemovalCounts } from "../rules/erasures.ts";
import { erasureAttributes as A } from "./attributes.ts";

/** The erasure of a conversation. @param erasureId the hash of the conversation's id */
export function erasureKey(erasureId: string): Key {
  return { PK: `ER#${erasureId}`, SK: "R" };
}

/** Removed events of a conversation that was erased at that instant. @param tail a ULID or the mark of one message */
export function erasedEventsKey(erasureId: string, erasedAt: Millis, tail: string): Key {
  return { PK: `ER#${erasureId}`, SK: `P#${t13(erasedAt)}#${tail}` };
}

/** Items outside a conversation's partition that belong to it, by id. */
export const relatedKeys = {
  hold: (id: string): Key => ({ PK: `H#${id}`, SK: "H" }),
  upload: (id: string): Key => ({ PK: `U#${id}`, SK: "U" }),
} as const;

/** From a conversation to such an item, so that an erasure finds it. */
export function relatedRefKey(conversationId: string, kind: keyof typeof relatedKeys, id: string): Key {
  return { PK: conversationId, SK: `A#${kind}#${id}` };
}

/** An erasure in progress. */
export interface Erasure {
  /** The hash of the conversation's id, in hex. */
  readonly id: string;
  readonly tenant: TenantId;
  readonly conversationId: string;
  /** What is from this instant or earlier is removed; what is newer belongs to a new conversation. */
  readonly erasedAt: Millis;
  /** Unique for each erasure, also of the same conversation. */
  readonly op: string;
  /** The first pass counts and removes pages. Later passes remove what was written during the first. */
  readonly phase: "first" | "later";
  /** The page counted last is after `from` up to and including `upTo`. It may not have been removed. */
  readonly from: string;
  readonly upTo: string;
  readonly removed: RemovalCounts;
  readonly actor: string;
  readonly ip: string | null;
  /** When the next pass is due; null in the first. */
  readonly nextPassAt: Millis | null;
}

/**
 * An erasure as stored. When it has ended, only the key, the instant and the time to live are left: the marker. An item
 * without an instant only refuses a start.
 */
export interface ErasureItem extends Key {
  readonly [A.erasedAt]?: Millis;
  /** A start with this op, or one that was made earlier, is refused. */
  readonly [A.refusedOp]?: string;
  readonly [A.tenant]?: string;
  readonly [A.conversationId]?: string;
  readonly [A.op]?: string;
  readonly [A.phase]?: "first" | "later";
  readonly [A.countedFrom]?: string;
  readonly [A.countedUpTo]?: string;
  readonly [A.removed]?: RemovalCounts;
  readonly [A.actor]?: string;
  readonly [A.ip]?: string;
  readonly [A.nextPassAt]?: Millis;
}

/** The attributes that only an erasure in progress has. */
export const progressAttributes = [
  A.tenant,
  A.conversationId,
  A.op,
  A.phase,
  A.countedFrom,
  A.countedUpTo,
  A.removed,
  A.nextPassAt,
  A.actor,
  A.ip,
] as const;

export function erasureItem(
  erasure: Pick<
    Erasure,
    "tenant" | "conversationId" | "erasedAt" | "op" | "actor" | "ip" | "removed" | "phase" | "nextPassAt"
  >,
  expirySeconds: number,
) {
  return {
    ...erasureKey(deriveErasureId(erasure.conversationId)),
    [A.erasedAt]: erasure.erasedAt,
    [A.tenant]: erasure.tenant,
    [A.conversationId]: erasure.conversationId,
    [A.op]: erasure.op,
    [A.phase]: erasure.phase,
    [A.nextPassAt]: erasure.nextPassAt ?? undefined,
    [A.countedFrom]: BEFORE_ALL_ROWS,
    [A.countedUpTo]: BEFORE_ALL_ROWS,
    [A.removed]: erasure.removed,
    [A.actor]: erasure.actor,
    [A.ip]: erasure.ip ?? undefined,
    [A.ttl]: expirySeconds,
  };
}

/** @returns null for an erasure that has ended */
export function toErasure(item: ErasureItem): Erasure | null {
  const tenant = parseTenant(item[A.tenant] ?? "");
  const { [A.conversationId]: conversationId, [A.op]: op, [A.phase]: phase, [A.erasedAt]: erasedAt } = item;
  if (!tenant || !conversationId || !op || !phase || erasedAt === undefined) return null;
  return {
    id: item.PK.slice("ER#".length),
    tenant,
    conversationId,
    erasedAt,
    op,
    phase,
    from: item[A.countedFrom] ?? BEFORE_ALL_ROWS,
    upTo: item[A.countedUpTo] ?? BEFORE_ALL_ROWS,
    removed: item[A.removed] ?? noRemovals,
    actor: item[A.actor] ?? "system",
    ip: item[A.ip] ?? null,
    nextPassAt: item[A.nextPassAt] ?? null,
  };
}
