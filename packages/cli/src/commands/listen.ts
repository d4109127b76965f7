import { readFileSync } from "node:fs";
import { rootCertificates } from "node:tls";
import { CliError } from "../cli-error.ts";
import { createListenEndpoint } from "../listen/endpoint.ts";
import { openForwarder } from "../listen/forwarder.ts";
import { jsonLines, textLines } from "../listen/lines.ts";
import type { Receiver } from "../listen/post.ts";
import { listenSecret } from "../listen/secret.ts";
import { type ListenSession, shownUrl } from "../listen/session.ts";
import { forwardStream } from "../listen/stream-events.ts";
import { parseEventTypes } from "../target/event-types.ts";
import type { Target } from "../target/target.ts";
import { printLines } from "../text/print.ts";
import { waitForSignal } from "../text/signals.ts";

export interface ListenArguments {
  readonly "forward-to"?: string | undefined;
  readonly "trust-certificate"?: string | undefined;
  readonly events?: string | undefined;
  readonly json: boolean;
}

/**
 * Forwards events to a receiver until SIGINT, SIGTERM or SIGHUP: the deliveries of a temporary endpoint of the local stack, or the events
 * of a deployment's realtime stream. Prints the signing secret once and a line per event, never the content of a message. Without a
 * receiver, it prints each event.
 * @throws CliError for an invalid URL or certificate, when nothing responds, and when the API refuses the endpoint
 */
export async function listen(target: Target, values: ListenArguments): Promise<undefined> {
  const receiver = parseReceiver(values["forward-to"], values["trust-certificate"]);
  const lines = values.json ? jsonLines : textLines;
  const session = { target, receiver, lines, secret: listenSecret(target), events: parseEventTypes(values.events) };
  await (target.local === null ? forwardStream(session) : forwardEndpoint(session));
}

async function forwardEndpoint({ target, receiver, lines, secret, events }: ListenSession): Promise<void> {
  const stopSignal = waitForSignal();
  let endpointId: string | null = null;
  let isPaused = false;
  const forwarder = await openForwarder({ receiver, secret }, (delivery) => {
    printLines(lines.forwarded(delivery));
    if (!receiver) printLines(lines.event(parseEvent(delivery.body)));
    if (delivery.status !== 410 || isPaused || endpointId === null) return;
    isPaused = true;
    printLines(lines.paused(endpointId));
  });
  let lastLine: string;
  try {
    const endpoint = await createListenEndpoint(target, { url: forwarder.url, events });
    endpointId = endpoint.id;
    printLines(lines.listening(endpoint.id, secret, receiver && shownUrl(receiver)));
    await stopSignal;
    lastLine = lines.ended(endpoint.id, await endpoint.remove());
  } finally {
    await forwarder.close();
  }
  printLines(lastLine);
}

/** @returns null for none */
function parseReceiver(text: string | undefined, certificate: string | undefined): Receiver | null {
  if (text === undefined) return null;
  const url = URL.parse(text);
  if (url && (url.protocol === "http:" || url.protocol === "https:")) {
    return { url, ca: certificate === undefined ? undefined : [...rootCertificates, readCertificate(certificate)] };
  }
  throw new CliError("Invalid receiver URL. Set --forward-to to an http or https URL, or omit it to print the events.");
}

function readCertificate(file: string): string {
  try {
    const pem = readFileSync(file, "utf8");
    if (pem.includes("-----BEGIN CERTIFICATE-----")) return pem;
  } catch {
    // Not readable.
  }
  throw new CliError(`No certificate in ${file}. Set --trust-certificate to a file in the PEM format.`);
}

/** @returns null for a body that is no JSON */
function parseEvent(body: Buffer | null): unknown {
  try {
    return JSON.parse(body?.toString("utf8") ?? "null") as unknown;
  } catch {
    return null;
  }
}
