import { type HoldUpdated, type Parley, ParleyError } from "#client";
import { RETENTION } from "../../data/durations.ts";
import type { LiveInbox } from "../../data/live-inbox.ts";
import { messagesOf } from "../../data/message-book.ts";
import { noteSentFiles } from "../../data/sent-files.ts";
import type { Conversation, FileKind, Message } from "../../data/types.ts";
import {
  addText,
  draftOf,
  isOfEarlierPage,
  removeDraft,
  removeUnfinished,
  setQuote,
  setUnfinished,
  type UnfinishedSend,
} from "./drafts.ts";
import { isHeldByOther, type SeenHolds, withHold } from "./other-holds.ts";
import {
  type Seen,
  type Send,
  type SendState,
  type SentFile,
  seenOf,
  sendBody,
  stateAfterError,
  stateAfterHold,
  unseenAnswer,
} from "./sends.ts";
import { isLostHold, lostHold, resumedSend, unfinishedSend } from "./unfinished-sends.ts";

/** A file of a message that is being written. */
export interface Chip {
  readonly id: string;
  readonly name: string;
  readonly kind: FileKind | null;
  readonly preview: string | null;
  readonly isConverted: boolean;
  readonly state:
    | { readonly kind: "converting" }
    | { readonly kind: "uploading"; readonly progress: number }
    | { readonly kind: "checking" }
    | { readonly kind: "ready"; readonly attachmentId: string }
    | { readonly kind: "refused"; readonly reason: string; readonly mayBeFile: boolean };
}

interface ComposerState {
  readonly sends: readonly Send[];
  readonly chips: ReadonlyMap<string, readonly Chip[]>;
  readonly holds: SeenHolds;
}

/** What a person sends. */
type NewSend = Pick<Send, "conversation" | "mode" | "text" | "files" | "replyTo">;

const BEFORE_MAX = 50;
/** The platform repeats a sent message within moments. */
const ECHO_MS = 5_000;

/** What this person sends and attaches in a workspace, by conversation. It outlives the switch to another one. */
export class ComposerStore {
  readonly inbox: LiveInbox;
  /** As messages name this person. */
  readonly #actorId: string;
  #state: ComposerState = { sends: [], chips: new Map(), holds: new Map() };
  readonly #listeners = new Set<() => void>();
  /** The keys of sends by the ids of their holds. */
  readonly #holds = new Map<string, string>();
  /** What the person had seen of a thread when they began what is being written there. */
  readonly #seen = new Map<string, Seen>();
  /** The keys of sends that an earlier page began. */
  readonly #resumed = new Set<string>();

