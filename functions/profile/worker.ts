import type { SQSBatchResponse, SQSEvent } from "aws-lambda";
import { fetchProfile } from "../../shared/flows/inbox/fetch-profile.ts";
import type { ProfilePorts } from "../../shared/flows/ports.ts";
import { drop, type RecordEnd } from "../../shared/flows/record-outcome.ts";
import type { Millis } from "../../shared/kernel/time.ts";
import { readProfile } from "../../shared/queues/messages.ts";
import { endBatch, type Invocation } from "../worker/batch.ts";

const noPostponing = async () => {};

/** The profile worker: the people of a batch are looked up side by side, each once. */
export function profileWorker(ports: ProfilePorts, now: () => Millis) {
  return (event: SQSEvent, invocation: Invocation): Promise<SQSBatchResponse> =>
    endBatch("profile", event, invocation, ports.log, noPostponing, (records) => {
      const lookUps = new Map<string, Promise<RecordEnd>>();
      return new Map(
        records.map(({ messageId, body }): [string, Promise<RecordEnd>] => {
          const lookUp = lookUps.get(body) ?? lookUpOnce(ports, body, now);
          lookUps.set(body, lookUp);
          return [messageId, lookUp];
        }),
      );
    });
}

async function lookUpOnce(ports: ProfilePorts, body: string, now: () => Millis): Promise<RecordEnd> {
  const message = readProfile(body);
  return message ? fetchProfile(ports, message, now()) : drop("unreadable");
}
