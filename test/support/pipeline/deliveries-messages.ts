import { decodeDeliveries, type EndpointTask, type RetryMessage } from "#features/delivery/queue.ts";

/** The attempt that a message of a deliveries queue asks for. */
export function decodeRetry(body: string): RetryMessage | null {
  const message = decodeDeliveries(body);
  return message?.kind === "attempt" ? message.attempt : null;
}

/** The endpoint's task that a message of a deliveries queue asks for. */
export function decodeEndpointTask(body: string): EndpointTask | null {
  const message = decodeDeliveries(body);
  return message?.kind === "task" ? message.task : null;
}
