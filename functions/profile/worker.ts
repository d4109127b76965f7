import type { SQSBatchResponse, SQSEvent } from "aws-lambda";
import { fetchProfile } from "../../shared/flows/inbox/fetch-profile.ts";
import type { ProfilePorts } from "../../shared/flows/inbox/ports.ts";
import { drop, type RecordOutcome } from "../../shared/flows/record-outcome.ts";
import type { Millis } from "../../shared/kernel/time.ts";
import { decodeProfile } from "../../shared/queues/messages.ts";
import { type Invocation, processRecords } from "../worker/batch.ts";

const noPostponing = async () => {};

/** The profile worker: the people of a batch are looked up side by side, each once. */
export function profileWorker(ports: ProfilePorts, now: () => Millis) {
  return (event: SQSEvent, invocation: Invocation): Promise<SQSBatchResponse> =>
    processRecords("profile", event, invocation, ports.log, noPostponing, (records) => {
      const lookups = new Map<string, Promise<RecordOutcome>>();
      return new Map(
        records.map(({ messageId, body }): [string, Promise<RecordOutcome>] => {
          const lookup = lookups.get(body) ?? lookUpProfile(ports, body, now);
          lookups.set(body, lookup);
          return [messageId, lookup];
        }),
      );
    });
}

async function lookUpProfile(ports: ProfilePorts, body: string, now: () => Millis): Promise<RecordOutcome> {
  const message = decodeProfile(body);
  return message ? fetchProfile(ports, message, now()) : drop("unreadable");
}
