import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { newOp, newUlid } from "#base/kernel/ids.ts";
import { ENDPOINTS_PER_TENANT_MAX } from "#base/kernel/limits.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import { countAttributes as Count } from "#base/table/attributes.ts";
import type { Table } from "#base/table/client.ts";
import { conditionalTransaction, conditionalWrite } from "#base/table/conditional-write.ts";
import {
  absentOr,
  allOf,
  below,
  type Changes,
  copyOf,
  type Expression,
  equals,
  isUnchanged,
  itemDoesNotExist,
} from "#base/table/expressions.ts";
import type { Key } from "#base/table/keys.ts";
import { queryAll } from "#base/table/query-all.ts";
import { put, type TransactItem, update as updateItem } from "#base/table/writes.ts";
import type { AuditEntry } from "#features/access/rules/audit.ts";
import type { ChangeAuthor } from "#features/access/rules/callers.ts";
import { actorCheck, auditItem } from "#features/access/store/items.ts";
import type { Breaker } from "#features/delivery/rules/breaker.ts";
import { PRESENCE_SORT_KEY, type PresenceItem, toSocketsUntil } from "#features/realtime/store/items.ts";
import type { Endpoint, EndpointChanges } from "../rules/endpoints.ts";
import { endpointAttributes as A } from "./attributes.ts";
import {
  breakerFields,
  type EndpointItem,
  endpointCountKey,
  endpointKey,
  failureAttributes,
  isNotDeleted,
  statusAllows,
  toEndpoint,
  toEndpointItem,
  toEventLetters,
} from "./items.ts";

/** A change of an endpoint, and the items that are written with it. */
interface EndpointWrite extends Pick<Changes, "set" | "remove"> {
  readonly condition: Expression;
  readonly extraItems?: readonly TransactItem[];
}

/**
 * `refused`: the endpoint does not exist, is deleted, or is not as the change requires. `actor_changed`: the acting
 * member has lost the roles.
 */
export type EndpointChange = "changed" | "refused" | "actor_changed";

interface ReadOptions {
  readonly consistent?: boolean;
}

export interface EndpointsWithSockets {
  readonly endpoints: Endpoint[];
  /** Null while the tenant has none. */
  readonly socketsUntil: Millis | null;
}

export type Endpoints = ReturnType<typeof endpointStore>;

