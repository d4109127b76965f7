import { iso } from "../../shared/kernel/time.ts";
import type { Arguments } from "./arguments.ts";
import { CliError } from "./cli-error.ts";
import { localStack } from "./deployment.ts";
import { type ForwardedDelivery, openForwarder } from "./forwarder.ts";
import { createListenEndpoint } from "./listen-endpoint.ts";

/**
 * Forwards the deliveries of a temporary endpoint to a receiver until SIGINT, SIGTERM or SIGHUP, then deletes the
 * endpoint. Prints the signing secret once and a line per delivery, never the content of a message.
 * @throws CliError for an invalid URL, when no stack runs, and when the stack refuses the endpoint
 */
export async function listen(values: Arguments): Promise<void> {
  const target = parseTarget(values["forward-to"]);
  localStack();
  const output = values.json ? jsonOutput : textOutput;
  const stopSignal = waitForSignal();
  const forwarder = await openForwarder(target, (delivery) => printLine(output.forwarded(delivery)));
  let lastLine: string;
  try {
    const options = { url: forwarder.url, tenant: values.tenant, events: values.events?.split(",") };
    const endpoint = await createListenEndpoint(options);
    printLine(output.listening(endpoint.id, endpoint.secret, `${target.origin}${target.pathname}`));
    await stopSignal;
    lastLine = output.ended(endpoint.id, await endpoint.remove());
  } finally {
    await forwarder.close();
  }
  printLine(lastLine);
}

function parseTarget(text: string | undefined): URL {
  const url = URL.parse(text ?? "");
  if (url && (url.protocol === "http:" || url.protocol === "https:")) return url;
  throw new CliError("Missing or invalid receiver URL. Add --forward-to with an http or https URL.");
}

/** Resolves at the first signal. npm forwards a signal that the terminal also sends, so the second one is ignored. */
function waitForSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => resolve());
  });
}

function printLine(line: string): void {
  process.stdout.write(`${line}\n`);
}

const FAILURE_NOTES = {
  unreachable: " (receiver unreachable)",
  timeout: " (no response within 15 s)",
  aborted: " (aborted)",
  too_large: " (over 1 MB, not forwarded)",
} as const;

const textOutput = {
  listening: (id: string, secret: string, to: string) =>
    `Endpoint ${id} forwards to ${to}. Use this secret in your receiver:\n${secret}\nPress Ctrl-C to stop.`,
  forwarded: ({ at, eventType, eventId, status, failure, durationMs }: ForwardedDelivery) =>
    `${iso(at)} ${eventType} ${eventId} ${status}${failure ? FAILURE_NOTES[failure] : ""} ${durationMs} ms`,
  ended: (id: string, removed: boolean) =>
    removed ? `Endpoint ${id} was deleted.` : `Endpoint ${id} was not deleted. Delete it with the API.`,
};

const jsonOutput = {
  listening: (id: string, secret: string, to: string) =>
    JSON.stringify({ endpoint: id, signing_secret: secret, forward_to: to }),
  forwarded: ({ at, eventType, eventId, status, failure, durationMs }: ForwardedDelivery) =>
    JSON.stringify({
      time: iso(at),
      event_type: eventType,
      event_id: eventId,
      status,
      failure,
      duration_ms: durationMs,
    }),
  ended: (id: string, removed: boolean) => JSON.stringify({ endpoint: id, removed }),
};
