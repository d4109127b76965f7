import type { Millis } from "../../kernel/time.ts";
import type { RealtimeMessage } from "../../queues/realtime.ts";
import { closeSockets, recheckSockets } from "../realtime/close.ts";
import { done, type RecordOutcome } from "../record-outcome.ts";
import type { PushBatch } from "./batch.ts";
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
    case "events":
      return pushEvents(ports, { ...message, sentAt }, batch);
    case "conversation":
      return pushConversation(ports, message, batch);
    case "hold":
      return pushHold(ports, message, batch);
    case "upload":
      return pushUpload(ports, message, batch);
    case "hello":
      return processHello(ports, message, batch.now());
    case "close":
      await closeSockets(ports, { ...message, now: batch.now() });
      return done;
    case "recheck":
      await recheckSockets(ports, { ...message, now: batch.now() });
      return done;
  }
}
