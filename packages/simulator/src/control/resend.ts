import type { Context } from "../calls/context.ts";
import { BadInput, type Fields, isFields, optionalEnum, refuseUnknownFields, requiredString } from "../http/fields.ts";
import { wireJson } from "../webhooks/signing.ts";
import type { WebhookObject } from "../world/model.ts";
import { type SentBody, toSentBody } from "./webhooks.ts";

/** Bodies of Meta have at most 1,000 updates. The log has no larger ones either. */
const bodyCharsMax = 256_000;

/**
 * Sends a webhook of the log again: the same bytes, or the body in their place. Every signature is made again. The copy is
 * a webhook of its own, which is retried like any other.
 * Fields: `webhook`, `body?` (an object, or its exact text), `signature?`.
 */
export async function resendWebhook({ deliveries }: Context, fields: Fields): Promise<SentBody> {
  refuseUnknownFields(fields, ["webhook", "body", "signature"]);
  const id = requiredString(fields, "webhook");
  const original = deliveries.log.webhook(id);
  if (original === undefined)
    throw new BadInput(`there is no webhook ${id.slice(0, 60)} in the log: GET /webhooks lists the newest 50`);
  const { object, body } = parseBody(fields.body ?? original.body);
  const isForged = optionalEnum(fields, "signature", ["good", "bad"]) === "bad";
  return toSentBody(deliveries.sendAgain(original, { object, body, isForged }));
}

/** A body that the simulator can send. A text is sent as it is, so that a script can vary its bytes. */
function parseBody(value: unknown): { object: WebhookObject; body: string } {
  const content = typeof value === "string" ? parseJson(value) : value;
  if (!isFields(content)) throw new BadInput('body must be an object such as {"object": "instagram", "entry": []}');
  const { object, entry } = content;
  if (object !== "instagram" && object !== "page") throw new BadInput("body.object must be one of instagram, page");
  if (!Array.isArray(entry)) throw new BadInput("body.entry must be a list");
  const body = typeof value === "string" ? value : wireJson(value);
  if (body.length > bodyCharsMax) throw new BadInput(`body is longer than ${bodyCharsMax} characters`);
  return { object, body };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new BadInput(`body is not JSON: ${(error as Error).message}`);
  }
}

/** Delivers an event of the app again, through the app's own API. Fields: `endpoint_id`, `delivery_id`. */
export async function replayEvent({ host }: Context, fields: Fields): Promise<{ replayed: string }> {
  const endpointId = requiredString(fields, "endpoint_id");
  const deliveryId = requiredString(fields, "delivery_id");
  if (host?.replay === undefined) throw new BadInput("the simulator runs alone: replay the event in your app");
  const problem = await host.replay({ endpoint_id: endpointId, delivery_id: deliveryId });
  if (problem !== null) throw new BadInput(`the app did not replay the event: ${problem}`);
  return { replayed: deliveryId };
}
