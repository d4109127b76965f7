import type { Queue } from "#base/aws/queues.ts";

/** A queue that records its messages. */
export function memoryQueue(): { readonly queue: Queue; readonly bodies: string[] } {
  const bodies: string[] = [];
  const queue: Queue = {
    name: "",
    send: async ({ body }) => void bodies.push(body),
    sendAll: async (messages) => void bodies.push(...messages.map(({ body }) => body)),
  };
  return { queue, bodies };
}
