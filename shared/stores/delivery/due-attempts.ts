import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { RETENTION } from "../../domain/limits.ts";
import { parseTenant, type TenantId } from "../../kernel/tenant.ts";
import type { Millis } from "../../kernel/time.ts";
import { sweepCheckpoint } from "../checkpoints.ts";
import type { Table } from "../client.ts";
import { cursorAfter, type DueCursor, type DuePage, duePages } from "../due-queue.ts";
import { dueKey, duePartition, dueTaskKey, type Key, sweepCheckpointKey, timeToLive } from "../keys.ts";

/** One attempt that is to be made at `dueAt`. */
export interface DueAttempt {
  readonly tenant: TenantId;
  readonly endpointId: string;
  readonly eventUlid: string;
  readonly attempt: number;
  readonly dueAt: Millis;
}

/** A step of what an endpoint's deliveries as a whole need, to be taken at `dueAt`: the body of its queue message. */
export interface DueTask {
  readonly tenant: TenantId;
  readonly endpointId: string;
  readonly body: string;
  readonly dueAt: Millis;
}

export type DueItem = ({ readonly kind: "attempt" } & DueAttempt) | ({ readonly kind: "step" } & DueTask);

export type DueAttempts = ReturnType<typeof dueStore>;

/** Waits longer than a queue can hold. Nothing here is deleted: a token that is no longer the row's is dropped. */
export function dueStore(table: Table) {
  const { client, name: TableName } = table;
  return {
    /** Safe to repeat: the key follows from the attempt. */
    async put(due: DueAttempt): Promise<void> {
      await client.send(
        new PutCommand({
          TableName,
          Item: {
            ...dueKey(due.dueAt, due.endpointId, due.eventUlid, due.attempt),
            t: due.tenant,
            // As long as its event may be delivered: a sweep may be days late.
            x: timeToLive(due.dueAt + RETENTION),
          },
        }),
      );
    },

    /** Safe to repeat: the key follows from the step. */
    async putTask({ tenant, endpointId, body, dueAt }: DueTask): Promise<void> {
      const Item = { ...dueTaskKey(dueAt, endpointId, body), t: tenant, b: body, x: timeToLive(dueAt + RETENTION) };
      await client.send(new PutCommand({ TableName, Item }));
    },

    /** All that is due in (after, upTo], in order. @param after the mark, or an instant */
    async *between(after: DueCursor | Millis, upTo: Millis): AsyncGenerator<DuePage<DueItem>> {
      const cursor = typeof after === "number" ? cursorAfter(after) : after;
      for await (const page of duePages<StoredDueItem>(table, duePartition, cursor, upTo)) {
        yield { ...page, items: page.items.flatMap(toDueItems) };
      }
    },

    ...sweepCheckpoint(table, sweepCheckpointKey),
  };
}

interface StoredDueItem extends Key {
  readonly t: string;
  /** Of a step alone. */
  readonly b?: string;
}

function toDueItems(item: StoredDueItem): DueItem[] {
  const [at = "", endpointId = "", eventUlid = "", attempt = ""] = item.SK.split("#");
  const tenant = parseTenant(item.t);
  if (!tenant) return [];
  const dueAt = Number(at);
  return item.b === undefined
    ? [{ kind: "attempt", tenant, endpointId, eventUlid, attempt: Number(attempt), dueAt }]
    : [{ kind: "step", tenant, endpointId, body: item.b, dueAt }];
}
