import { GetCommand } from "@aws-sdk/lib-dynamodb";
import type { Millis } from "#base/kernel/time.ts";
import type { Table } from "#base/table/client.ts";
import { timeToLive } from "#base/table/keys.ts";
import { sendWrite, update } from "#base/table/writes.ts";
import { type AttemptCounts, checkWindowAt } from "../rules/check-attempts.ts";
import { checkAttemptAttributes as A } from "./attributes.ts";
import { checkAttemptsKey } from "./items.ts";

export type CheckAttempts = ReturnType<typeof checkAttemptStore>;

/** Counts the attempts on the check page. `subject` is a source network or a hold's id. */
export function checkAttemptStore(table: Table) {
  const { client, name: TableName } = table;
  return {
    /** The attempts in the window of `now`, read consistently. */
    async get(subject: string, now: Millis): Promise<AttemptCounts> {
      const Key = checkAttemptsKey(subject, checkWindowAt(now).start);
      const { Item } = await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
      return toAttemptCounts(Item);
    },

    /**
     * Counts one attempt. When the table's response is lost, the SDK may count it twice.
     * @returns the attempts including this one
     */
    async add(subject: string, kind: "challenge" | "failure", now: Millis): Promise<AttemptCounts> {
      const { start, end } = checkWindowAt(now);
      const changes = {
        add: { [A.attempts]: 1, [A.failures]: kind === "failure" ? 1 : 0 },
        set: { [A.ttl]: timeToLive(end) },
      };
      return toAttemptCounts(
        await sendWrite(table, update(checkAttemptsKey(subject, start), changes, undefined, "ALL_NEW")),
      );
    },
  };
}

function toAttemptCounts(item: Record<string, unknown> | undefined): AttemptCounts {
  return {
    all: (item?.[A.attempts] as number | undefined) ?? 0,
    failed: (item?.[A.failures] as number | undefined) ?? 0,
  };
}