export function endpointStore(table: Table) {
  const { client, name: TableName } = table;
  /** Changes an endpoint and writes the audit row of it, and further items, in one transaction. */
  async function change(
    tenant: TenantId,
    endpointId: string,
    { audit, actor }: ChangeAuthor,
    { set = {}, remove = [], condition, extraItems = [] }: EndpointWrite,
  ): Promise<EndpointChange> {
    const op = newUlid(audit.at);
    const changes = { set: { ...set, [A.updatedAt]: audit.at, [A.op]: op }, remove };
    const result = await conditionalTransaction(
      table,
      [
        updateItem(endpointKey(tenant, endpointId), changes, condition),
        put(auditItem(tenant, audit)),
        ...extraItems,
        ...actorCheck(tenant, actor),
      ],
      { token: op, ownMark: { [A.op]: op } },
    );
    if (result.applied) return "changed";
    return result.current[0] === undefined ? "actor_changed" : "refused";
  }

  /**
   * All endpoints of a tenant, including deleted ones, and until when it may have sockets, in one query.
   * @param consistent read consistently
   */
  async function listWithSockets(
    tenant: TenantId,
    { consistent = false }: ReadOptions = {},
  ): Promise<EndpointsWithSockets> {
    const endpoints: Endpoint[] = [];
    let socketsUntil: Millis | null = null;
    for (const item of await queryAll<Key>(table, endpointKey(tenant, ""), { consistent })) {
      if (item.SK === PRESENCE_SORT_KEY) socketsUntil = toSocketsUntil(item as PresenceItem);
      else endpoints.push(toEndpoint(item as EndpointItem));
    }
    return { endpoints, socketsUntil };
  }

  return {
    /**
     * Creates an endpoint, counts it and writes its audit row, in one transaction.
     * @returns `limit`: the tenant has the maximum number of endpoints; `actor_changed`: the acting member has lost
     *   the roles
     */
    async create(
      tenant: TenantId,
      endpoint: Endpoint,
      { audit, actor }: ChangeAuthor,
    ): Promise<"created" | "limit" | "actor_changed"> {
      const hasRoom = absentOr(below, Count.count, ENDPOINTS_PER_TENANT_MAX);
      const result = await conditionalTransaction(
        table,
        [
          put(toEndpointItem(tenant, endpoint), itemDoesNotExist),
          put(auditItem(tenant, audit)),
          updateItem(endpointCountKey(tenant), { add: { [Count.count]: 1 } }, hasRoom),
          ...actorCheck(tenant, actor),
        ],
        { token: endpoint.id },
      );
      if (result.applied) return "created";
      return result.current[3] === undefined ? "limit" : "actor_changed";
    },

    /**
     * All endpoints of a tenant, including deleted ones.
     * @param consistent read consistently
     */
    async list(tenant: TenantId, options: ReadOptions = {}): Promise<Endpoint[]> {
      return (await listWithSockets(tenant, options)).endpoints;
    },

    listWithSockets,

    async get(tenant: TenantId, endpointId: string): Promise<Endpoint | null> {
      const { Item } = await client.send(
        new GetCommand({ TableName, Key: endpointKey(tenant, endpointId), ConsistentRead: true }),
      );
      return Item ? toEndpoint(Item as EndpointItem) : null;
    },

    /**
     * Updates an endpoint. A new URL or status clears its record of failures; an open circuit stays open until its next
     * probe.
     * @param changes `laterEvents`: those of the endpoint as it was read, which new events do not remove
     */
    update(
      tenant: TenantId,
      endpointId: string,
      changes: EndpointChanges & Pick<Endpoint, "laterEvents">,
      author: ChangeAuthor,
    ): Promise<EndpointChange> {
      const { url, events, laterEvents = "", status } = changes;
      const set = {
        ...(url === undefined ? {} : { [A.url]: url }),
        ...(events === undefined ? {} : { [A.events]: `${toEventLetters(events)}${laterEvents}` }),
        ...(status === undefined ? {} : { [A.status]: status }),
        ...(status === "paused" ? { [A.pausedBy]: author.audit.actor } : {}),
      };
      const remove = status === "active" ? [...failureAttributes, A.pausedBy] : failureAttributes;
      const itemChanges =
        url === undefined && status === undefined
          ? { set }
          : { set: { ...set, [A.breakerOp]: newOp(author.audit.at) }, remove };
      return change(tenant, endpointId, author, { ...itemChanges, condition: isNotDeleted });
    },

    /** Deletes an endpoint. Its id, URL and history stay; its secrets do not. */
    remove(tenant: TenantId, endpointId: string, author: ChangeAuthor): Promise<EndpointChange> {
      return change(tenant, endpointId, author, {
        set: { [A.status]: "deleted", [A.secretPrefix]: "" },
        remove: [A.sealedSecret, A.secondarySecret, A.secondaryExpiresAt],
        condition: isNotDeleted,
        extraItems: [updateItem(endpointCountKey(tenant), { add: { [Count.count]: -1 } })],
      });
    },

    /** Replaces the secret. The previous one also signs until `overlapUntil`; the one before it no longer signs. */
    rotate(
      tenant: TenantId,
      endpointId: string,
      secret: { prefix: string; sealed: Uint8Array; overlapUntil: Millis },
      author: ChangeAuthor,
    ): Promise<EndpointChange> {
      const set = {
        [A.secondarySecret]: copyOf(A.sealedSecret),
        [A.secondaryExpiresAt]: secret.overlapUntil,
        [A.sealedSecret]: secret.sealed,
        [A.secretPrefix]: secret.prefix,
      };
      return change(tenant, endpointId, author, { set, condition: isNotDeleted });
    },

    /**
     * Pauses an active endpoint, unless its URL changed.
     * @param url the URL when the reason to pause arose
     * @param pausedEvent the ULID of the event that will be published
     * @param failingSince pauses only if no attempt has succeeded since then
     * @returns false when the endpoint was not paused
     */
    async pause(
      tenant: TenantId,
      endpointId: string,
      { url, pausedEvent, failingSince }: { url: string; pausedEvent: string; failingSince?: Millis },
      audit: AuditEntry,
    ): Promise<boolean> {
      const stillFails = failingSince === undefined ? [] : [equals(A.failingSince, failingSince)];
      const condition = allOf(statusAllows("auto_pause"), equals(A.url, url), ...stillFails);
      const set = { [A.status]: "paused", [A.pausedBy]: audit.actor, [A.pausedEvent]: pausedEvent };
      return (await change(tenant, endpointId, { audit, actor: null }, { set, condition })) === "changed";
    },

    /**
     * Saves an endpoint's breaker.
     * @param expected the endpoint from which the breaker was computed
     * @returns the stored endpoint when it changed since or is deleted; null when there is none
     */
    async saveBreaker(
      tenant: TenantId,
      expected: Pick<Endpoint, "id" | "breakerOp">,
      breaker: Breaker,
      now: Millis,
    ): Promise<{ applied: true } | { applied: false; endpoint: Endpoint | null }> {
      const op = newOp(now);
      const breakerIsUnchanged = isUnchanged(A.breakerOp, expected.breakerOp ?? undefined);
      const result = await conditionalWrite<EndpointItem>(
        table,
        updateItem(
          endpointKey(tenant, expected.id),
          { set: { [A.breakerOp]: op, ...breakerFields(breaker) } },
          allOf(isNotDeleted, breakerIsUnchanged),
        ),
        { ownMark: { [A.breakerOp]: op } },
      );
      if (result.applied) return { applied: true };
      return { applied: false, endpoint: result.current ? toEndpoint(result.current) : null };
    },
  };
}
