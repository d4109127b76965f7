import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { newUlid } from "#base/kernel/ids.ts";
import { ERASURE_MARKER_TTL } from "#base/kernel/limits.ts";
import { allDone } from "#base/kernel/parallel.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { type Millis, SECOND } from "#base/kernel/time.ts";
import type { Table } from "#base/table/client.ts";
import { conditionalTransaction, conditionalWrite } from "#base/table/conditional-write.ts";
import {
  absentOr,
  allOf,
  anyOf,
  atMost,
  below,
  type Changes,
  differs,
  type Expression,
  equals,
  isAbsent,
  isUnchanged,
  itemDoesNotExist,
  storedOr,
} from "#base/table/expressions.ts";
import { type Key, timeToLive } from "#base/table/keys.ts";
import { put, remove, update } from "#base/table/writes.ts";
import type { AuditEntry } from "#features/access/rules/audit.ts";
import type { ActingMember } from "#features/access/rules/callers.ts";
import { actorCheck, auditItem } from "#features/access/store/items.ts";
import { headAttributes as Head } from "#features/inbox/store/attributes.ts";
import { headKey } from "#features/inbox/store/items.ts";
import { addRemovalCounts, deriveErasureId, noRemovals, type RemovalCounts } from "../rules/erasures.ts";
import { erasureAttributes as A } from "./attributes.ts";
import { type Erasure, type ErasureItem, erasureItem, erasureKey, progressAttributes, toErasure } from "./items.ts";
import { erasedEvents, eventsItem } from "./traces.ts";

export type Erasures = ReturnType<typeof erasureStore>;

/** A start of an erasure. */
interface ErasureStart {
  readonly erasedAt: Millis;
  /** Unique; identifies the caller's erasure. */
  readonly op: string;
  /** As the audit log names who erases. */
  readonly actor: string;
  readonly ip: string | null;
  /** The member who erases. Null for a key. */
  readonly member: ActingMember;
}

type StartResult = "started" | "stale" | "actor_changed";

