import { GetCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { type Tries, triesWindowAt } from "../../domain/holds/verification-attempts.ts";
import type { Millis } from "../../kernel/time.ts";
import type { Table } from "../client.ts";
import { timeToLive, triesKey } from "../keys.ts";

export type CheckTries = ReturnType<typeof triesStore>;

/** Counts the check page's tries. `by` is a source's network or a hold's id. */
export function triesStore({ client, name: TableName }: Table) {
  return {
    /** The tries in the window of `now`, read consistently. */
    async get(by: string, now: Millis): Promise<Tries> {
      const { Item } = await client.send(
        new GetCommand({ TableName, Key: triesKey(by, triesWindowAt(now).start), ConsistentRead: true }),
      );
      return triesOf(Item);
    },

    /**
     * Counts one try more. Where the table's answer was lost, the SDK may count it twice.
     * @returns the tries with this one
     */
    async add(by: string, kind: "challenge" | "failure", now: Millis): Promise<Tries> {
      const { start, end } = triesWindowAt(now);
      const { Attributes } = await client.send(
        new UpdateCommand({
          TableName,
          Key: triesKey(by, start),
          UpdateExpression: "ADD n :one, f :failed SET x = :x",
          ExpressionAttributeValues: { ":one": 1, ":failed": kind === "failure" ? 1 : 0, ":x": timeToLive(end) },
          ReturnValues: "ALL_NEW",
        }),
      );
      return triesOf(Attributes);
    },
  };
}

function triesOf(item: Record<string, unknown> | undefined): Tries {
  return { all: (item?.n as number | undefined) ?? 0, failed: (item?.f as number | undefined) ?? 0 };
}
