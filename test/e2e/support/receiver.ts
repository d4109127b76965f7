import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

/** One delivery as it came. */
export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly raw: Buffer;
  readonly event: WebhookEvent;
  /** The status it was answered with. */
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

export interface Verdict {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Receiver {
  readonly url: string;
  readonly received: readonly Received[];
  /** Decides the answer to each delivery from now on. */
  answer(judge: (event: WebhookEvent, nth: number) => Verdict): void;
  close(): Promise<void>;
}

/** A tenant's webhook receiver on loopback. Answers 200 until told otherwise; `nth` counts each event's deliveries from 1. */
export async function openReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const counts = new Map<string, number>();
  let judge: (event: WebhookEvent, nth: number) => Verdict = () => ({ status: 200 });
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("error", () => {});
    request.on("end", () => {
      const raw = Buffer.concat(chunks);
      const event = JSON.parse(raw.toString("utf8")) as WebhookEvent;
      const nth = (counts.get(event.id) ?? 0) + 1;
      counts.set(event.id, nth);
      const { status, headers } = judge(event, nth);
      received.push({ headers: request.headers, raw, event, status });
      response.writeHead(status, headers).end("ok");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    received,
    answer(next) {
      judge = next;
    },
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** The deliveries of a type, by the id of the message they tell of. */
export function byMessage(deliveries: readonly Received[], type: string): Map<string, Received[]> {
  return Map.groupBy(
    deliveries.filter(({ event }) => event.type === type),
    ({ event }) => event.data.message.id,
  );
}
