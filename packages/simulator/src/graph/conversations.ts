import { type Context, type GraphHost, type NodeCall, parameter } from "../calls/context.ts";
import { refuse } from "../calls/error-messages.ts";
import { type Field, parseFields, selectFields, type Values } from "../calls/fields.ts";
import { paginate } from "../calls/paging.ts";
import { assertMessaging } from "../calls/permissions.ts";
import { type HttpOutcome, json } from "../http/http-server.ts";
import type { Account, Person, Thread, ThreadMessage, Token } from "../world/model.ts";
import { isInstagram } from "../world/platform.ts";
import type { World } from "../world/world.ts";
import { accountNode, graphTime, messageValues } from "./message-values.ts";

/** Only so many messages of a thread, the newest, can be read. */
const readableMax = 20;

/** A thread with both of its sides. */
interface Conversation {
  account: Account;
  person: Person;
  thread: Thread;
}

/** The accounts whose messages a token may name: an Instagram account, or every account of a Page. */
function accountsOfToken(world: World, host: GraphHost, token: Token): Account[] {
  if (host === "facebook") return token.kind === "page" ? world.accountsOfPage(token.subject) : [];
  return world.state.accounts.filter((account) => account.key === `instagram_login:${token.subject}`);
}

/** The messages of a thread that were not unsent, newest first. */
function messagesOf({ thread }: Conversation): ThreadMessage[] {
  const messages = thread.messages.filter(({ deleted }) => !deleted);
  return messages.toReversed().toSorted((a, b) => b.at - a.at);
}

/** `GET /{node}/conversations?platform=…[&user_id=…]`: the account's threads, the last changed first. */
export function listConversations(context: Context, { host, node, token, call }: NodeCall): HttpOutcome {
  const { world } = context;
  const onInstagram = host === "instagram";
  const accounts = accountsOfToken(world, host, token);
  const nodes = ["me", token.subject, ...(onInstagram ? accounts.map(({ appScopedId }) => appScopedId) : [])];
  if (!nodes.includes(node)) throw refuse.unknownNode("GET", node);
  const platform = parameter(call, "platform")?.toLowerCase() ?? (onInstagram ? "instagram" : "messenger");
  if (!["instagram", "messenger"].includes(platform) || (onInstagram && platform !== "instagram")) {
    throw refuse.parameter("Param platform must be one of {instagram, messenger}", onInstagram);
  }
  const account = accounts.find((one) => isInstagram(one) === (platform === "instagram"));
  // The permission is checked first, as for a Page that never had a linked account.
  assertMessaging(token, account ?? { connection: platform === "instagram" ? "instagram_page" : "messenger" });
  if (account === undefined) return json(200, { data: [] });
  const userId = parameter(call, "user_id");
  const conversations = world.state.threads
    .filter((thread) => thread.account === account.key && (userId === undefined || thread.person === userId))
    .flatMap((thread): Conversation[] => {
      const person = world.person(account, thread.person);
      return person === undefined ? [] : [{ account, person, thread }];
    })
    .filter((one) => messagesOf(one).length > 0)
    .toSorted((a, b) => updatedAt(b) - updatedAt(a));
  const fields = parseFields(
    parameter(call, "fields") ?? (isInstagram(account) ? "updated_time" : "link,updated_time"),
  );
  const { items, paging } = paginate(context, call, conversations);
  const data = items.map((one) => selectFields(conversationValues(context, one), fields, onInstagram));
  return json(200, { data, ...(items.length === 0 ? {} : { paging }) });
}

function updatedAt(conversation: Conversation): number {
  return messagesOf(conversation)[0]?.at ?? 0;
}

/** The conversation with that id, if the token may read it. Throws the platform's error without the permission. */
export function findConversation(context: Context, { host, node, token }: NodeCall): Conversation | null {
  const { world } = context;
  for (const account of accountsOfToken(world, host, token)) {
    const thread = world.state.threads.find(
      (one) => one.account === account.key && conversationId(one, account) === node,
    );
    const person = thread && world.person(account, thread.person);
    if (thread === undefined || person === undefined) continue;
    assertMessaging(token, account);
    return { account, person, thread };
  }
  return null;
}

