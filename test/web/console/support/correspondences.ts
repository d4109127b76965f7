import { newUlid } from "#base/kernel/ids.ts";
import { iso } from "#base/kernel/time.ts";
import { type Conversation, type Message, millis } from "../../../../web/console/data/types.ts";
import { conversationFrame, erasedFrame, type Frame, frame, messageFrame } from "./frames.ts";
import { type Author, type Correspondence, conversationId, conversationOf, messageOf } from "./people.ts";

interface NewMessage {
  readonly text?: string;
  /** Epoch milliseconds. Default: now. */
  readonly at?: number;
  readonly more?: Partial<Message>;
}

/** The conversations of the workspace. Each change gives its frames. */
export class Correspondences {
  readonly all = new Map<string, Correspondence>();
  readonly now: () => number;
  readonly #emit: (frame: Frame) => void;
  #lastAt = 0;

  constructor(now: () => number, emit: (frame: Frame) => void) {
    this.now = now;
    this.#emit = emit;
  }

  /**
   * Adds a person with messages, without a frame.
   * @param minutesAgo when each message was sent, oldest first
   * @returns the id of the conversation
   */
  add(
    name: string,
    minutesAgo: readonly number[] = [5],
    { platform = "instagram", author = "person" }: { platform?: Correspondence["platform"]; author?: Author } = {},
  ): string {
    const handle = name.toLowerCase().replace(/\W+/g, ".");
    const each: Correspondence = { id: conversationId(handle, platform), name, platform, messages: [], doneAt: null };
    const start = this.now();
    each.messages.push(
      ...minutesAgo.map((minutes, index) =>
        messageOf(each, author, {
          messageId: `m_${handle}_${index}`,
          text: `${name} writes ${index + 1}`,
          at: start - minutes * 60_000,
        }),
      ),
    );
    this.all.set(each.id, each);
    return each.id;
  }

  /** Later than every time before, in epoch milliseconds: no two changes have the same time. */
  #tick(): number {
    this.#lastAt = Math.max(this.now(), this.#lastAt + 1);
    return this.#lastAt;
  }

  get(id: string): Correspondence {
    const found = this.all.get(id);
    if (!found) throw new Error(`The model has no conversation ${id}.`);
    return found;
  }

  conversation(id: string): Conversation {
    return conversationOf(this.get(id), this.now());
  }

  conversations(): Conversation[] {
    const now = this.now();
    return [...this.all.values()].map((each) => conversationOf(each, now));
  }

  /** Somebody writes. Two messages never have the same time, unless it is given. */
  write(id: string, author: Author, { text = "Hello", at, more = {} }: NewMessage = {}): Message {
    const each = this.get(id);
    const time = at ?? this.#tick();
    const message = messageOf(each, author, { messageId: `m_${newUlid(time)}`, text, at: time, more });
    each.messages.push(message);
    each.messages.sort((a, b) => millis(a.sent_at) - millis(b.sent_at));
    each.doneAt = null;
    this.#emit(messageFrame(message, this.conversation(id), this.#tick()));
    this.#emit(conversationFrame(this.conversation(id), this.#tick()));
    return message;
  }

  setDone(id: string, done: boolean): Conversation {
    const each = this.get(id);
    each.doneAt = done ? this.#tick() : null;
    this.#emit(conversationFrame(this.conversation(id), this.#tick()));
    return this.conversation(id);
  }

  /** Somebody edits a message. */
  edit(id: string, messageId: string, text: string): void {
    const at = iso(this.#tick());
    this.#change(id, messageId, { text, edited_at: at });
    const message = { ...this.#named(id, messageId), text, text_truncated: false, edit_count: 1, edited_at: at };
    this.#emit(frame("message.edited", { message, by: "participant" }, this.#tick()));
    this.#emit(conversationFrame(this.conversation(id), this.#tick()));
  }

  /** Somebody takes a message back. */
  unsend(id: string, messageId: string): void {
    const at = iso(this.#tick());
    this.#change(id, messageId, { text: "", attachments: [], reactions: [], edited_at: null, deleted_at: at });
    const message = { ...this.#named(id, messageId), deleted_at: at };
    this.#emit(frame("message.deleted", { message, by: "participant" }, this.#tick()));
    this.#emit(conversationFrame(this.conversation(id), this.#tick()));
  }

  /** The person reacts to a message, or removes the reaction. @param emoji null removes it */
  react(id: string, messageId: string, emoji: string | null): void {
    const at = iso(this.#tick());
    const shown = { by: "participant", reaction: emoji === null ? null : "other", emoji, at } as const;
    this.#change(id, messageId, { reactions: emoji === null ? [] : [shown] });
    const { by: _, ...named } = shown;
    const data = {
      message: this.#named(id, messageId),
      by: "participant",
      reaction: { ...named, action: emoji === null ? "unreact" : "react" },
    };
    this.#emit(frame("message.reaction", data, this.#tick()));
  }

  erase(id: string): number {
    const count = this.get(id).messages.length;
    this.all.delete(id);
    this.#emit(erasedFrame(id, this.#tick()));
    return count;
  }

  #change(id: string, messageId: string, change: Partial<Message>): void {
    const { messages } = this.get(id);
    const index = messages.findIndex((message) => message.id === messageId);
    const before = messages[index];
    if (before) messages[index] = { ...before, ...change };
  }

  #named(id: string, messageId: string) {
    const { account_key, platform } = this.conversation(id);
    return { id: messageId, conversation_id: id, account_key, platform };
  }
}
