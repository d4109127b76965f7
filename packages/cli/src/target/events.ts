import type { ParleyError } from "../../../client/src/errors.ts";
import type { StreamEvent } from "../../../client/src/realtime/frames.ts";
import type { WebhookEvent } from "../../../client/src/webhook-verifier.ts";
import { CliError } from "../cli-error.ts";
import { documentationLine, type Target } from "./target.ts";

export interface EventsOptions {
  /** Only these types. */
  readonly types: readonly string[] | undefined;
  readonly onEvent: (event: WebhookEvent) => void;
  /** The first connection stands: later events are reported. */
  readonly onReady: () => void;
  /** Something that a person should know, such as a lost connection. */
  readonly onNotice: (text: string) => void;
}

export interface Events {
  close(): void;
  /** Rejects with a CliError when the stream ends for good. Resolves after `close`. */
  readonly ended: Promise<void>;
}

/** Changes that only the stream reports. */
const STREAM_ONLY = new Set(["hold.updated", "upload.updated", "presence.updated"]);
/** An event type that webhooks get only on request. The stream reports it for each message. */
const ON_REQUEST = "conversation.updated";

/** The events of the target's realtime stream: those that webhooks get. */
export function openEvents(target: Target, { types, onEvent, onReady, onNotice }: EventsOptions): Events {
  const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
  let isReady = false;
  const stream = target.api.connect({
    onHello: () => {
      if (isReady) onNotice("Connected again. Events in between may be missing.");
      else onReady();
      isReady = true;
    },
    onEvent: (event) => {
      if (isWebhookEvent(event) && (types?.includes(event.type) ?? event.type !== ON_REQUEST)) onEvent(event);
    },
    onError: ({ code, message }) =>
      onNotice(`The realtime stream is not connected (${code}): ${message} Trying again.`),
    onClose: (error) => (error === null ? resolve() : reject(endError(target, error))),
  });
  return { close: () => stream.close(), ended };
}

function isWebhookEvent(event: StreamEvent): event is WebhookEvent {
  return !STREAM_ONLY.has(event.type);
}

function endError({ name }: Target, error: ParleyError): CliError {
  return new CliError(`${name} ended the realtime stream (${error.code}): ${error.message}${documentationLine(error)}`);
}
