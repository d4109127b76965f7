import { type Millis, SECOND } from "#base/kernel/time.ts";
import type { CallOutcome, PlatformHttp } from "#platforms/graph/http.ts";

/** A message that the platform has. */
export interface HistoryMessage {
  readonly id: string;
  readonly person: string;
  /** With milliseconds, as a webhook names it. */
  readonly at: Millis;
  readonly text: string;
  readonly isEcho?: boolean;
}

const READABLE_MAX = 20;

/** The history of one account on a platform. Its cursors are offsets, so a thread that moves shifts the pages. */
export class FakeHistory {
  readonly messages: HistoryMessage[] = [];
  /** When each call was made, with its path. */
  readonly calls: { readonly at: Millis; readonly path: string }[] = [];
  /** Answers a call instead, where it returns a status and a body. Runs before the call is answered. */
  onCall: (path: string, index: number) => { status: number; body: unknown } | undefined = () => undefined;
  readonly #account: string;
  readonly #now: () => Millis;

  constructor(account: string, now: () => Millis) {
    this.#account = account;
    this.#now = now;
  }

  /** A client that answers from this history. It only reads. */
  http(): PlatformHttp {
    const refuse = () => Promise.reject(new Error("The history is only read."));
    return {
      get: async ({ url }) => this.#answer(new URL(url)),
      post: refuse,
      postForm: refuse,
      delete: refuse,
      deadline: () => new AbortController().signal,
    };
  }

  #answer({ pathname, searchParams }: URL): CallOutcome {
    const path = decodeURIComponent(pathname.split("/").slice(2).join("/"));
    const index = this.calls.push({ at: this.#now(), path }) - 1;
    const { status, body } = this.onCall(path, index) ?? { status: 200, body: this.#read(path, searchParams) };
    return { kind: "answered", status, body: JSON.stringify(body), usage: null, retryAfter: null };
  }

  #read(path: string, query: URLSearchParams): object {
    if (!path.endsWith("/conversations")) return this.#thread(path.replace(/^t_/, ""));
    const newest = new Map<string, Millis>();
    for (const { person, at } of this.messages) newest.set(person, Math.max(at, newest.get(person) ?? 0));
    const threads = [...newest].sort(([, one], [, other]) => other - one);
    const offset = Number(query.get("after") ?? 0);
    const end = offset + Number(query.get("limit"));
    const data = threads.slice(offset, end).map(([person, at]) => ({ id: `t_${person}`, updated_time: graphTime(at) }));
    const isMore = end < threads.length;
    return { data, paging: { cursors: { after: String(end) }, ...(isMore ? { next: "https://x.example/" } : {}) } };
  }

  #thread(person: string): object {
    const messages = this.messages
      .filter((message) => message.person === person)
      .sort((one, other) => other.at - one.at);
    const data = messages.slice(0, READABLE_MAX).map(({ id, at, text, isEcho }) => {
      const [from, to] = isEcho ? [this.#account, person] : [person, this.#account];
      return { id, created_time: graphTime(at), from: { id: from }, to: { data: [{ id: to }] }, message: text };
    });
    return { messages: { data }, id: `t_${person}` };
  }
}

function graphTime(at: Millis): string {
  return `${new Date(Math.floor(at / SECOND) * SECOND).toISOString().slice(0, 19)}+0000`;
}
