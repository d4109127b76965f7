import { type Hello, type Parley, ParleyError, type RealtimeConnection } from "#client";
import {
  type ConversationBook,
  emptyBook,
  type FetchedConversations,
  STALE_MS,
  withFetched,
  withFrame,
  withoutErased,
} from "./conversation-book.ts";
import { isWellFormed } from "./frame-shape.ts";
import { COUNTED_MAX, emptyList, type ListQuery, type ListState, listKey, loadedOf } from "./inbox-lists.ts";
import { emptyThread, type MessageBook, messagesOf, withEvent, withMessages } from "./message-book.ts";
import { type Conversation, type Message, millis, type StreamEvent } from "./types.ts";
import type { WallClock } from "./wall-clock.ts";

const PAGE = 50;
/** So many conversations of a list are always fetched again; those further down only as far as they may have changed. */
const REFETCHED_MAX = 500;
/** Threads that stay loaded, so that one that was open shows without a request. */
const THREADS_MAX = 60;

/** How the stream is: `closed` is for good. `since` is epoch milliseconds of the machine. */
export interface StreamStatus {
  readonly state: "connecting" | "open" | "closed";
  readonly since: number;
}

export interface ThreadState {
  readonly status: "loading" | "ready" | "failed" | "missing";
  /** Why the newest messages could not be fetched; null when they were. */
  readonly error: unknown;
  /** Why the next older page could not be fetched; null when that did not fail. */
  readonly olderError: unknown;
  readonly book: MessageBook;
  /** The cursor of the next older page; null when all is loaded. */
  readonly older: string | null;
  readonly isLoadingOlder: boolean;
}

/** Everything that is shown of the inbox. A value is never changed. */
export interface InboxState {
  readonly book: ConversationBook;
  readonly lists: ReadonlyMap<string, ListState>;
  readonly threads: ReadonlyMap<string, ThreadState>;
  readonly stream: StreamStatus;
  /** What colleagues do now, by conversation. */
  readonly presence: ReadonlyMap<string, readonly Presence[]>;
}

/** What a colleague does with a conversation. */
export interface Presence {
  readonly userId: string;
  readonly state: "reading" | "writing";
}

type Listener = () => void;
/** `again` fetches what is loaded of a list; `more` loads its next page. */
type LoadMode = "again" | "more";
type EventListener = (event: StreamEvent) => void;

/** The inbox of one workspace: fetches it, follows the stream, and keeps both in one state. */
export class LiveInbox {
  readonly parley: Parley;
  readonly clock: WallClock;
  #state: InboxState;
  #connection: RealtimeConnection | null = null;
  readonly #listeners = new Set<Listener>();
  readonly #eventListeners = new Set<EventListener>();
  /** The lists that are shown, and in how many places. */
  readonly #shown = new Map<string, { readonly query: ListQuery; readonly places: number }>();
  /** The lists that are being loaded, and whether each must be loaded again after that. */
  readonly #loading = new Map<string, { again: boolean }>();
  /** What each list was loaded for when that failed. */
  readonly #failed = new Map<string, LoadMode>();
  /** When each list was last fetched as a whole, in epoch milliseconds of the server. */
  readonly #fetchedAt = new Map<string, number>();

