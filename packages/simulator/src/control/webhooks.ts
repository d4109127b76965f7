import type { Context } from "../calls/context.ts";
import { BadInput, type Fields, optionalEnum, requiredString } from "../http/fields.ts";
import type { EnqueuedWebhook } from "../webhooks/deliveries.ts";
import { wireJson } from "../webhooks/signing.ts";
import type { SecretName, WebhookObject } from "../world/model.ts";

const objects = ["instagram", "page"] as const;

function secretFor(object: WebhookObject, fields: Fields): SecretName {
  return optionalEnum(fields, "secret", ["meta", "instagram"]) ?? (object === "instagram" ? "instagram" : "meta");
}

/** The answer of a control route that sends a body. */
export interface SentBody {
  status_of_webhook: "delivered" | "waiting";
  receiver: number | string | null;
  webhook: string | null;
}

async function sendBody(
  { deliveries }: Context,
  webhook: { object: WebhookObject; secret: SecretName; body: string },
): Promise<SentBody> {
  return toSentBody(deliveries.enqueueBody({ ...webhook, mids: [] }));
}

/** Waits for the first attempt. */
export async function toSentBody({ id, outcome }: EnqueuedWebhook): Promise<SentBody> {
  const receiver = await outcome;
  return { status_of_webhook: receiver === 200 ? "delivered" : "waiting", receiver, webhook: id };
}

/** Signs and posts any payload: `{object, entry, secret?}`. It is retried like every other webhook. */
export async function sendRawWebhook(context: Context, fields: Fields): Promise<unknown> {
  const object = optionalEnum(fields, "object", objects);
  if (object === undefined) throw new BadInput(`object must be one of ${objects.join(", ")}`);
  if (!Array.isArray(fields.entry)) throw new BadInput("entry must be a list");
  const body = wireJson({ object, entry: fields.entry });
  const secret = secretFor(object, fields);
  return sendBody(context, { object, secret, body });
}

/** Posts the event of the "Test" button in the app dashboard. Its ids belong to no account or person. */
export async function sendDashboardTest(context: Context, fields: Fields): Promise<unknown> {
  const object = optionalEnum(fields, "object", objects) ?? "instagram";
  const value = {
    sender: { id: "12334" },
    recipient: { id: "23245" },
    timestamp: "1527459824",
    message: { mid: "random_mid", text: "random_text" },
  };
  const content = object === "instagram" ? { changes: [{ field: "messages", value }] } : { messaging: [value] };
  const body = wireJson({ object, entry: [{ id: "0", time: Math.floor(context.world.now() / 1000), ...content }] });
  return sendBody(context, { object, secret: secretFor(object, fields), body });
}

/** Verifies the receiver's callback URL, as the platforms do when the URL is saved. */
export async function verifyCallback(context: Context, fields: Fields): Promise<unknown> {
  const object = optionalEnum(fields, "object", objects) ?? "instagram";
  const token = fields.verify_token === undefined ? context.verifyToken : requiredString(fields, "verify_token");
  const url = new URL(`${context.webhookBase}/webhooks/${object === "instagram" ? "instagram" : "messenger"}`);
  const challenge = String(Math.floor(1_000_000_000 + Math.random() * 1_000_000_000));
  url.searchParams.set("hub.mode", "subscribe");
  url.searchParams.set("hub.verify_token", token);
  url.searchParams.set("hub.challenge", challenge);
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(5_000), redirect: "error" });
    const answer = await response.text();
    return { verified: response.status === 200 && answer === challenge, receiver: response.status };
  } catch (error) {
    return { verified: false, receiver: error instanceof Error ? error.message : String(error) };
  }
}