  constructor(inbox: LiveInbox, actorId: string) {
    this.inbox = inbox;
    this.#actorId = actorId;
    inbox.onEvent((event) => {
      if (event.type === "hold.updated") this.#onHold(event.data.hold);
      if (event.type === "conversation.updated" && "erased" in event.data.conversation) {
        this.forget(event.data.conversation.id);
      }
    });
    let { stream } = inbox.getState();
    inbox.subscribe(() => {
      const before = stream;
      stream = inbox.getState().stream;
      if (stream !== before && stream.state === "open") void this.#readHolds();
    });
    // Not in a test of this file, which has no page.
    if ("addEventListener" in globalThis) {
      (globalThis as unknown as EventTarget).addEventListener("pagehide", () => this.#keepRefused());
    }
  }

  readonly getState = (): ComposerState => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  get parley(): Parley {
    return this.inbox.parley;
  }

  /** Sends a reply, or holds a message of a person. Files and a text are two messages: the text follows the files. */
  async begin(draft: NewSend): Promise<void> {
    const { conversation, text, files } = draft;
    this.#seen.delete(conversation);
    if (text === "" || files.length === 0) return void (await this.#call(this.#add(draft)));
    const withFiles = this.#add({ ...draft, text: "" });
    const withText = this.#add({ ...draft, files: [], replyTo: null });
    const state = await this.#call(withFiles);
    if (state?.kind !== "failed") {
      if (this.#find(withText.key)) await this.#call(withText);
      return;
    }
    // A text about files that did not go waits where it was written.
    this.putBack({ ...withText, files: [] });
  }

  /** Adds a send, and stores it before its call begins: a page that ends before the answer loses nothing. */
  #add(draft: NewSend): Send {
    const now = this.inbox.clock.now();
    const { ids, from } = seenOf(this.#messages(draft.conversation).slice(-BEFORE_MAX), now);
    const send: Send = {
      ...draft,
      key: crypto.randomUUID(),
      at: now,
      before: ids,
      shownFrom: from,
      state: { kind: "sending" },
    };
    this.#set({ sends: [...this.#state.sends, send] });
    this.#store(send);
    return send;
  }

  /**
   * Makes the call again. One that may have arrived has the same key and body, so that nothing is sent twice. One that was
   * refused gets a new key: Parley answers the old one with the refusal, and nothing was sent. A hold whose answer was lost
   * has the same key too, so that it is the same hold.
   */
  async repeat(key: string): Promise<void> {
    const send = this.#find(key);
    if (!send || send.state.kind === "sending") return;
    const wasUnknown = send.state.kind === "unknown";
    const mayExist = wasUnknown || isLostHold(send.state);
    const next: Send = { ...send, key: mayExist ? key : crypto.randomUUID(), state: { kind: "sending" } };
    this.#set({ sends: this.#state.sends.map((each) => (each.key === key ? next : each)) });
    this.#store(next);
    await this.#call(next, wasUnknown);
  }

  /**
   * Takes up what an earlier page sent. A held message is asked for again: the same key and body give the same
   * hold. A reply may have arrived: it is repeated by a press alone.
   * @param unfinished all that is stored of the conversation
   */
  resume(conversation: string, unfinished: readonly UnfinishedSend[]): void {
    const now = this.inbox.clock.now();
    const keys = new Set(unfinished.map(({ key }) => key));
    const isOver = ({ key, conversation: id }: Send) => id === conversation && this.#resumed.has(key) && !keys.has(key);
    const isOpen = ({ state }: Send) => state.kind === "unknown" || state.kind === "held";
    // Another tab has taken it up too, and knows how it ended.
    const rest = this.#state.sends.filter((send) => !(isOver(send) && isOpen(send)));
    if (rest.length < this.#state.sends.length) this.#set({ sends: rest });
    for (const stored of unfinished) {
      if (this.#find(stored.key) || !isOfEarlierPage(stored)) continue;
      if (stored.at < now - RETENTION) {
        removeUnfinished(conversation, stored.key);
        continue;
      }
      this.#resumed.add(stored.key);
      const send = resumedSend(conversation, stored, now);
      this.#set({ sends: [...this.#state.sends, send] });
      if (send.state.kind === "sending") void this.#call(send);
    }
  }

  /** Puts a send back where it was written: its text, its files and the message that it replies to. */
  putBack(send: Send): void {
    const { conversation, text, files, replyTo } = send;
    const isEmpty = draftOf(conversation) === "" && (this.#state.chips.get(conversation) ?? []).length === 0;
    this.remove(send.key);
    addText(conversation, text, this.inbox.clock.now());
    this.setChips(conversation, (chips) => [...chips, ...files.map(asChip)]);
    if (replyTo !== null) this.setQuote(conversation, replyTo);
    // What was seen since is no news, but an answer that came after the send was pressed is.
    if (isEmpty) this.#seen.set(conversation, seenBy(send));
  }

  /** Sets the message that is replied to; null for none. */
  setQuote(conversation: string, messageId: string | null): void {
    setQuote(conversation, messageId, this.inbox.clock.now());
  }

  /** The person begins to write, or to attach files: the answers that the thread shows now are known to them. */
  beginWriting(conversation: string): void {
    this.#seen.set(conversation, seenOf(this.#messages(conversation), this.inbox.clock.now()));
  }

  /**
   * A colleague's answer that the person had not seen when they began to write; null without one.
   * @param startedAt when they began, in epoch milliseconds of the server, for a draft that an earlier page began
   */
  answerSinceWriting(conversation: string, startedAt: number | null): Message | null {
    const earlier = startedAt === null ? null : { ids: new Set<string>(), from: startedAt };
    const seen = this.#seen.get(conversation) ?? earlier;
    return seen && this.#unseenAnswer(conversation, seen);
  }

  /** A colleague's answer that the person had not seen when they pressed a send; null without one. */
  answerSinceSend(send: Send): Message | null {
    return this.#unseenAnswer(send.conversation, seenBy(send));
  }

  /** The person has seen the answers that a thread shows: a send that they stopped goes at the next press. */
  noteSeenBy(key: string): void {
    const send = this.#find(key);
    if (!send) return;
    const { ids, from } = seenOf(this.#messages(send.conversation), send.at);
    const next = { ...send, before: new Set([...send.before, ...ids]), shownFrom: Math.min(send.shownFrom, from) };
    this.#set({ sends: this.#state.sends.map((each) => (each.key === key ? next : each)) });
  }

  #messages(conversation: string): readonly Message[] {
    const thread = this.inbox.getState().threads.get(conversation);
    return thread ? messagesOf(thread.book) : [];
  }

  #unseenAnswer(conversation: string, seen: Seen): Message | null {
    const sentIds = this.#state.sends.flatMap(({ state }) => (state.kind === "sent" ? [state.messageId] : []));
    return unseenAnswer(this.#messages(conversation), seen, { actorId: this.#actorId, own: new Set(sentIds) });
  }

  /** Removes a send that ended, or one whose text is edited. */
  remove(key: string): void {
    const send = this.#find(key);
    if (send) removeUnfinished(send.conversation, key);
    this.#set({ sends: this.#state.sends.filter((send) => send.key !== key) });
  }

  /** Whether a message that somebody else typed waits for its check. */
  isHeldElsewhere(conversation: Conversation): boolean {
    const { sends, holds } = this.#state;
    // The frame of one's own hold may come before the answer that names it, or that answer was lost.
    const isHolding = sends.some(
      ({ conversation: id, mode, state }) =>
        id === conversation.id && mode === "person" && (state.kind === "sending" || isLostHold(state)),
    );
    return !isHolding && isHeldByOther(holds, conversation, { ownIds: this.#holds, now: this.inbox.clock.now() });
  }

  /** Whether a message is still held: its text was not taken back. */
  isHeld(key: string): boolean {
    return this.#find(key)?.state.kind === "held";
  }

  /** Sets what is known of a send. */
  update(key: string, state: SendState): void {
    this.#update(key, state);
  }

  setChips(conversation: string, change: (chips: readonly Chip[]) => readonly Chip[]): void {
    const chips = new Map(this.#state.chips);
    const before = chips.get(conversation) ?? [];
    if (before.length === 0 && draftOf(conversation) === "") this.beginWriting(conversation);
    this.#set({ chips: chips.set(conversation, change(before)) });
  }

  /** Takes the files that are ready out of what is being written. The others stay. */
  takeFiles(conversation: string): SentFile[] {
    const files = readyFiles(this.#state.chips.get(conversation) ?? []);
    const takenIds = new Set(files.map(({ attachmentId }) => attachmentId));
    this.setChips(conversation, (chips) =>
      chips.filter(({ state }) => !(state.kind === "ready" && takenIds.has(state.attachmentId))),
    );
    return files;
  }

  /** Forgets what belongs to a conversation that was erased. */
  forget(conversation: string): void {
    removeDraft(conversation);
    const chips = new Map(this.#state.chips);
    chips.delete(conversation);
    this.#seen.delete(conversation);
    this.#set({ sends: this.#state.sends.filter((send) => send.conversation !== conversation), chips });
  }

  /** The page is left: a text that was refused waits where it was written. */
  #keepRefused(): void {
    for (const { conversation, text, state } of this.#state.sends) {
      if (state.kind === "failed" && !isLostHold(state) && text !== "")
        addText(conversation, text, this.inbox.clock.now());
    }
  }

  async #call(send: Send, wasUnknown = false): Promise<SendState | null> {
    const body = this.#body(send);
    try {
      const options = { idempotencyKey: send.key };
      if (send.mode === "reply") {
        const { platform_message_id } = await this.parley.messages.reply(body, options);
        if (send.files.length > 0) this.#showFiles(send, platform_message_id);
        return this.#settle(send.key, { kind: "sent", messageId: platform_message_id });
      }
      const { hold } = await this.parley.messages.sendAsHumanAgent(body, options);
      this.#holds.set(hold.id, send.key);
      if (hold.status !== "awaiting_verification") {
        this.#onHoldState(send.key, hold);
        return this.#find(send.key)?.state ?? null;
      }
      const { hold_id: holdId, secret } = this.parley.holds.readLink(hold.verify_url);
      const endsAt = Date.parse(hold.expires_at);
      return this.#settle(send.key, { kind: "held", holdId, secret, endsAt });
    } catch (error) {
      const failure =
        error instanceof ParleyError ? error : new ParleyError({ code: "connection_failed", message: "" });
      const state = stateAfterError(failure, wasUnknown);
      // Nothing is sent by holding a message: a hold whose answer was lost can be asked for again.
      const isLost = send.mode === "person" && state.kind === "unknown" && !wasUnknown;
      return this.#settle(send.key, isLost ? lostHold : state);
    }
  }

  #body(send: Send) {
    return { ...sendBody(send), ...(send.mode === "person" ? { actor_id: this.#actorId } : {}) };
  }

  /** Stores a send while it is not certain how it ended, and removes it after that. */
  #store(send: Send): void {
    const { conversation, key } = send;
    const isChecked = [...this.#holds.values()].includes(key);
    const stored = unfinishedSend(send, { body: this.#body(send), isChecked });
    if (stored) setUnfinished(conversation, stored);
    else removeUnfinished(conversation, key);
  }

  /** No frame reports the addresses of sent files: the thread is read again when the platform has named them. */
  #showFiles({ conversation, files }: Send, messageId: string): void {
    noteSentFiles(
      messageId,
      files.map(({ preview }) => preview),
    );
    setTimeout(() => void this.inbox.openThread(conversation), ECHO_MS);
  }

  /** Sets the state of a send that is still there. @returns the state, or null */
  #settle(key: string, state: SendState): SendState | null {
    if (!this.#find(key)) return null;
    this.#update(key, state);
    return state;
  }

  #onHold(hold: HoldUpdated["data"]["hold"]): void {
    const holds = withHold(this.#state.holds, hold);
    if (holds !== this.#state.holds) this.#set({ holds });
    const key = this.#holds.get(hold.id);
    if (key !== undefined) this.#onHoldState(key, hold);
  }

  #onHoldState(key: string, hold: HoldFrame): void {
    const send = this.#find(key);
    if (!send || send.state.kind === "sent") return;
    if (hold.status === "awaiting_verification" || hold.status === "sending") return;
    if (hold.status === "sent" && hold.platform_message_id) {
      this.#update(key, { kind: "sent", messageId: hold.platform_message_id });
    } else if (hold.status === "sent") {
      this.remove(key);
    } else if (hold.status === "expired") {
      this.#update(key, { kind: "failed", code: "hold_expired", detail: "" });
    } else {
      const { code = "send_failed", detail = null } = hold.error ?? {};
      this.#update(key, stateAfterHold(code, detail ?? ""));
    }
  }

  /** Reads how the holds are that have not ended here: the frames of a lost connection do not come again. */
  async #readHolds(): Promise<void> {
    const isOpen = (key: string) => ["sending", "held"].includes(this.#find(key)?.state.kind ?? "");
    const open = [...this.#holds].filter(([, key]) => isOpen(key));
    await Promise.all(
      open.map(async ([holdId, key]) => {
        // What cannot be read now is read after the next connection.
        const answer = await this.parley.messages.getHold(holdId).catch(() => null);
        if (answer !== null && isOpen(key)) this.#onHoldState(key, answer.hold);
      }),
    );
  }

  #find(key: string): Send | undefined {
    return this.#state.sends.find((send) => send.key === key);
  }

  #update(key: string, state: SendState): void {
    this.#set({ sends: this.#state.sends.map((send) => (send.key === key ? { ...send, state } : send)) });
    const send = this.#find(key);
    if (send) this.#store(send);
  }

  #set(change: Partial<ComposerState>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener();
  }
}

function seenBy({ before, shownFrom }: Send): Seen {
  return { ids: before, from: shownFrom };
}

function asChip({ type, attachmentId, name, preview }: SentFile): Chip {
  const state = { kind: "ready", attachmentId } as const;
  return { id: crypto.randomUUID(), name, kind: type, preview, isConverted: false, state };
}

/** A file that is neither ready nor refused: the message waits for it. */
export function isWaiting({ state }: Chip): boolean {
  return state.kind !== "ready" && state.kind !== "refused";
}

/** The files that can be sent now. */
export function readyFiles(chips: readonly Chip[]): SentFile[] {
  return chips.flatMap(({ kind, name, preview, state }) =>
    kind !== null && state.kind === "ready" ? [{ type: kind, attachmentId: state.attachmentId, name, preview }] : [],
  );
}

interface HoldFrame {
  readonly id: string;
  readonly status: "awaiting_verification" | "sending" | "sent" | "failed" | "expired";
  readonly platform_message_id?: string | undefined;
  readonly error?: { readonly code: string; readonly detail: string | null } | undefined;
}
