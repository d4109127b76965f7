import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

/** One received delivery. */
export interface ReceivedDelivery {
  readonly headers: IncomingHttpHeaders;
  readonly raw: Buffer;
  readonly event: WebhookEvent;
  /** The status of the response. */
  readonly status: number;
}

export interface WebhookEvent {
  readonly id: string;
  readonly type: string;
  readonly created_at: string;
  readonly tenant_id: string;
  readonly data: { readonly message: EventMessage };
}

export interface EventMessage {
  readonly id: string;
  readonly conversation_id: string;
  readonly account_key: string;
  readonly direction: string;
  readonly text: string;
  readonly attachments: readonly { readonly type: string; readonly url: string | null }[];
  readonly sent_via: string;
  readonly reply_to: string | null;
  readonly test?: boolean;
}

export interface ReceiverResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Receiver {
  readonly url: string;
  readonly deliveries: readonly ReceivedDelivery[];
  /** Sets how later deliveries are answered. */
  respondWith(respond: (event: WebhookEvent, nth: number) => ReceiverResponse): void;
  close(): Promise<void>;
}

/** A tenant's webhook receiver on loopback. Answers 200 by default; `nth` counts each event's deliveries from 1. */
export async function openReceiver(): Promise<Receiver> {
  const deliveries: ReceivedDelivery[] = [];
  const counts = new Map<string, number>();
  let respond: (event: WebhookEvent, nth: number) => ReceiverResponse = () => ({ status: 200 });
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("error", () => {});
    request.on("end", () => {
      const raw = Buffer.concat(chunks);
      const event = JSON.parse(raw.toString("utf8")) as WebhookEvent;
      const nth = (counts.get(event.id) ?? 0) + 1;
      counts.set(event.id, nth);
      const { status, headers } = respond(event, nth);
      deliveries.push({ headers: request.headers, raw, event, status });
      response.writeHead(status, headers).end("ok");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    deliveries,
    respondWith(nextRespond) {
      respond = nextRespond;
    },
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** The deliveries of a type by message id. */
export function groupByMessage(deliveries: readonly ReceivedDelivery[], type: string): Map<string, ReceivedDelivery[]> {
  return Map.groupBy(
    deliveries.filter(({ event }) => event.type === type),
    ({ event }) => event.data.message.id,
  );
}
