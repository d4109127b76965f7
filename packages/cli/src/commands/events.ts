import { ParleyError } from "../../../client/src/errors.ts";
import type { WebhookEvent } from "../../../client/src/webhook-verifier.ts";
import { CliError } from "../cli-error.ts";
import { parseEventTypes } from "../target/event-types.ts";
import { openEvents } from "../target/events.ts";
import { callApi, type Target } from "../target/target.ts";
import { meantOption } from "../text/meant-option.ts";
import { printableJson, printLines } from "../text/print.ts";
import { waitForSignal } from "../text/signals.ts";

export interface EventsArguments {
  readonly positionals: readonly string[];
  readonly events?: string | undefined;
  readonly conversation?: string | undefined;
  readonly endpoint?: string | undefined;
  readonly force: boolean;
  readonly json: boolean;
}

/**
 * Prints a line per event of the realtime stream until a signal, without the text of messages. `events replay ID` delivers an event to
 * its endpoints again.
 * @throws CliError when nothing responds, and when the API refuses
 */
export async function events(target: Target, values: EventsArguments): Promise<undefined> {
  const [, action, ...rest] = values.positionals;
  if (action === "replay") return await replay(target, values, rest);
  if (action !== undefined)
    throw new CliError(
      `Unexpected argument: ${action}.${meantOption(action, ["events", "conversation"])} Use events, or events replay EVENT_ID.`,
    );
  const stream = openEvents(target, {
    types: parseEventTypes(values.events),
    onReady: () => printNotice("Waiting for events. Press Ctrl-C to stop.", values),
    onNotice: (text) => printNotice(text, values),
    onEvent: (event) => {
      if (values.conversation !== undefined && conversationOf(event) !== values.conversation) return;
      printLines(values.json ? printableJson(event) : toLine(event));
    },
  });
  try {
    await Promise.race([waitForSignal(), stream.ended]);
  } finally {
    stream.close();
  }
}

/** Of JSON, each line is an event, so that a program reads them alike. */
function printNotice(text: string, { json }: EventsArguments): void {
  if (!json) printLines(text);
}

function conversationOf({ data }: WebhookEvent): string | null {
  if ("message" in data && "conversation_id" in data.message) return data.message.conversation_id;
  if ("referral" in data) return data.referral.conversation_id;
  return "conversation" in data ? data.conversation.id : null;
}

function toLine(event: WebhookEvent): string {
  return `${event.created_at} ${event.type} ${event.id} ${conversationOf(event) ?? "-"}`;
}

async function replay(
  target: Target,
  { endpoint, force, json }: EventsArguments,
  [eventId, ...rest]: readonly string[],
): Promise<undefined> {
  if (eventId === undefined || rest.length > 0 || !/^evt_\w+$/.test(eventId)) {
    throw new CliError("Missing event id. Use events replay EVENT_ID, such as evt_01M7ZAN532DXZZ1TKP6RZ0YEPG.");
  }
  const endpointIds = endpoint === undefined ? await listEndpointIds(target) : [endpoint];
  let count = 0;
  for (const id of endpointIds) {
    // The id of a delivery has the ids of its event and its endpoint.
    const deliveryId = `dlv_${eventId.slice("evt_".length)}_${id}`;
    const call = target.api.deliveries.replay(id, deliveryId, force ? { force: "true" } : {});
    const result = await callApi(target, absentAsNull(call), `to replay ${eventId} to ${id}`, replayAdvice(force));
    if (result === null) continue;
    count += 1;
    printLines(json ? printableJson({ endpoint: id, ...result }) : `${eventId} is sent to endpoint ${id} again.`);
  }
  if (count === 0)
    throw new CliError(`No delivery of ${eventId} to ${endpoint ?? "any endpoint"}. Check the event id.`);
}

async function listEndpointIds(target: Target): Promise<readonly string[]> {
  const { endpoints } = await callApi(target, target.api.webhooks.list(), "to list the endpoints");
  return endpoints.map(({ id }) => id);
}

/** Null for an endpoint that the event was not delivered to. */
async function absentAsNull<T>(call: Promise<T>): Promise<T | null> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof ParleyError && error.code === "delivery_not_found") return null;
    throw error;
  }
}

function replayAdvice(force: boolean): string | undefined {
  return force ? undefined : "Add --force to send a delivered event again.";
}
