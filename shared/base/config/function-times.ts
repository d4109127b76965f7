import { type Millis, SECOND } from "../kernel/time.ts";
import type { FunctionName, QueueName } from "./names.ts";

/**
 * A function that sends waits for the platform, which takes up to ten seconds, or 25 if it fetches a file. The function
 * answers a second before its own end, and before the gateway's limit of 30 seconds.
 */
const SENDING_TIMEOUT: Millis = 29 * SECOND;

/** When Lambda ends an invocation of each function. Whole seconds. */
export const functionTimeouts = {
  Api: SENDING_TIMEOUT,
  Verify: SENDING_TIMEOUT,
  // A request writes a few rows and waits for no platform.
  Console: 15 * SECOND,
  // The calls of a login take up to ten seconds each.
  Connect: SENDING_TIMEOUT,
  // Serves files that lie beside its code.
  Web: 10 * SECOND,
  // The platforms expect a 200 within five seconds.
  Intake: 4 * SECOND,
  Ingest: 30 * SECOND,
  Deliver: 60 * SECOND,
  // A call to a platform ends within ten seconds, and the calls of a batch run in parallel.
  Profile: 30 * SECOND,
  // A pass that takes longer continues in the next invocation.
  Erase: 60 * SECOND,
  // A request to SES ends within five seconds, and the mails of a batch are sent in parallel.
  Mail: 30 * SECOND,
  // A platform fetches a video for up to 75 seconds before it answers.
  HandOver: 120 * SECOND,
  // A task makes several calls to a platform, each of which ends within ten seconds.
  Account: 60 * SECOND,
  // Within the gateway's limit of 29 seconds. A request writes a few rows and posts at most one frame.
  Socket: 15 * SECOND,
  // A post to a socket ends within five seconds, and the posts of a batch run in parallel.
  Push: 30 * SECOND,
  // Under a minute, so that one sweep ends before the next starts.
  Sweep: 50 * SECOND,
} as const satisfies Readonly<Record<FunctionName, Millis>>;

/** The function that reads each queue. The sweep reads every dead letter queue. */
export const queueReaders = {
  Inbound: "Ingest",
  Events: "Deliver",
  Deliveries: "Deliver",
  SlowDeliveries: "Deliver",
  Profiles: "Profile",
  Erasures: "Erase",
  Mails: "Mail",
  Uploads: "HandOver",
  Accounts: "Account",
  Realtime: "Push",
} as const satisfies Readonly<Record<QueueName, FunctionName>>;

/** AWS recommends a visibility timeout of six function timeouts, which covers the retries of an invocation. */
const TIMEOUTS_UNTIL_VISIBLE = 6;

/** How long a queue hides a message that its reader received. Whole seconds. */
export function visibilityTimeout(reader: FunctionName): Millis {
  return functionTimeouts[reader] * TIMEOUTS_UNTIL_VISIBLE;
}

/**
 * A message becomes a dead letter after this many receives. With the waits of `functions/worker/redelivery.ts` that takes
 * 13 minutes, so a shorter outage needs no operator.
 */
export const RECEIVES_MAX = 10;

/**
 * How long a dead-letter queue hides a message that the sweep received. Longer than a run of the sweep, and shorter than the
 * time between two that read the queues: each reports what the one before could not store. Whole seconds.
 */
export const DEAD_LETTER_VISIBILITY: Millis = 180 * SECOND;
