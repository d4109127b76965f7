import { type Context, type NodeCall, parameter } from "../calls/context.ts";
import { refuse } from "../calls/error-messages.ts";
import { assertSubscribing } from "../calls/permissions.ts";
import { type Call, type HttpOutcome, json } from "../http/http-server.ts";
import { subscribe } from "../webhooks/subscription-health.ts";
import { toPageNode } from "./nodes.ts";

/** Of the webhooks of pages. */
export const pageFields = [
  "feed",
  "mention",
  "name",
  "picture",
  "category",
  "description",
  "conversations",
  "ratings",
  "messages",
  "message_echoes",
  "message_reads",
  "message_deliveries",
  "message_reactions",
  "message_edits",
  "messaging_postbacks",
  "messaging_optins",
  "messaging_referrals",
  "messaging_handovers",
  "messaging_policy_enforcement",
  "messaging_account_linking",
  "standby",
];

/** Of those of Instagram accounts. */
export const instagramFields = [
  "comments",
  "live_comments",
  "mentions",
  "story_insights",
  "messages",
  "message_edit",
  "message_reactions",
  "messaging_handover",
  "messaging_optins",
  "messaging_postbacks",
  "messaging_referral",
  "messaging_seen",
  "standby",
];

function requestedFields(call: Call): string[] {
  const rawFields = call.body.subscribed_fields;
  if (Array.isArray(rawFields)) return rawFields.map(String);
  const list = parameter(call, "subscribed_fields") ?? "";
  return list
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}

/** `GET`, `POST` and `DELETE /{node}/subscribed_apps`. A POST replaces the existing fields. */
export async function subscribedApps(context: Context, { host, node, token, call }: NodeCall): Promise<HttpOutcome> {
  const { state } = context.world;
  const appScoped = state.accounts.find((account) => account.key === `instagram_login:${token.subject}`)?.appScopedId;
  if (token.kind === "user" || !["me", token.subject, appScoped].includes(node)) {
    throw refuse.unknownNode(call.method, node);
  }
  const onInstagram = host === "instagram";
  if (call.method === "POST") {
    const allowedFields = onInstagram ? instagramFields : pageFields;
    const subscribedFields = requestedFields(call);
    if (subscribedFields.length === 0)
      throw refuse.parameter("The parameter subscribed_fields is required.", onInstagram);
    const unknownIndex = subscribedFields.findIndex((name) => !allowedFields.includes(name));
    if (unknownIndex >= 0) {
      throw refuse.parameter(
        `Param subscribed_fields[${unknownIndex}] must be one of {${allowedFields.join(", ")}}`,
        onInstagram,
      );
    }
    assertSubscribing(token, subscribedFields);
    subscribe(context.world, token.subject, subscribedFields);
    await context.world.save();
    return json(200, { success: true });
  }
  if (call.method === "DELETE") {
    delete state.subscriptions[token.subject];
    delete state.failing[token.subject];
    delete state.ended[token.subject];
    await context.world.save();
    return json(200, { success: true });
  }
  const fields = state.subscriptions[token.subject];
  if (fields === undefined) return json(200, { data: [] });
  const app = { id: context.world.appId, name: "Simulated app", subscribed_fields: fields };
  if (onInstagram) return json(200, { data: [app] });
  const { category } = toPageNode(context, token.subject);
  return json(200, { data: [{ ...app, category, link: `${context.url()}/` }] });
}
