import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { RETENTION } from "../domain/limits.ts";
import type { Millis } from "../kernel/time.ts";
import type { Table } from "./client.ts";
import { quarantineKey, timeToLive } from "./keys.ts";

/** A queue message that no worker could process. */
export interface DeadLetter {
  readonly queue: string;
  readonly messageId: string;
  readonly body: string;
  readonly receives: number;
}

/** An item of the table holds 400 KB; a queue message may hold more, and is cut. */
const BODY_BYTES_MAX = 350_000;

export type Quarantine = ReturnType<typeof quarantineStore>;

export function quarantineStore({ client, name: TableName }: Table) {
  return {
    /** Safe to repeat: the key follows from the queue's own message id. */
    async keep(letter: DeadLetter, now: Millis): Promise<void> {
      await client.send(
        new PutCommand({
          TableName,
          Item: {
            ...quarantineKey(letter.queue, letter.messageId),
            b: Buffer.from(letter.body).subarray(0, BODY_BYTES_MAX).toString(),
            n: letter.receives,
            at: now,
            x: timeToLive(now + RETENTION),
          },
        }),
      );
    },
  };
}