/** A conversation's head as it was read, whether or not there is one. */
export interface HeadSnapshot {
  readonly key: Key;
  /** Null when there is no conversation. That of an expired one stays until the table removes the head. */
  readonly lastAt: Millis | null;
  /** Whether it has anything but the instant of an erasure. */
  readonly hasContent: boolean;
  /** An erasure starts only if the counted ones among these are unchanged. */
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** The attributes of a head that are counted: whether there is a conversation, and whether there is a profile. */
const profileAttributes = [Head.handle, Head.username, Head.name, Head.picture] as const;
/** What is left of the head during an erasure. */
const emptyHeadAttributes: readonly string[] = ["PK", "SK", Head.erasedAt, Head.ttl];
const countedAttributes = [Head.lastAt, ...profileAttributes] as const;

/** Erasures of conversations: those in progress, and the markers that keep older messages from being stored again. */
export function erasureStore(table: Table) {
  const { client, name: TableName } = table;
  return {
    /** When a conversation was last erased, read consistently; null when it never was, or the marker expired. */
    async erasedAt(conversationId: string, now: Millis): Promise<Millis | null> {
      const { Item } = await client.send(
        new GetCommand({ TableName, Key: erasureKey(deriveErasureId(conversationId)), ConsistentRead: true }),
      );
      return Item ? markedAt(Item, now) : null;
    },

    /**
     * Head and erasure of a conversation, read consistently.
     * @returns erasure: the one in progress; erasedAt: of the last one, also an ended one whose marker exists
     */
    async getWithHead(
      conversationId: string,
      now: Millis,
    ): Promise<{ head: HeadSnapshot; erasure: Erasure | null; erasedAt: Millis | null }> {
      const keys = [headKey(conversationId), erasureKey(deriveErasureId(conversationId))];
      const [head, marker] = await allDone(
        keys.map(async (Key) => (await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }))).Item),
      );
      const activeErasure = marker ? toErasure(marker as ErasureItem) : null;
      return {
        head: toHeadSnapshot(headKey(conversationId), head ?? {}),
        erasure: activeErasure,
        erasedAt: activeErasure?.erasedAt ?? (marker ? markedAt(marker, now) : null),
      };
    },

    /**
     * Starts an erasure: from now on the conversation is in no inbox and cannot be read. Of its head only the instant of
     * the erasure is left. A conversation with a message after that instant stays in the inbox, with what is newer.
     * @returns `stale`: the head changed since it was read, the first pass of another erasure is in progress, or the
     *   background has refused this start; `actor_changed`: the acting member has lost the roles
     */
    async start(
      tenant: TenantId,
      conversationId: string,
      head: HeadSnapshot,
      { member, ...request }: ErasureStart,
    ): Promise<StartResult> {
      const profile = profileAttributes.some((name) => head.attributes[name] !== undefined) ? 1 : 0;
      const removed = goesOn(head, request.erasedAt)
        ? noRemovals
        : { ...noRemovals, conversation: head.lastAt === null ? 0 : 1, profile };
      const erasure = { tenant, conversationId, ...request, removed, phase: "first", nextPassAt: null } as const;
      return putErasure(erasure, head, { condition: noFirstPassInProgress, member });
    },

    /**
     * Renews an erasure that left nothing to count: anything from before the new instant is from before the erasure.
     * It starts in its later passes, which remove what workers write that read the earlier instant.
     * @returns `stale` as `start`, and when another erasure is newer; `actor_changed` as `start`
     */
    async renew(
      tenant: TenantId,
      conversationId: string,
      head: HeadSnapshot,
      { member, ...request }: ErasureStart & { readonly nextPassAt: Millis },
    ): Promise<StartResult> {
      const erasure = { tenant, conversationId, ...request, removed: noRemovals, phase: "later" } as const;
      const condition = allOf(noFirstPassInProgress, absentOr(atMost, A.erasedAt, request.erasedAt));
      return putErasure(erasure, head, { condition, member });
    },

    /**
     * Refuses a start that has not been committed yet, and those made before it. Its process was frozen or has died.
     * @param op of the start; its ULID has the time at which the start was made
     * @returns false when the start was committed before
     */
    async refuseStart(id: string, op: string, now: Millis): Promise<boolean> {
      const set = { [A.refusedOp]: op, [A.ttl]: storedOr(A.ttl, timeToLive(now + ERASURE_MARKER_TTL)) };
      const isOpen = allOf(absentOr(below, A.refusedOp, op), absentOr(differs, A.op, op));
      const result = await conditionalWrite(table, update(erasureKey(id), { set }, isOpen));
      return result.applied || result.current?.[A.op] !== op;
    },

    /** An erasure in progress; null when it has ended or never started. */
    async get(tenant: TenantId, id: string): Promise<Erasure | null> {
      const { Item } = await client.send(new GetCommand({ TableName, Key: erasureKey(id), ConsistentRead: true }));
      const erasure = Item ? toErasure(Item as ErasureItem) : null;
      return erasure?.tenant === tenant ? erasure : null;
    },

    /**
     * Counts a page before it is removed, and saves its events for the next pass. The row stores the page, so that
     * a run that continues removes the page again without counting it.
     * @param page.upTo the last sort key of the page
     * @returns the erasure as it is then; null when another run was faster
     */
    async countPage(
      erasure: Erasure,
      page: { upTo: string; removed: Partial<RemovalCounts>; ulids: readonly string[]; bodies: readonly string[] },
    ): Promise<Erasure | null> {
      const removed = addRemovalCounts(erasure.removed, page.removed);
      const events = eventsItem(erasure, page);
      const set = { [A.countedFrom]: erasure.upTo, [A.countedUpTo]: page.upTo, [A.removed]: removed };
      const result = await conditionalTransaction(
        table,
        [update(erasureKey(erasure.id), { set }, isAtSamePage(erasure)), ...(events ? [put(events)] : [])],
        { token: newUlid(erasure.erasedAt) },
      );
      return result.applied ? { ...erasure, from: erasure.upTo, upTo: page.upTo, removed } : null;
    },

    /** Ends the first pass and writes its audit row, in one transaction. @returns null when another run was faster */
    async endFirstPass(erasure: Erasure, audit: AuditEntry, nextPassAt: Millis): Promise<Erasure | null> {
      const changes = {
        set: { [A.phase]: "later", [A.nextPassAt]: nextPassAt },
        remove: [A.countedFrom, A.actor, A.ip],
      };
      const result = await conditionalTransaction(
        table,
        [update(erasureKey(erasure.id), changes, isAtSamePage(erasure)), put(auditItem(erasure.tenant, audit))],
        { token: newUlid(erasure.erasedAt) },
      );
      return result.applied ? { ...erasure, phase: "later", nextPassAt } : null;
    },

    /** Schedules another pass, because a later pass found events. A concurrent run that found none cannot end the erasure. */
    async defer(erasure: Erasure, nextPassAt: Millis): Promise<void> {
      await changeLaterPass(erasure, { set: { [A.nextPassAt]: nextPassAt } });
    },

    /** Ends an erasure. The marker stays: the hash and the instant. */
    async end(erasure: Erasure): Promise<void> {
      // A new conversation may have started, and may have been erased too.
      const isLeftByThisErasure = allOf(isAbsent(Head.lastAt), equals(Head.erasedAt, erasure.erasedAt));
      await conditionalWrite(table, remove(headKey(erasure.conversationId), isLeftByThisErasure));
      await changeLaterPass(erasure, { remove: progressAttributes });
    },

    ...erasedEvents(table),
  };

  /** Stores an erasure and its instant on the head, if the head is unchanged. */
  async function putErasure(
    erasure: Parameters<typeof erasureItem>[0],
    head: HeadSnapshot,
    { condition, member }: { readonly condition: Expression; readonly member: ActingMember },
  ): Promise<StartResult> {
    const expirySeconds = timeToLive(erasure.erasedAt + ERASURE_MARKER_TTL);
    // A put replaces the whole head, so that no attribute can be missed.
    const erasedHead = { ...head.key, [Head.erasedAt]: erasure.erasedAt, [Head.ttl]: expirySeconds };
    const result = await conditionalTransaction(
      table,
      [
        put(erasureItem(erasure, expirySeconds), allOf(condition, absentOr(below, A.refusedOp, erasure.op))),
        goesOn(head, erasure.erasedAt)
          ? update(head.key, { set: { [Head.erasedAt]: erasure.erasedAt } }, headIsUnchanged(head))
          : put(erasedHead, headIsUnchanged(head)),
        ...actorCheck(erasure.tenant, member),
      ],
      // DynamoDB refuses a token that comes again with other contents, and each try has other ones.
      { token: newUlid(erasure.erasedAt) },
    );
    if (result.applied) return "started";
    return result.current.slice(0, 2).every((item) => item === undefined) ? "actor_changed" : "stale";
  }

  /** Changes an erasure in its later passes, unless another run or a later erasure changed it since it was read. */
  async function changeLaterPass(erasure: Erasure, changes: Changes): Promise<void> {
    const isSamePass = allOf(equals(A.op, erasure.op), equals(A.nextPassAt, erasure.nextPassAt));
    await conditionalWrite(table, update(erasureKey(erasure.id), changes, isSamePass));
  }
}

