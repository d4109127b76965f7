import { printableJson } from "../text/print.ts";
import type { ForwardedDelivery } from "./deliveries.ts";

/** What listen prints. A source is an endpoint of the local stack, or the realtime stream of a deployment. */
export interface ListenLines {
  listening(source: string | null, secret: string, to: string | null): string;
  forwarded(delivery: ForwardedDelivery): string;
  event(event: unknown): string;
  paused(source: string): string;
  ended(source: string, removed: boolean): string;
  notice(text: string): string;
}

const FAILURE_NOTES = {
  unreachable: " (receiver unreachable)",
  timeout: " (no response within 15 s)",
  aborted: " (aborted)",
  too_large: " (over 1 MB, not forwarded)",
} as const;

function failureNote({ failure, status, clockAhead, reason }: ForwardedDelivery): string {
  if (reason) return ` (${reason})`;
  if (failure) return FAILURE_NOTES[failure];
  return clockAhead && status >= 400 ? " (the stack's clock is ahead: a receiver rejects its timestamps)" : "";
}

const PAUSED =
  "The receiver answered 410 (Gone), so Parley pauses the endpoint and sends it nothing more. Fix the receiver, then stop this command and start it again to go on.";

const iso = (at: number): string => new Date(at).toISOString();

export const textLines: ListenLines = {
  listening(source, secret, to) {
    const subject = source === null ? "The realtime stream" : `Endpoint ${source}`;
    const stop = "Press Ctrl-C to stop.";
    return to === null
      ? `${subject} is ready. Its events are printed here. ${stop}`
      : `${subject} forwards to ${to}. Use this secret in your receiver:\n${secret}\n${stop}`;
  },
  forwarded: (delivery) => {
    const { at, eventType, eventId, status, durationMs } = delivery;
    return `${iso(at)} ${eventType} ${eventId} ${status}${failureNote(delivery)} ${durationMs} ms`;
  },
  event: (event) => printableJson(event, 2),
  paused: (source) => `Endpoint ${source} is paused. ${PAUSED}`,
  ended: (source, removed) =>
    removed ? `Endpoint ${source} was deleted.` : `Endpoint ${source} was not deleted. Delete it with the API.`,
  notice: (text) => text,
};

export const jsonLines: ListenLines = {
  listening: (source, secret, to) => printableJson({ endpoint: source, signing_secret: secret, forward_to: to }),
  forwarded: ({ at, eventType, eventId, status, failure, durationMs, reason }) =>
    printableJson({
      time: iso(at),
      event_type: eventType,
      event_id: eventId,
      status,
      failure,
      ...(reason ? { reason } : {}),
      duration_ms: durationMs,
    }),
  event: (event) => printableJson({ event }),
  paused: (source) => printableJson({ endpoint: source, paused: "gone", message: PAUSED }),
  ended: (source, removed) => printableJson({ endpoint: source, removed }),
  notice: (message) => printableJson({ message }),
};
