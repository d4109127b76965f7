import { type Answer, type Call, json } from "../http/http-server.ts";
import type { Token } from "../world/model.ts";
import { type Context, type GraphHost, parameter } from "./context.ts";
import { refuse } from "./error-messages.ts";
import { pageValues } from "./nodes.ts";

const pageFields = [
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

const instagramFields = [
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

function askedFields(call: Call): string[] {
  const given = call.body.subscribed_fields;
  if (Array.isArray(given)) return given.map(String);
  const list = parameter(call, "subscribed_fields") ?? "";
  return list
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}

/** `GET`, `POST` and `DELETE /{node}/subscribed_apps`. A POST replaces the fields that were there. */
export async function subscribedApps(
  context: Context,
  host: GraphHost,
  node: string,
  token: Token,
  call: Call,
): Promise<Answer> {
  const { state } = context.world;
  const appScoped = state.accounts.find((account) => account.key === `instagram_login:${token.subject}`)?.appScopedId;
  if (token.kind === "user" || !["me", token.subject, appScoped].includes(node)) {
    throw refuse.unknownNode(call.method, node);
  }
  const onInstagram = host === "instagram";
  if (call.method === "POST") {
    const known = onInstagram ? instagramFields : pageFields;
    const asked = askedFields(call);
    if (asked.length === 0) throw refuse.parameter("The parameter subscribed_fields is required.", onInstagram);
    const unknown = asked.findIndex((name) => !known.includes(name));
    if (unknown >= 0) {
      throw refuse.parameter(`Param subscribed_fields[${unknown}] must be one of {${known.join(", ")}}`, onInstagram);
    }
    state.subscriptions[token.subject] = asked;
    await context.world.changed();
    return json(200, { success: true });
  }
  if (call.method === "DELETE") {
    delete state.subscriptions[token.subject];
    await context.world.changed();
    return json(200, { success: true });
  }
  const fields = state.subscriptions[token.subject];
  if (fields === undefined) return json(200, { data: [] });
  const app = { id: context.world.appId, name: "Simulated app", subscribed_fields: fields };
  if (onInstagram) return json(200, { data: [app] });
  const { category } = pageValues(context, token.subject);
  return json(200, { data: [{ ...app, category, link: `${context.url()}/` }] });
}
