import { STALE_MS } from "./conversation-book.ts";
import { type Message, millis, type StreamEvent } from "./types.ts";

// The messages that the console knows, merged from fetches and frames. Every change of a message has a time of its own: an
// unsend stays, and of two edits or reactions the newer one counts, whichever arrives first.

type Side = "participant" | "account";

interface Change {
  readonly text?: { readonly text: string; readonly isTruncated: boolean; readonly at: string };
  readonly deletedAt?: string;
  readonly reactions?: { readonly [By in Side]?: Reaction };
}
interface Reaction {
  readonly by: Side;
  readonly at: string;
  /** Null: it was removed. */
  readonly shown: Message["reactions"][number] | null;
}

interface Known {
  readonly message: Message;
  /** Epoch milliseconds: the snapshot shows every change up to here. */
  readonly asOf: number;
}

export interface MessageBook {
  readonly known: ReadonlyMap<string, Known>;
  /** Changes from frames by message id, also of messages that are not known yet. */
  readonly changes: ReadonlyMap<string, Change>;
  readonly conversation: string;
  /** Messages up to here are erased. Epoch milliseconds; 0 when none are. */
  readonly erasedAt: number;
}

export function emptyThread(conversation: string): MessageBook {
  return { conversation, known: new Map(), changes: new Map(), erasedAt: 0 };
}

/** Merges a fetched page of messages. @param startedAt the server's time when the request started */
export function withMessages(book: MessageBook, messages: readonly Message[], startedAt: number): MessageBook {
  const entries = new Map(book.known);
  for (const message of messages) put(entries, book, { message, asOf: startedAt - STALE_MS });
  return { ...book, known: entries };
}

/** Merges an event of the stream. Events of other conversations and of unknown types change nothing. */
export function withEvent(book: MessageBook, event: StreamEvent): MessageBook {
  switch (event.type) {
    case "message.received":
    case "message.sent": {
      const { participant: _, hold_id, test, ...message } = event.data.message;
      if (message.conversation_id !== book.conversation || test) return book;
      const entries = new Map(book.known);
      put(entries, book, { message, asOf: millis(event.created_at) });
      return { ...book, known: entries };
    }
    case "message.edited": {
      const { id, conversation_id, text, text_truncated: isTruncated, edited_at: at } = event.data.message;
      return conversation_id === book.conversation ? withChange(book, id, { text: { text, isTruncated, at } }) : book;
    }
    case "message.deleted": {
      const { id, conversation_id, deleted_at } = event.data.message;
      return conversation_id === book.conversation ? withChange(book, id, { deletedAt: deleted_at }) : book;
    }
    case "message.reaction": {
      const { message, reaction, by } = event.data;
      if (message.conversation_id !== book.conversation) return book;
      const { action, at } = reaction;
      const shown = action === "react" ? { by, reaction: reaction.reaction, emoji: reaction.emoji, at } : null;
      return withChange(book, message.id, { reactions: { [by]: { by, at, shown } } });
    }
    case "conversation.updated": {
      const { conversation } = event.data;
      const isErased = "erased" in conversation && conversation.id === book.conversation;
      return isErased ? withoutErased(book, millis(event.created_at)) : book;
    }
    default:
      return book;
  }
}

/** Forgets the messages up to an erasure. */
export function withoutErased(book: MessageBook, erasedAt: number): MessageBook {
  const entries = new Map([...book.known].filter(([, { message }]) => millis(message.sent_at) > erasedAt));
  return { ...book, known: entries, erasedAt: Math.max(book.erasedAt, erasedAt) };
}

/** The messages, oldest first, with every change that is known. */
export function messagesOf(book: MessageBook): Message[] {
  return [...book.known.values()]
    .map((entry) => changed(entry, book.changes.get(entry.message.id)))
    .sort((a, b) => millis(a.sent_at) - millis(b.sent_at) || (a.id < b.id ? -1 : 1));
}

