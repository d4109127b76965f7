import { printableJson } from "#base/kernel/text/printable.ts";
import { iso } from "#base/kernel/time.ts";
import { type Arguments, HELP_HINT } from "./arguments.ts";
import { CliError } from "./cli-error.ts";
import { type ForwardedDelivery, openForwarder } from "./forwarder.ts";
import { createListenEndpoint } from "./listen-endpoint.ts";
import { localStack } from "./local-stack.ts";
import { printLines } from "./text/print.ts";

/**
 * Forwards the deliveries of a temporary endpoint to a receiver until SIGINT, SIGTERM or SIGHUP, then deletes the
 * endpoint. Prints the signing secret once and a line per delivery, never the content of a message. Without a receiver,
 * it accepts each delivery and prints its event.
 * @throws CliError for an invalid URL, when no stack runs, and when the stack refuses the endpoint
 */
export async function listen(values: Arguments): Promise<undefined> {
  if (values.positionals.length > 1) throw new CliError(`Unexpected argument: ${values.positionals[1]}. ${HELP_HINT}`);
  const target = parseTarget(values["forward-to"]);
  localStack();
  const output = values.json ? jsonOutput : textOutput;
  const stopSignal = waitForSignal();
  const forwarder = await openForwarder(target, (delivery) => {
    printLines(output.forwarded(delivery));
    if (!target) printLines(output.event(delivery.body));
  });
  let lastLine: string;
  try {
    const options = { url: forwarder.url, tenant: values.tenant, events: values.events?.split(",") };
    const endpoint = await createListenEndpoint(options);
    const forwardTo = target && `${target.origin}${target.pathname}`;
    printLines(output.listening(endpoint.id, endpoint.secret, forwardTo));
    await stopSignal;
    lastLine = output.ended(endpoint.id, await endpoint.remove());
  } finally {
    await forwarder.close();
  }
  printLines(lastLine);
}

/** @returns null for none */
function parseTarget(text: string | undefined): URL | null {
  if (text === undefined) return null;
  const url = URL.parse(text);
  if (url && (url.protocol === "http:" || url.protocol === "https:")) return url;
  throw new CliError("Invalid receiver URL. Set --forward-to to an http or https URL, or omit it to print the events.");
}

/** Resolves at the first signal. npm forwards a signal that the terminal also sends, so the second one is ignored. */
function waitForSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => resolve());
  });
}

const FAILURE_NOTES = {
  unreachable: " (receiver unreachable)",
  timeout: " (no response within 15 s)",
  aborted: " (aborted)",
  too_large: " (over 1 MB, not forwarded)",
} as const;

function failureNote({ failure, status, clockAhead }: ForwardedDelivery): string {
  if (failure) return FAILURE_NOTES[failure];
  return clockAhead && status >= 400 ? " (the stack's clock is ahead: a receiver rejects its timestamps)" : "";
}

const textOutput = {
  listening: (id: string, secret: string, to: string | null) =>
    to === null
      ? `Endpoint ${id} is ready. Its events are printed here. Press Ctrl-C to stop.`
      : `Endpoint ${id} forwards to ${to}. Use this secret in your receiver:\n${secret}\nPress Ctrl-C to stop.`,
  forwarded: (delivery: ForwardedDelivery) => {
    const { at, eventType, eventId, status, durationMs } = delivery;
    return `${iso(at)} ${eventType} ${eventId} ${status}${failureNote(delivery)} ${durationMs} ms`;
  },
  event: (body: Buffer | null) => printableJson(parseEvent(body), 2),
  ended: (id: string, removed: boolean) =>
    removed ? `Endpoint ${id} was deleted.` : `Endpoint ${id} was not deleted. Delete it with the API.`,
};

const jsonOutput = {
  listening: (id: string, secret: string, to: string | null) =>
    printableJson({ endpoint: id, signing_secret: secret, forward_to: to }),
  forwarded: ({ at, eventType, eventId, status, failure, durationMs }: ForwardedDelivery) =>
    printableJson({
      time: iso(at),
      event_type: eventType,
      event_id: eventId,
      status,
      failure,
      duration_ms: durationMs,
    }),
  event: (body: Buffer | null) => printableJson({ event: parseEvent(body) }),
  ended: (id: string, removed: boolean) => printableJson({ endpoint: id, removed }),
};

/** @returns null for a body that is no JSON */
function parseEvent(body: Buffer | null): unknown {
  try {
    return JSON.parse(body?.toString("utf8") ?? "null") as unknown;
  } catch {
    return null;
  }
}
