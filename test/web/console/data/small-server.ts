import { setImmediate } from "node:timers/promises";
import { Parley } from "#client";
import { type Conversation, type Message, millis } from "../../../../web/console/data/types.ts";

const PAGE = 50;
const DAY = 24 * 3_600_000;

/** The two lists of the API over conversations in memory, for the client. */
export class SmallServer {
  readonly conversations = new Map<string, Conversation>();
  readonly messages = new Map<string, Message[]>();
  readonly requests: string[] = [];
  /** Answers the next requests with this status. */
  failure: number | null = null;
  readonly now: () => number;

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
    const cursor = Number(url.searchParams.get("cursor") ?? 0);
    const limit = Number(url.searchParams.get("limit") ?? PAGE);
    const id = /^\/v1\/conversations\/(.+)$/.exec(url.pathname)?.[1];
    if (id === undefined)
      return page("conversations", listed(this.conversations.values(), url.searchParams, this.now()), {
        cursor,
        limit,
      });
    const conversation = this.conversations.get(decodeURIComponent(id));
    if (!conversation)
      return json(404, { ok: false, error: { code: "conversation_not_found", message: "No such conversation." } });
    const messages = [...(this.messages.get(conversation.id) ?? [])].reverse();
    return page("messages", messages, { cursor, limit, more: { conversation } });
  }
}

/** What the list of the API shows, from its first page on. @param now epoch milliseconds */
export function listed(conversations: Iterable<Conversation>, query: URLSearchParams, now: number): Conversation[] {
  const all = [...conversations].filter(
    (each) =>
      (query.get("platform") ?? each.platform) === each.platform &&
      (query.get("account_key") ?? each.account_key) === each.account_key,
  );
  if (query.get("needs_reply") !== "true") {
    return all.sort((a, b) => millis(b.last_message_at) - millis(a.last_message_at) || (a.id < b.id ? -1 : 1));
  }
  const isOpen = (each: Conversation) => millis(each.last_inbound_at) > now - DAY;
  return all
    .filter((each) => each.needs_reply)
    .sort((a, b) => Number(isOpen(b)) - Number(isOpen(a)) || millis(a.last_inbound_at) - millis(b.last_inbound_at));
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
