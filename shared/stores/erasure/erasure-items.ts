import { BEFORE_ALL_ROWS, deriveErasureId, noRemovals, type RemovalCounts } from "../../domain/erasure/erasures.ts";
import { parseTenant, type TenantId } from "../../kernel/tenant.ts";
import type { Millis } from "../../kernel/time.ts";
import { erasureKey, type Key } from "../keys.ts";

/** An erasure under way. */
export interface Erasure {
  /** The hash of the conversation's id, in hex. */
  readonly id: string;
  readonly tenant: TenantId;
  readonly conversationId: string;
  /** What is of this instant or older goes; what is newer belongs to a new conversation. */
  readonly erasedAt: Millis;
  /** Unique for each erasure, also of the same conversation. */
  readonly op: string;
  /** In the first pass pages are counted and removed; later ones remove what was written meanwhile. */
  readonly phase: "first" | "later";
  /** The page that was counted last lies behind `from`, up to and with `upTo`; it may not have been removed. */
  readonly from: string;
  readonly upTo: string;
  readonly removed: RemovalCounts;
  readonly actor: string;
  readonly ip: string | null;
  /** When the next pass is due; null in the first. */
  readonly nextPassAt: Millis | null;
}

/** An erasure as it lies in the table; once it is over only the key, `ea` and `x` are left. */
export interface ErasureItem extends Key {
  readonly ea: Millis;
  readonly t?: string;
  readonly c?: string;
  readonly o?: string;
  readonly ph?: "first" | "later";
  readonly fr?: string;
  readonly up?: string;
  readonly n?: RemovalCounts;
  readonly ac?: string;
  readonly ip?: string;
  readonly np?: Millis;
}

export function erasureItem(
  erasure: Pick<Erasure, "tenant" | "conversationId" | "erasedAt" | "op" | "actor" | "ip" | "removed">,
  x: number,
) {
  return {
    ...erasureKey(deriveErasureId(erasure.conversationId)),
    ea: erasure.erasedAt,
    t: erasure.tenant,
    c: erasure.conversationId,
    o: erasure.op,
    ph: "first",
    fr: BEFORE_ALL_ROWS,
    up: BEFORE_ALL_ROWS,
    n: erasure.removed,
    ac: erasure.actor,
    ip: erasure.ip ?? undefined,
    x,
  };
}

/** Null for one that is over. */
export function toErasure(item: ErasureItem): Erasure | null {
  const tenant = parseTenant(item.t ?? "");
  if (!tenant || !item.c || !item.o || !item.ph) return null;
  return {
    id: item.PK.slice("ER#".length),
    tenant,
    conversationId: item.c,
    erasedAt: item.ea,
    op: item.o,
    phase: item.ph,
    from: item.fr ?? BEFORE_ALL_ROWS,
    upTo: item.up ?? BEFORE_ALL_ROWS,
    removed: item.n ?? noRemovals,
    actor: item.ac ?? "system",
    ip: item.ip ?? null,
    nextPassAt: item.np ?? null,
  };
}
