import { newUlid } from "#base/kernel/ids.ts";
import { RETENTION } from "#base/kernel/limits.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { Table } from "#base/table/client.ts";
import { conditionalTransaction, conditionalWrite } from "#base/table/conditional-write.ts";
import { itemDoesNotExist, storedOr } from "#base/table/expressions.ts";
import { timeToLive } from "#base/table/keys.ts";
import { put, update } from "#base/table/writes.ts";
import type { ChangeAuthor } from "#features/access/rules/callers.ts";
import { actorCheck, auditItem } from "#features/access/store/items.ts";
import { encodeAttempts } from "./attempt-history.ts";
import { deliveryAttributes as A } from "./attributes.ts";
import { allows, type DeliveryRow, deliveryKey, eventFields, failingIndex, type NewDelivery } from "./items.ts";

/** A restart of a delivery with all its attempts. */
export interface DeliveryRestart {
  /** `forced_replay` also resets a delivered one. */
  readonly trigger: "replay" | "forced_replay";
  /** The audit row is written in the same transaction; null for none. */
  readonly author: ChangeAuthor | null;
  readonly now: Millis;
}

/** The writes after which a delivery waits for its first attempt: it is new or replayed. */
export function deliveryStarts(table: Table) {
  return {
    /**
     * Creates a row whose first attempt is due now, and its audit row, in one transaction.
     * @returns `actor_changed`: the acting member has lost the roles
     */
    async recordPending(
      tenant: TenantId,
      delivery: NewDelivery,
      { audit, actor }: ChangeAuthor,
      now: Millis,
    ): Promise<"recorded" | "actor_changed"> {
      const item = {
        ...deliveryKey(tenant, delivery.endpointId, delivery.eventUlid),
        ...eventFields(delivery),
        [A.status]: "pending",
        [A.settledAttempts]: 0,
        [A.nextAttemptAt]: now,
        [A.updatedAt]: now,
        [A.ttl]: timeToLive(now + RETENTION),
        ...failingIndex(tenant, delivery.endpointId, "pending"),
      };
      const result = await conditionalTransaction(
        table,
        [put(item, itemDoesNotExist), put(auditItem(tenant, audit)), ...actorCheck(tenant, actor)],
        { token: delivery.eventUlid },
      );
      if (result.applied) return "recorded";
      if (result.current[0] !== undefined) throw new Error("The delivery exists already.");
      return "actor_changed";
    },

    /**
     * Resets a delivery to no attempts, with the first one due now. The past attempts and what the last one left stay
     * readable.
     * @returns `not_allowed`: the row's status does not allow it; `actor_changed`: the acting member has lost the
     *   roles
     */
    async reset(
      tenant: TenantId,
      delivery: Pick<NewDelivery, "endpointId" | "eventUlid" | "traceId"> & Partial<Pick<DeliveryRow, "attempts">>,
      { trigger, author, now }: DeliveryRestart,
    ): Promise<"reset" | "not_allowed" | "actor_changed"> {
      const op = newUlid(now);
      const { attempts = [] } = delivery;
      const set = {
        [A.status]: "pending",
        [A.settledAttempts]: 0,
        [A.nextAttemptAt]: now,
        [A.updatedAt]: now,
        [A.op]: op,
        // A row that was delivered at once has no history. What is stored is newer than what was read.
        ...(attempts.length > 0 ? { [A.attempts]: storedOr(A.attempts, encodeAttempts(attempts)) } : {}),
        ...(delivery.traceId === undefined ? {} : { [A.traceId]: delivery.traceId }),
        ...failingIndex(tenant, delivery.endpointId, "pending"),
      };
      const write = update(deliveryKey(tenant, delivery.endpointId, delivery.eventUlid), { set }, allows(trigger));
      const ownMark = { [A.op]: op };
      if (author === null) {
        const { applied } = await conditionalWrite(table, write, { ownMark });
        return applied ? "reset" : "not_allowed";
      }
      const { audit, actor } = author;
      const result = await conditionalTransaction(
        table,
        [write, put(auditItem(tenant, audit)), ...actorCheck(tenant, actor)],
        { token: op, ownMark },
      );
      if (result.applied) return "reset";
      return result.current[0] === undefined ? "actor_changed" : "not_allowed";
    },
  };
}
