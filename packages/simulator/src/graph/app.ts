import type { Context } from "../calls/context.ts";
import { refuse } from "../calls/error-messages.ts";
import { type HttpOutcome, json } from "../http/http-server.ts";
import { instagramFields, pageFields } from "./subscriptions.ts";

/** `GET /{app-id}` and `GET /{app-id}/subscriptions`, with the app's token. The webhooks of the app have every field. */
export function readApp({ world, webhookBase }: Context, node: string, edge: string | undefined): HttpOutcome {
  if (node !== world.appId && node !== "app") throw refuse.unknownNode("GET", node);
  if (edge === undefined)
    return json(200, { id: world.appId, name: "Simulated app", link: "https://www.facebook.com/" });
  if (edge !== "subscriptions") throw refuse.unknownPath();
  const toRow = (object: string, path: string, fields: readonly string[]) => ({
    object,
    callback_url: `${webhookBase}/webhooks/${path}`,
    active: true,
    fields: fields.map((name) => ({ name, version: "v26.0" })),
  });
  return json(200, {
    data: [toRow("page", "messenger", pageFields), toRow("instagram", "instagram", instagramFields)],
  });
}