/** `GET /{conversation}`, by default with its id and time. `fields=messages{…}` lists its messages, newest first. */
export function readConversation(context: Context, nodeCall: NodeCall, conversation: Conversation): HttpOutcome {
  const fields = parseFields(parameter(nodeCall.call, "fields") ?? "updated_time");
  return json(200, selectFields(conversationValues(context, conversation), fields, nodeCall.host === "instagram"));
}

/** `GET /{conversation}/messages`: the messages, newest first and paged. */
export function listMessages(context: Context, { host, call }: NodeCall, conversation: Conversation): HttpOutcome {
  const fields = parseFields(parameter(call, "fields") ?? "created_time");
  const { items, paging } = paginate(context, call, messagesOf(conversation));
  const data = items.map((message) => listedMessage(conversation, { message, fields, host }));
  return json(200, { data, ...(items.length === 0 ? {} : { paging }) });
}

/**
 * `GET /{mid}` of one of the newest 20 messages of its thread; null if the token has no such message.
 * Throws error 9000001 for an older or unsent one.
 */
export function readMessage(context: Context, { host, node, token, call }: NodeCall): HttpOutcome | null {
  const { world } = context;
  for (const account of accountsOfToken(world, host, token)) {
    const threads = world.state.threads.filter((one) => one.account === account.key);
    const thread = threads.find(({ messages }) => messages.some(({ mid }) => mid === node));
    const person = thread && world.person(account, thread.person);
    if (thread === undefined || person === undefined) continue;
    assertMessaging(token, account);
    const conversation = { account, person, thread };
    const message = messagesOf(conversation)
      .slice(0, readableMax)
      .find(({ mid }) => mid === node);
    if (message === undefined) throw refuse.unreadableMessage(host === "instagram");
    const fields = parseFields(parameter(call, "fields") ?? "created_time");
    return json(200, selectFields(messageValues(conversation, message), fields, host === "instagram"));
  }
  return null;
}

/** Of a message that can no longer be read, a list has the id and the time only. */
function listedMessage(
  conversation: Conversation,
  { message, fields, host }: { message: ThreadMessage; fields: readonly Field[]; host: GraphHost },
): Values {
  const isReadable = messagesOf(conversation).slice(0, readableMax).includes(message);
  const readable = isReadable ? fields : fields.filter(({ name }) => ["id", "created_time"].includes(name));
  return selectFields(messageValues(conversation, message), readable, host === "instagram");
}

function conversationValues(context: Context, conversation: Conversation): Values {
  const { account, person, thread } = conversation;
  const host = account.connection === "instagram_login" ? "instagram" : "facebook";
  const all = messagesOf(conversation);
  return {
    id: conversationId(thread, account),
    link: isInstagram(account) ? null : `/${account.externalId}/inbox/${thread.id}/`,
    updated_time: graphTime(all[0]?.at ?? context.world.now()),
    message_count: all.length,
    participants: { data: [accountNode(account), accountNode(account, person)] },
    messages: ({ limit, inner }: Field) => {
      const fields = inner ?? parseFields("created_time");
      const isList = fields.every(({ name }) => ["id", "created_time"].includes(name));
      const shown = all.slice(0, Math.min(limit ?? 25, isList ? 25 : readableMax));
      return { data: shown.map((message) => listedMessage(conversation, { message, fields, host })) };
    },
  };
}

/** The id of a thread in the Conversations API. On Instagram it is written as message ids are. */
function conversationId({ id }: Thread, account: Account): string {
  if (!isInstagram(account)) return `t_${id}`;
  return Buffer.from(`ig_dm_thread:${account.externalId}:${id}`).toString("base64url");
}