const noFirstPassInProgress = anyOf(itemDoesNotExist, isAbsent(A.phase), differs(A.phase, "first"));

/** The first pass is at the page where it was read. */
function isAtSamePage({ op, upTo }: Erasure): Expression {
  return allOf(equals(A.op, op), equals(A.phase, "first"), equals(A.countedUpTo, upTo));
}

/** Whether a conversation has a message after an instant. */
function goesOn({ lastAt }: HeadSnapshot, erasedAt: Millis): boolean {
  return lastAt !== null && lastAt > erasedAt;
}

function headIsUnchanged({ attributes }: HeadSnapshot): Expression {
  return allOf(...countedAttributes.map((name) => isUnchanged(name, attributes[name])));
}

/** The instant of a marker; null when it has expired, or when the item only refuses a start. */
function markedAt(item: Record<string, unknown>, now: Millis): Millis | null {
  const isAlive = (item[A.ttl] as number) * SECOND > now;
  return isAlive ? ((item[A.erasedAt] as Millis | undefined) ?? null) : null;
}

/**
 * A head without a last message stands for no conversation. One that no reader shows any more is still stored: an erasure
 * finds it.
 */
function toHeadSnapshot(key: Key, item: Readonly<Record<string, unknown>>): HeadSnapshot {
  const lastAt = (item[Head.lastAt] as Millis | undefined) ?? null;
  const hasContent = Object.keys(item).some((name) => !emptyHeadAttributes.includes(name));
  return { key, lastAt, hasContent, attributes: item };
}
