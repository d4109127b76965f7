import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import { done, type RecordOutcome } from "#base/queues/record-outcome.ts";
import { encodeRealtime, type PushTask, type RealtimeMessage } from "../../queue.ts";
import { closeSockets, recheckSockets } from "../close.ts";
import { VISIBLE_AFTER } from "../hello.ts";
import type { PushBatch, PushRun } from "./batch.ts";
import { processHello } from "./greet.ts";
import type { PushPorts } from "./ports.ts";
import { pushConversation } from "./push-conversation.ts";
import { pushEvents } from "./push-events.ts";
import { pushHold } from "./push-hold.ts";
import { pushUpload } from "./push-upload.ts";

/**
 * Processes one message for the sockets of a tenant. Safe to repeat and to kill at any call: frames may come twice, with the
 * same ids.
 * @param received `sentAt`: when the message was queued
 */
export async function pushMessage(
  ports: PushPorts,
  { message, sentAt }: { readonly message: RealtimeMessage; readonly sentAt: Millis },
  batch: PushBatch,
): Promise<RecordOutcome> {
  switch (message.kind) {
    case "hello":
      return processHello(ports, message, batch.now());
    case "close":
      await closeSockets(ports, { ...message, requestedAt: sentAt, now: batch.now() });
      return done;
    case "recheck":
      await recheckSockets(ports, { ...message, requestedAt: sentAt, now: batch.now() });
      return done;
    default:
      return pushToSockets(ports, { message, sentAt }, batch);
  }
}

interface ReceivedPush {
  readonly message: PushTask & { readonly tenant: TenantId };
  readonly sentAt: Millis;
}

/** Pushes to the sockets that have their first frame. Those that have none get the same after it, in a message for them alone. */
async function pushToSockets(ports: PushPorts, received: ReceivedPush, batch: PushBatch): Promise<RecordOutcome> {
  const { message } = received;
  const awaited = new Set<string>();
  const outcome = await push(ports, received, { ...batch, connectionIds: message.connectionIds, awaited });
  if (awaited.size > 0) {
    const body = encodeRealtime({ ...message, connectionIds: [...awaited] });
    await ports.realtime.send({ body, group: message.tenant, delay: VISIBLE_AFTER });
  }
  return outcome;
}

function push(ports: PushPorts, { message, sentAt }: ReceivedPush, run: PushRun): Promise<RecordOutcome> {
  switch (message.kind) {
    case "events":
      return pushEvents(ports, { ...message, sentAt }, run);
    case "conversation":
      return pushConversation(ports, message, run);
    case "hold":
      return pushHold(ports, message, run);
    case "upload":
      return pushUpload(ports, message, run);
  }
}
