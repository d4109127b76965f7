import { GetCommand, PutCommand, QueryCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { RETENTION } from "../domain/limits.ts";
import { parseTenant, type TenantId } from "../kernel/tenant.ts";
import { HOUR, type Millis } from "../kernel/time.ts";
import type { Table } from "./client.ts";
import { whenConditionHolds } from "./conditions.ts";
import { DUE_SHARDS, dueKey, duePartition, dueStepKey, type Key, sweepMarkKey, t13, timeToLive } from "./keys.ts";

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
export function dueStore({ client, name: TableName }: Table) {
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

    /** All that is due in (after, upTo], in pages, hour by hour. */
    async *between(after: Millis, upTo: Millis): AsyncGenerator<DueItem[]> {
      // A sweep at the instant of the last one, or by a clock behind it: a range may not end before it begins.
      if (upTo <= after) return;
      for (let hour = Math.floor(after / HOUR) * HOUR; hour <= upTo; hour += HOUR) {
        for (let shard = 0; shard < DUE_SHARDS; shard++) {
          let ExclusiveStartKey: Record<string, unknown> | undefined;
          do {
            const answer = await client.send(
              new QueryCommand({
                TableName,
                KeyConditionExpression: "PK = :q AND SK BETWEEN :from AND :upTo",
                ExpressionAttributeValues: {
                  ":q": duePartition(hour, shard),
                  ":from": t13(after + 1),
                  ":upTo": `${t13(upTo)}~`,
                },
                ExclusiveStartKey,
              }),
            );
            const page = ((answer.Items ?? []) as StoredDue[]).flatMap(dueOf);
            if (page.length > 0) yield page;
            ExclusiveStartKey = answer.LastEvaluatedKey;
          } while (ExclusiveStartKey);
        }
      }
    },

    /** The instant up to which everything due has been handed on; null before the first sweep. */
    async sweptUpTo(): Promise<Millis | null> {
      const { Item } = await client.send(new GetCommand({ TableName, Key: sweepMarkKey, ConsistentRead: true }));
      return (Item?.at as Millis | undefined) ?? null;
    },

    /** Moves the mark forward; a slower sweep never moves it back. */
    async markSwept(upTo: Millis): Promise<void> {
      await whenConditionHolds(() =>
        client.send(
          new UpdateCommand({
            TableName,
            Key: sweepMarkKey,
            UpdateExpression: "SET #at = :at",
            ConditionExpression: "attribute_not_exists(#at) OR #at < :at",
            ExpressionAttributeNames: { "#at": "at" },
            ExpressionAttributeValues: { ":at": upTo },
          }),
        ),
      );
    },
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
