import { QUEUE_DELAY_MAX } from "#base/kernel/limits.ts";
import { type Millis, SECOND } from "#base/kernel/time.ts";
import { encodeRealtime, type RealtimeMessage } from "../../queue.ts";
import type { PushPorts } from "./ports.ts";

/** Has the worker get a message after a time, at most the queue's longest delay. Each push of a row sets another one. */
export function setTimer(
  { realtime }: Pick<PushPorts, "realtime">,
  message: RealtimeMessage,
  wait: Millis,
): Promise<void> {
  const delay = Math.min(QUEUE_DELAY_MAX, Math.max(0, wait) + SECOND);
  return realtime.send({ body: encodeRealtime(message), group: message.tenant, delay });
}
