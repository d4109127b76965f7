import { setImmediate } from "node:timers/promises";
import { Parley } from "#client";
import { type Conversation, type Message, millis } from "../../../../web/console/data/types.ts";

const PAGE = 50;
const DAY = 24 * 3_600_000;

/** The lists of the API over conversations in memory, for the client. */
export class SmallServer {
  readonly conversations = new Map<string, Conversation>();
  readonly messages = new Map<string, Message[]>();
  readonly requests: string[] = [];
  /** Answers the next requests with this status. */
  failure: number | null = null;
  /** A page with a filter examines at most so many conversations. */
  examinedMax = 200;
  readonly now: () => number;
  readonly #cursors = new Map<string, Conversation>();

  constructor(now: () => number) {
    this.now = now;
  }

  client(): Parley {
    return new Parley({
      baseUrl: "https://parley.example.com",
      tenant: "acme",
      maxRetries: 0,
      fetch: (url) => this.#fetch(new URL(String(url))),
    });
  }

  /** The answer shows what was true when the request came, and arrives a moment later. */
  async #fetch(url: URL): Promise<Response> {
    const response = this.#answer(url);
    await setImmediate();
    return response;
  }

  #answer(url: URL): Response {
    this.requests.push(`${url.pathname}${url.search}`);
    if (this.failure !== null)
      return json(this.failure, { ok: false, error: { code: "internal_error", message: "It failed." } });
    const limit = Number(url.searchParams.get("limit") ?? PAGE);
    const id = /^\/v1\/conversations\/(.+)$/.exec(url.pathname)?.[1];
    if (id === undefined) return this.#list(url.searchParams, limit);
    const cursor = Number(url.searchParams.get("cursor") ?? 0);
    const conversation = this.conversations.get(decodeURIComponent(id));
    if (!conversation)
      return json(404, { ok: false, error: { code: "conversation_not_found", message: "No such conversation." } });
    const messages = [...(this.messages.get(conversation.id) ?? [])].reverse();
    return page("messages", messages, { cursor, limit, more: { conversation } });
  }

  #list(query: URLSearchParams, limit: number): Response {
    const after = this.#cursors.get(query.get("cursor") ?? "") ?? null;
    const { examinedMax } = this;
    const now = this.now();
    const { conversations, last } = listPage(this.conversations.values(), query, { after, limit, examinedMax, now });
    const next_cursor = last && `after ${last.id} ${last.last_message_at}`;
    if (last && next_cursor !== null) this.#cursors.set(next_cursor, last);
    return json(200, { ok: true, data: { conversations, next_cursor } });
  }
}

/** What the service reads for a list, in order, and which of that the list shows. @param now epoch milliseconds */
function readFor(conversations: Iterable<Conversation>, query: URLSearchParams, now: number) {
  const isWaiting = query.get("needs_reply") === "true";
  const isFiltered = isWaiting || query.has("platform") || query.has("account_key");
  const matches = (each: Conversation) =>
    (query.get("platform") ?? each.platform) === each.platform &&
    (query.get("account_key") ?? each.account_key) === each.account_key &&
    (!isWaiting || each.needs_reply);
  const at = (each: Conversation) => millis(each.last_message_at);
  const isOpen = (each: Conversation) => at(each) > now - DAY;
  const read = [...conversations].sort(
    isWaiting
      ? (a, b) => Number(isOpen(b)) - Number(isOpen(a)) || at(a) - at(b) || (a.id < b.id ? -1 : 1)
      : (a, b) => at(b) - at(a) || (a.id < b.id ? -1 : 1),
  );
  return { read, matches, isFiltered };
}

/**
 * A page of a list. One with a filter ends after so many conversations were examined, however few of them match.
 * @param page `after` was the last one that the page before examined; null starts at the first
 * @returns `last`: the last one that was examined; null on the last page
 */
export function listPage(
  conversations: Iterable<Conversation>,
  query: URLSearchParams,
  page: { after: Conversation | null; limit: number; examinedMax: number; now: number },
): { conversations: Conversation[]; last: Conversation | null } {
  const { limit, examinedMax, now } = page;
  const after = page.after && { ...page.after, id: `${page.after.id}~` };
  const { read, matches, isFiltered } = readFor([...conversations, ...(after ? [after] : [])], query, now);
  const matching: Conversation[] = [];
  let examined = 0;
  const start = after ? read.indexOf(after) + 1 : 0;
  for (const [index, each] of read.entries()) {
    if (index < start) continue;
    examined += 1;
    if (matches(each)) matching.push(each);
    const isFull = matching.length === limit || (isFiltered && examined === examinedMax);
    if (isFull) return { conversations: matching, last: index + 1 < read.length ? each : null };
  }
  return { conversations: matching, last: null };
}

interface Slice {
  readonly cursor: number;
  readonly limit: number;
  readonly more?: object;
}

function page(name: string, all: readonly unknown[], { cursor, limit, more = {} }: Slice): Response {
  const end = cursor + limit;
  return json(200, {
    ok: true,
    data: { ...more, [name]: all.slice(cursor, end), next_cursor: end < all.length ? String(end) : null },
  });
}

function json(status: number, body: object): Response {
  return new Response(JSON.stringify({ correlation_id: "cor_1", ...body }), {
    status,
    headers: { "content-type": "application/json" },
  });
}
