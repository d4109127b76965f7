import { GetCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { type AttemptCounts, verificationWindowAt } from "../../domain/holds/verification-attempts.ts";
import type { Millis } from "../../kernel/time.ts";
import type { Table } from "../client.ts";
import { timeToLive, verificationAttemptsKey } from "../keys.ts";

export type VerificationAttempts = ReturnType<typeof verificationAttemptStore>;

/** Counts the check page's tries. `by` is a source's network or a hold's id. */
export function verificationAttemptStore({ client, name: TableName }: Table) {
  return {
    /** The tries in the window of `now`, read consistently. */
    async get(subject: string, now: Millis): Promise<AttemptCounts> {
      const { Item } = await client.send(
        new GetCommand({
          TableName,
          Key: verificationAttemptsKey(subject, verificationWindowAt(now).start),
          ConsistentRead: true,
        }),
      );
      return toAttemptCounts(Item);
    },

    /**
     * Counts one try more. Where the table's answer was lost, the SDK may count it twice.
     * @returns the tries with this one
     */
    async add(subject: string, kind: "challenge" | "failure", now: Millis): Promise<AttemptCounts> {
      const { start, end } = verificationWindowAt(now);
      const { Attributes } = await client.send(
        new UpdateCommand({
          TableName,
          Key: verificationAttemptsKey(subject, start),
          UpdateExpression: "ADD n :one, f :failed SET x = :x",
          ExpressionAttributeValues: { ":one": 1, ":failed": kind === "failure" ? 1 : 0, ":x": timeToLive(end) },
          ReturnValues: "ALL_NEW",
        }),
      );
      return toAttemptCounts(Attributes);
    },
  };
}

function toAttemptCounts(item: Record<string, unknown> | undefined): AttemptCounts {
  return { all: (item?.n as number | undefined) ?? 0, failed: (item?.f as number | undefined) ?? 0 };
}
