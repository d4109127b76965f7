import { Parley, type RealtimeConnection, type RealtimeOptions } from "#client";
import { LiveInbox, type ThreadState } from "../../../../web/console/data/live-inbox.ts";
import { emptyThread, withMessages } from "../../../../web/console/data/message-book.ts";
import type { Message, StreamEvent } from "../../../../web/console/data/types.ts";
import { WallClock } from "../../../../web/console/data/wall-clock.ts";
import { ComposerStore } from "../../../../web/console/inbox/composer/composer-store.ts";

export const NOW = Date.parse("2026-11-20T10:00:00Z");
export const CONVERSATION = "CONV#acme#instagram#178414#993";
export const ME = "console:usr_me";

/** A call that waits for its answer. */
export interface OpenCall {
  readonly operation: string;
  readonly key: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** Answers with `data`. */
  answer(data: object): void;
  refuse(status: number, code: string, detail?: string): void;
  /** Answers with a page that is not Parley's. */
  answerPage(status: number): void;
  /** The connection breaks before the answer. */
  lose(): void;
}

/** A composer whose calls the test answers, in any order. */
export function openComposer() {
  const calls: OpenCall[] = [];
  const parley = new Parley({
    baseUrl: "https://parley.example.com",
    tenant: "acme",
    csrfToken: "csrf",
    maxRetries: 0,
    fetch: (url, init) =>
      new Promise<Response>((resolve, reject) => {
        const json = (status: number, value: object) =>
          resolve(
            new Response(JSON.stringify({ correlation_id: "cor_1", ...value }), {
              status,
              headers: { "content-type": "application/json" },
            }),
          );
        calls.push({
          operation: `${init?.method} ${new URL(String(url)).pathname}`,
          key: new Headers(init?.headers).get("idempotency-key") ?? "",
          body: init?.body === undefined ? {} : JSON.parse(String(init.body)),
          answer: (data) => json(200, { ok: true, data }),
          refuse: (status, code, detail = "") =>
            json(status, { ok: false, error: { code, message: `It is ${code}.`, detail } }),
          answerPage: (status) =>
            resolve(new Response("<!doctype html>Wi-Fi", { status, headers: { "content-type": "text/html" } })),
          lose: () => reject(new TypeError("Failed to fetch")),
        });
      }),
  });
  const inbox = new LiveInbox(parley, new WallClock(() => NOW));
  const store = new ComposerStore(inbox, "console:usr_1");
  const states = () => store.getState().sends.map(({ state }) => state);
  const opened: RealtimeOptions[] = [];
  parley.connect = (options) => {
    opened.push(options);
    return { close: () => {}, check: () => {} } as unknown as RealtimeConnection;
  };
  inbox.start();
  /** The connection of the stream is lost, and there is a new one. */
  const reconnect = () => {
    for (const state of ["connecting", "open"] as const) opened[0]?.onState?.(state);
  };
  /** The thread is loaded with these messages, oldest first. */
  const showThread = (messages: readonly Message[]) => {
    const book = withMessages(emptyThread(CONVERSATION), messages, NOW);
    const thread = {
      status: "ready",
      error: null,
      book,
      older: null,
      olderError: null,
      isLoadingOlder: false,
    } as const;
    (inbox.getState().threads as Map<string, ThreadState>).set(CONVERSATION, thread);
  };
  return { store, inbox, calls, states, reconnect, showThread };
}

/** What a person sends, with everything that a test does not name empty. */
export function draft(change: Partial<Parameters<ComposerStore["begin"]>[0]> = {}) {
  return { conversation: CONVERSATION, mode: "reply" as const, text: "", files: [], replyTo: null, ...change };
}

export const picture = { type: "image", attachmentId: "att_1", name: "cup.jpg", preview: null } as const;

/** An outbound message of this person, as the thread shows it. */
export function message(id: string, change: Partial<Message> = {}): Message {
  return {
    id,
    conversation_id: CONVERSATION,
    platform: "instagram",
    sent_at: new Date(NOW).toISOString(),
    direction: "outbound",
    sent_via: "api_in_window",
    actor_id: ME,
    text: "Hello",
    attachments: [],
    reactions: [],
    deleted_at: null,
    edited_at: null,
    reply_to: null,
    ...change,
  } as never;
}

export function event(type: string, data: object, at = NOW): StreamEvent {
  return { id: `evt_${type}_${at}`, type, tenant_id: "acme", created_at: new Date(at).toISOString(), data } as never;
}

export const erased = event("conversation.updated", { conversation: { id: CONVERSATION, erased: true } });

/** `localStorage` of a browser, in memory. */
export class MemoryStorage {
  readonly #items = new Map<string, string>();
  getItem = (key: string): string | null => this.#items.get(key) ?? null;
  setItem = (key: string, value: string): void => void this.#items.set(key, value);
  removeItem = (key: string): void => void this.#items.delete(key);
}
