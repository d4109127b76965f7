import { type Context, type NodeCall, parameter } from "../calls/context.ts";
import { refuse } from "../calls/error-messages.ts";
import { parseFields, selectFields } from "../calls/fields.ts";
import { paginate } from "../calls/paging.ts";
import { type HttpOutcome, json } from "../http/http-server.ts";
import type { Token } from "../world/model.ts";
import { pagesOf } from "../world/pages.ts";
import { toPageNode } from "./nodes.ts";

const tasks = ["ANALYZE", "ADVERTISE", "MESSAGING", "MODERATE", "CREATE_CONTENT", "MANAGE"];

/** `GET /me/accounts`: the Pages that the user granted, each with its token. None without the scope `pages_show_list`. */
export async function pagesOfUser(context: Context, { token, call }: NodeCall): Promise<HttpOutcome> {
  if (token.kind !== "user") throw refuse.unknownNode("GET", "me");
  const { world } = context;
  const granted = token.scopes.includes("pages_show_list") ? pagesOf(world) : [];
  const pages = granted.filter(({ id }) => token.pages?.includes(id) !== false);
  const { items, paging } = paginate(context, call, pages);
  const fields = parseFields(parameter(call, "fields") ?? "access_token,category,name,id,tasks");
  const data = items.map(({ id, canMessage }) => {
    const { instagram_business_account: instagram, ...page } = toPageNode(context, id);
    const values = {
      ...page,
      access_token: pageToken(context, token, id).value,
      tasks: canMessage ? tasks : tasks.filter((task) => task !== "MESSAGING"),
      instagram_business_account: token.scopes.includes("instagram_basic") ? instagram : null,
    };
    return selectFields(values, fields, false);
  });
  await world.save();
  return json(200, { data, ...(items.length === 0 ? {} : { paging }) });
}

/** The Page's token of this login. One that was read with a token of one hour expires with it, others do not expire. */
function pageToken({ world }: Context, token: Token, pageId: string): Token {
  const { tokens } = world.state;
  const existing = tokens.find(({ parent, subject }) => parent === token.value && subject === pageId);
  if (existing !== undefined && !existing.revoked) return existing;
  const isShort = token.expiresAt !== null && token.expiresAt - token.issuedAt <= 3_600_000;
  return world.issueToken({
    kind: "page",
    subject: pageId,
    expiresAt: isShort ? token.expiresAt : null,
    scopes: token.scopes,
    user: token.subject,
    parent: token.value,
  });
}