  constructor(parley: Parley, clock: WallClock) {
    this.parley = parley;
    this.clock = clock;
    this.#state = {
      book: emptyBook,
      lists: new Map(),
      threads: new Map(),
      stream: { state: "connecting", since: Date.now() },
      presence: new Map(),
    };
  }

  /** The realtime connection; null before `start`. */
  get connection(): RealtimeConnection | null {
    return this.#connection;
  }

  /** Follows the stream until `stop`. */
  start(): void {
    if (this.#connection !== null) return;
    const connection: RealtimeConnection = this.parley.connect({
      onEvent: (event) => this.receive(event),
      onHello: (hello) => this.#onHello(hello),
      onState: (state) => {
        // One that was stopped closes later, perhaps beside its successor.
        if (this.#connection === connection) this.#setStream(state);
      },
    });
    this.#connection = connection;
  }

  /** Asks the service for a sign of life: a connection that died unnoticed is replaced at once. */
  check(): void {
    this.#connection?.check();
  }

  stop(): void {
    this.#connection?.close();
    this.#connection = null;
  }

  /** Goes on after the person has signed in again: a stream that was refused without a session is followed again. */
  resume(): void {
    if (this.#state.stream.state === "closed") {
      this.stop();
      this.#setStream("connecting");
      this.start();
    }
    void this.refetch();
  }

  readonly getState = (): InboxState => this.#state;

  readonly subscribe = (listener: Listener): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Calls a listener with each event, after it was merged. @returns ends it */
  onEvent(listener: EventListener): () => void {
    this.#eventListeners.add(listener);
    return () => this.#eventListeners.delete(listener);
  }

  /** Merges an event of the stream. One that lacks what its type has changes nothing. */
  receive(event: StreamEvent): void {
    if (!isWellFormed(event)) return;
    const { book, threads } = this.#state;
    const nextThreads = new Map(threads);
    for (const [id, thread] of threads) {
      const next = withEvent(thread.book, event);
      if (next !== thread.book) nextThreads.set(id, { ...thread, book: next });
    }
    this.#set({ book: withConversationEvent(book, event), threads: nextThreads });
    for (const listener of this.#eventListeners) listener(event);
  }

  /**
   * When a write of a conversation starts, for `mergeConversation`: now, or the time of its newest frame, when the clock of
   * this page is late. What a write returns shows every change whose frame came before the write.
   */
  writeStart(id: string): number {
    return Math.max(this.clock.now(), this.#state.book.known.get(id)?.asOf ?? 0);
  }

  /** Merges a conversation that a write returned. It shows all changes before the write, unlike that of a list. */
  mergeConversation(conversation: Conversation, startedAt: number): void {
    this.#set({ book: withFrame(this.#state.book, conversation, startedAt) });
  }

  /** Shows what colleagues do. */
  setPresence(presence: InboxState["presence"]): void {
    this.#set({ presence });
  }

  /** Forgets a conversation that this person erased. */
  forget(id: string): void {
    const threads = new Map(this.#state.threads);
    threads.delete(id);
    this.#set({ book: withoutErased(this.#state.book, id, this.clock.now()), threads });
  }

  /** Fetches again what is shown: after each hello, and when the page is looked at again. */
  async refetch(): Promise<void> {
    const lists = new Map(this.#state.lists);
    // One that is not shown is loaded when it is shown again.
    for (const key of lists.keys()) if (!this.#shown.has(key)) lists.delete(key);
    if (lists.size < this.#state.lists.size) this.#set({ lists });
    for (const loading of this.#loading.values()) loading.again = true;
    await Promise.all([...this.#shown.values()].map(({ query }) => this.#loadList(query, "again")));
  }

  /** Loads a list unless it is loaded, and follows it until `hide`. */
  show(query: ListQuery): { readonly loaded: Promise<void>; hide(): void } {
    const key = listKey(query);
    this.#show(query, 1);
    const isKnown = this.#loading.has(key) || this.#state.lists.get(key)?.status === "ready";
    const loaded = isKnown ? Promise.resolve() : this.#loadList(query, "again");
    return { loaded, hide: () => this.#show(query, -1) };
  }

  /** Loads the next page of a list. */
  async loadMore(query: ListQuery): Promise<void> {
    const state = this.#state.lists.get(listKey(query));
    if (state?.next) await this.#loadList(query, "more");
  }

  /** Repeats the load of a list that failed. */
  async retry(query: ListQuery): Promise<void> {
    await this.#loadList(query, this.#failed.get(listKey(query)) ?? "again");
  }

  /** Fetches a conversation with its newest messages. What is loaded shows at once. */
  async openThread(id: string): Promise<void> {
    const earlier = this.#state.threads.get(id);
    this.#setThread(id, earlier ? {} : { status: "loading" });
    const startedAt = this.clock.now();
    try {
      const page = await this.parley.conversations.get(id, { limit: PAGE });
      this.#merge({ conversations: [page.conversation], startedAt });
      this.#mergeNewest(id, page.messages, { startedAt, next: page.next_cursor });
    } catch (error) {
      const isMissing = error instanceof ParleyError && error.code === "conversation_not_found";
      if (isMissing) this.#setThread(id, { status: "missing", error, book: emptyThread(id) });
      else this.#setThread(id, { status: earlier?.status === "ready" ? "ready" : "failed", error });
    }
  }

  /** Loads the next page of older messages. */
  async loadOlder(id: string): Promise<void> {
    const thread = this.#state.threads.get(id);
    if (!thread?.older || thread.isLoadingOlder) return;
    const cursor = thread.older;
    this.#setThread(id, { isLoadingOlder: true, olderError: null });
    const startedAt = this.clock.now();
    try {
      const page = await this.parley.conversations.get(id, { limit: PAGE, cursor });
      const current = this.#state.threads.get(id);
      if (!current) return;
      const older = current.older === cursor ? page.next_cursor : current.older;
      this.#setThread(id, { book: withMessages(current.book, page.messages, startedAt), older, isLoadingOlder: false });
    } catch (error) {
      this.#setThread(id, { isLoadingOlder: false, olderError: error });
    }
  }

  #onHello(hello: Hello): void {
    this.clock.set(hello.server_time);
    void this.refetch();
  }

  #setStream(state: StreamStatus["state"]): void {
    this.#set({ stream: { state, since: Date.now() } });
  }

  #show(query: ListQuery, change: 1 | -1): void {
    const key = listKey(query);
    const places = (this.#shown.get(key)?.places ?? 0) + change;
    if (places > 0) this.#shown.set(key, { query, places });
    else this.#shown.delete(key);
  }

  async #loadList(query: ListQuery, mode: LoadMode): Promise<void> {
    const key = listKey(query);
    const current = this.#loading.get(key);
    if (current) {
      // It started before, and may not show what made the caller fetch again.
      if (mode === "again") current.again = true;
      return;
    }
    const loading = { again: false };
    this.#loading.set(key, loading);
    let change: Partial<ListState>;
    try {
      change = await (mode === "more" ? this.#loadNext(query) : this.#loadAgain(query));
      this.#failed.delete(key);
    } catch (error) {
      const { status } = this.#state.lists.get(key) ?? emptyList;
      change = { status: status === "ready" ? "ready" : "failed", error };
      this.#failed.set(key, mode);
    }
    // Before the listeners hear of it: they may ask for the next page.
    this.#loading.delete(key);
    this.#setList(key, change);
    if (!loading.again) return;
    if (this.#shown.has(key)) await this.#loadList(query, "again");
    else this.#forgetList(key);
  }

  async #loadNext(query: ListQuery): Promise<ListState> {
    const before = this.#state.lists.get(listKey(query)) ?? emptyList;
    const { next, last, rows } = await this.#fetchPage(query, before.next, before.last);
    return loaded({ next, last, rows: before.rows + rows });
  }

  /**
   * Fetches what is loaded of a list: of those who wait at least as many as are counted, of all at least a page. A page with
   * a filter may be short or empty.
   */
  async #loadAgain(query: ListQuery): Promise<ListState> {
    const key = listKey(query);
    const before = this.#state.lists.get(key);
    const startedAt = this.clock.now();
    const enough = Math.max(before?.rows ?? 0, query.view === "all" ? PAGE : COUNTED_MAX);
    let state = { next: null as string | null, last: null as Conversation | null, rows: 0 };
    do {
      const { next, last, rows } = await this.#fetchPage(query, state.next, state.last);
      state = { next, last, rows: state.rows + rows };
      // The first time, what is loaded shows at once.
      if (before?.status !== "ready") this.#setList(key, loaded(state));
      if (before && this.#isAsBefore(query, state)) {
        state = { next: before.next, last: before.last, rows: before.rows };
        break;
      }
    } while (state.next !== null && state.rows < enough);
    this.#fetchedAt.set(key, startedAt);
    return loaded(state);
  }

  /** Whether no message came into what follows in the list of all since it was loaded: what is new came before it. */
  #isAsBefore(query: ListQuery, { last, rows }: Pick<ListState, "last" | "rows">): boolean {
    const fetchedAt = this.#fetchedAt.get(listKey(query));
    if (query.view !== "all" || rows < REFETCHED_MAX || last === null || fetchedAt === undefined) return false;
    return millis(last.last_message_at) < fetchedAt - STALE_MS;
  }

  #forgetList(key: string): void {
    const lists = new Map(this.#state.lists);
    if (lists.delete(key)) this.#set({ lists });
  }

  async #fetchPage(query: ListQuery, cursor: string | null, after: Conversation | null) {
    const startedAt = this.clock.now();
    const page = await this.parley.conversations.list({
      limit: PAGE,
      ...(cursor === null ? {} : { cursor }),
      ...(query.platform === null ? {} : { platform: query.platform }),
      ...(query.accountKey === null ? {} : { account_key: query.accountKey }),
      ...(query.view === "all" ? {} : { needs_reply: true, order: "closing" }),
    } as object);
    const conversations = page.conversations;
    const last = conversations.at(-1) ?? after;
    const end = page.next_cursor === null ? null : last;
    // What lies between the page before and the end of this one, and is not listed, is gone.
    const isCovered = (conversation: Conversation) => {
      const inRange = (limit: Conversation | null) =>
        loadedOf(query, { ...emptyList, last: limit }, [conversation], startedAt).length > 0;
      return inRange(end) && !(after !== null && inRange(after));
    };
    const isEmpty = last === null && page.next_cursor !== null;
    this.#merge({ conversations, startedAt, ...(isEmpty ? {} : { covers: isCovered }) });
    return { next: page.next_cursor, last, rows: conversations.length };
  }

  #mergeNewest(id: string, messages: readonly Message[], page: { startedAt: number; next: string | null }): void {
    const current = this.#state.threads.get(id);
    const before = current?.book ?? emptyThread(id);
    const newest = messagesOf(before).at(-1);
    const oldest = messages.at(-1);
    // Between what is known and this page others may be missing: the older ones are loaded again when they are read.
    const hasGap =
      page.next !== null &&
      oldest !== undefined &&
      newest !== undefined &&
      millis(oldest.sent_at) > millis(newest.sent_at);
    const isFirst = current === undefined || current.status !== "ready";
    const book = withMessages(
      hasGap ? { ...emptyThread(id), erasedAt: before.erasedAt } : before,
      messages,
      page.startedAt,
    );
    const older = isFirst || hasGap ? page.next : current.older;
    this.#setThread(id, { status: "ready", error: null, book, older });
  }

  #merge(fetched: FetchedConversations): void {
    this.#set({ book: withFetched(this.#state.book, fetched) });
  }

  #setList(key: string, change: Partial<ListState>): void {
    const lists = new Map(this.#state.lists);
    this.#set({ lists: lists.set(key, { ...(lists.get(key) ?? emptyList), ...change }) });
  }

  #setThread(id: string, change: Partial<ThreadState>): void {
    const threads = new Map(this.#state.threads);
    const before = threads.get(id) ?? newThread(id);
    // The one that was used last is the last one.
    threads.delete(id);
    threads.set(id, { ...before, ...change });
    const [oldest] = threads.keys();
    if (threads.size > THREADS_MAX && oldest !== undefined) threads.delete(oldest);
    this.#set({ threads });
  }

  #set(change: Partial<InboxState>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener();
  }
}

/** The state of a list after a fetch. */
function loaded({ next, last, rows }: Pick<ListState, "next" | "last" | "rows">): ListState {
  return { status: "ready", error: null, next, rows, last: next === null ? null : last };
}

function newThread(id: string): ThreadState {
  return {
    status: "loading",
    error: null,
    olderError: null,
    book: emptyThread(id),
    older: null,
    isLoadingOlder: false,
  };
}

function withConversationEvent(book: ConversationBook, event: StreamEvent): ConversationBook {
  if (event.type !== "conversation.updated") return book;
  const { conversation } = event.data;
  const createdAt = millis(event.created_at);
  return "erased" in conversation
    ? withoutErased(book, conversation.id, createdAt)
    : withFrame(book, conversation, createdAt);
}
