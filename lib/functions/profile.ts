import { Duration } from "aws-cdk-lib";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";
import { queueConcurrency } from "../config/concurrency.ts";
import { QueuePair } from "../constructs/queue-pair.ts";
import { allowReading } from "../constructs/service-secrets.ts";
import { Worker } from "../constructs/worker.ts";
import {
  type FunctionContext,
  keyVariables,
  platformVariables,
  queueVariables,
  tableVariables,
} from "./function-context.ts";

export function createProfilesQueue(scope: Construct, deadLetters: Queue | null): QueuePair {
  return new QueuePair(scope, "Profiles", {
    deadLetters,
    // A later message of the same person requests the profile again.
    retention: Duration.days(1),
  });
}

/** Fetches the profiles of the people who write. */
export function createProfile(scope: Construct, context: FunctionContext): Worker {
  const { data, queues, code } = context;
  const profile = new Worker(scope, "Profile", {
    description: "Parley: fetches the profiles of the people who write",
    code: code("Profile"),
    memoryMegabytes: 256,
    environment: {
      ...tableVariables(context),
      ...keyVariables(context),
      ...queueVariables(context, "Events", "Realtime"),
      ...platformVariables(context),
    },
  }).addQueue(queues.Profiles.queue, queueConcurrency(context.settings).Profiles);
  data.table.allow(profile.functionRole, {
    actions: ["GetItem", "Query"],
    writesUnder: {
      // An event of the conversation, its body, and the claim to publish an event that waited.
      PutItem: ["CONV#", "E#", "N#"],
      // The profile is in the row of the conversation.
      UpdateItem: ["CONV#"],
      // A name from before an erasure is given to no message.
      ConditionCheckItem: ["CONV#"],
    },
  });
  data.key.allowDecrypt(profile.functionRole, "account-token");
  allowReading(data.secrets.platforms, profile.functionRole);
  queues.Profiles.allowSending(profile.functionRole);
  queues.Events.allowSending(profile.functionRole);
  queues.Realtime.allowSending(profile.functionRole);
  return profile;
}