function put(entries: Map<string, Known>, book: MessageBook, next: Known): void {
  if (millis(next.message.sent_at) <= book.erasedAt) return;
  const current = entries.get(next.message.id);
  if (current === undefined) entries.set(next.message.id, next);
  else entries.set(next.message.id, next.asOf >= current.asOf ? merged(next, current) : merged(current, next));
}

/** @param newer its snapshot is newer, except that a file's URL and an unsend are never lost */
function merged(newer: Known, older: Known): Known {
  const { message } = newer;
  const before = older.message;
  if (message.deleted_at !== null) return newer;
  if (before.deleted_at !== null) return { ...newer, message: before };
  const isEdited = millis(before.edited_at) > millis(message.edited_at);
  return {
    ...newer,
    message: {
      ...message,
      // A send and its echo are one message. The send says who sent it.
      ...(message.direction === "echo" && before.direction === "outbound" ? author(before) : {}),
      ...(isEdited ? { text: before.text, text_truncated: before.text_truncated, edited_at: before.edited_at } : {}),
      attachments: message.attachments.map((attachment, index) => {
        const earlier = before.attachments[index];
        return attachment.url === null && earlier?.type === attachment.type ? earlier : attachment;
      }),
    },
  };
}

function author({ direction, sent_via, actor_id, reply_to }: Message) {
  return { direction, sent_via, actor_id, reply_to };
}

function withChange(book: MessageBook, id: string, change: Change): MessageBook {
  const before = book.changes.get(id) ?? {};
  const changes = new Map(book.changes).set(id, {
    ...before,
    ...(change.deletedAt === undefined ? {} : { deletedAt: change.deletedAt }),
    ...(change.text && millis(change.text.at) >= millis(before.text?.at ?? null) ? { text: change.text } : {}),
    ...(change.reactions ? { reactions: newestReactions(before.reactions, change.reactions) } : {}),
  });
  return { ...book, changes };
}

type Reactions = NonNullable<Change["reactions"]>;

function newestReactions(before: Reactions = {}, next: Reactions): Reactions {
  const result: { [By in Side]?: Reaction } = { ...before };
  for (const reaction of Object.values(next)) {
    if (reaction && reaction.at >= (before[reaction.by]?.at ?? "")) result[reaction.by] = reaction;
  }
  return result;
}

function changed({ message, asOf }: Known, change: Change | undefined): Message {
  if (change === undefined) return message;
  const deletedAt = message.deleted_at ?? change.deletedAt ?? null;
  if (deletedAt !== null) return unsent(message, deletedAt);
  const isEdited = change.text !== undefined && millis(change.text.at) > millis(message.edited_at);
  const text =
    isEdited && change.text
      ? { text: change.text.text, text_truncated: change.text.isTruncated, edited_at: change.text.at }
      : {};
  const sides: readonly Side[] = ["participant", "account"];
  const reactions = sides.flatMap((by) => {
    const fetched = message.reactions.find((reaction) => reaction.by === by) ?? null;
    const frame = change.reactions?.[by];
    if (frame === undefined) return fetched ?? [];
    // A snapshot that is newer than the frame and shows nothing shows a later removal.
    const isNewer = fetched ? frame.at >= fetched.at : millis(frame.at) > asOf;
    return (isNewer ? frame.shown : fetched) ?? [];
  });
  return { ...message, ...text, reactions };
}

/** What remains of an unsent message. Every other field is content. */
type RemainingField =
  | "id"
  | "conversation_id"
  | "account_key"
  | "platform"
  | "direction"
  | "sent_at"
  | "sent_via"
  | "actor_id"
  | "deleted_at";

const NO_CONTENT: Omit<Message, RemainingField> = {
  text: "",
  text_truncated: false,
  attachments: [],
  story: null,
  quick_reply: null,
  postback: null,
  referral: null,
  reply_to: null,
  edited_at: null,
  reactions: [],
};

/** What the API shows of an unsent message. */
function unsent(message: Message, deletedAt: string): Message {
  return message.deleted_at === null ? { ...message, ...NO_CONTENT, deleted_at: deletedAt } : message;
}
