import type { WebhookEvent } from "../../../client/src/webhook-verifier.ts";
import { openEvents } from "../target/events.ts";
import { printLines } from "../text/print.ts";
import { waitForSignal } from "../text/signals.ts";
import { ATTEMPT_TIMEOUT_MS, post, type Receiver } from "./post.ts";
import { type ListenSession, shownUrl } from "./session.ts";
import { signedHeaders } from "./sign.ts";

/**
 * Forwards the events of the realtime stream, as a delivery would bring them, until a signal. The stream has no retries and no replay.
 * @throws CliError when the stream ends for good
 */
export async function forwardStream(session: ListenSession): Promise<void> {
  const { target, receiver, lines, secret, events } = session;
  const closing = new AbortController();
  const inFlight = new Set<Promise<void>>();
  const stream = openEvents(target, {
    types: events,
    onReady: () => printLines(lines.listening(null, secret, receiver && shownUrl(receiver))),
    onNotice: (text) => printLines(lines.notice(text)),
    onEvent: (event) => {
      if (receiver === null) {
        printLines(lines.event(event));
        return;
      }
      const forwarding = forward(event, { ...session, receiver }, closing.signal);
      inFlight.add(forwarding);
      void forwarding.finally(() => inFlight.delete(forwarding));
    },
  });
  try {
    await Promise.race([waitForSignal(), stream.ended]);
  } finally {
    stream.close();
    closing.abort();
    await Promise.all(inFlight);
  }
}

async function forward(
  event: WebhookEvent,
  { lines, secret, receiver }: ListenSession & { readonly receiver: Receiver },
  closing: AbortSignal,
): Promise<void> {
  const at = Date.now();
  const body = Buffer.from(JSON.stringify(event));
  const headers = {
    "content-type": "application/json",
    "user-agent": "parley-cli",
    "svc-event-id": event.id,
    "svc-event-type": event.type,
    "svc-delivery-id": `listen_${event.id}`,
    ...signedHeaders(secret, event.id, body, String(Math.floor(at / 1_000))),
  };
  const result = await post({ receiver, timeout: ATTEMPT_TIMEOUT_MS, closing }, headers, body);
  const durationMs = Math.max(0, Date.now() - at);
  printLines(
    lines.forwarded({ ...result, at, eventType: event.type, eventId: event.id, durationMs, clockAhead: false, body }),
  );
}
