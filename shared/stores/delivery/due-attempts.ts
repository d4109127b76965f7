import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { RETENTION } from "../../domain/limits.ts";
import { parseTenant, type TenantId } from "../../kernel/tenant.ts";
import type { Millis } from "../../kernel/time.ts";
import { sweepMark } from "../checkpoints.ts";
import type { Table } from "../client.ts";
import { behind, type DuePage, type DuePlace, dueInOrder } from "../due-queue.ts";
import { dueKey, duePartition, dueStepKey, type Key, sweepMarkKey, timeToLive } from "../keys.ts";

/** One attempt that is to be made at `dueAt`. */
export interface DueAttempt {
  readonly tenant: TenantId;
  readonly endpointId: string;
  readonly eventUlid: string;
  readonly attempt: number;
  readonly dueAt: Millis;
}

/** A step of what an endpoint's deliveries as a whole need, to be taken at `dueAt`: the body of its queue message. */
export interface DueStep {
  readonly tenant: TenantId;
  readonly endpointId: string;
  readonly body: string;
  readonly dueAt: Millis;
}

export type DueItem = ({ readonly kind: "attempt" } & DueAttempt) | ({ readonly kind: "step" } & DueStep);

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
    async putStep({ tenant, endpointId, body, dueAt }: DueStep): Promise<void> {
      const Item = { ...dueStepKey(dueAt, endpointId, body), t: tenant, b: body, x: timeToLive(dueAt + RETENTION) };
      await client.send(new PutCommand({ TableName, Item }));
    },

    /** All that is due in (after, upTo], in order. @param after the mark, or an instant */
    async *between(after: DuePlace | Millis, upTo: Millis): AsyncGenerator<DuePage<DueItem>> {
      const from = typeof after === "number" ? behind(after) : after;
      for await (const page of dueInOrder<StoredDue>(table, duePartition, from, upTo)) {
        yield { ...page, items: page.items.flatMap(dueOf) };
      }
    },

    ...sweepMark(table, sweepMarkKey),
  };
}

interface StoredDue extends Key {
  readonly t: string;
  /** Of a step alone. */
  readonly b?: string;
}

function dueOf(item: StoredDue): DueItem[] {
  const [at = "", endpointId = "", eventUlid = "", attempt = ""] = item.SK.split("#");
  const tenant = parseTenant(item.t);
  if (!tenant) return [];
  const dueAt = Number(at);
  return item.b === undefined
    ? [{ kind: "attempt", tenant, endpointId, eventUlid, attempt: Number(attempt), dueAt }]
    : [{ kind: "step", tenant, endpointId, body: item.b, dueAt }];
}
