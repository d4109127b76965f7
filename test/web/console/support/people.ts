import { iso } from "#base/kernel/time.ts";
import { type Conversation, type Message, millis } from "../../../../web/console/data/types.ts";
import { conversation } from "../data/conversations.ts";
import { plainMessage } from "../data/plain-message.ts";

export const ME = { userId: "usr_01KJQ3ZQ000000000000000003", actorId: "console:usr_01KJQ3ZQ000000000000000003" };
export const BEN = { userId: "usr_01KJQ3ZQ000000000000000018", actorId: "console:usr_01KJQ3ZQ000000000000000018" };
export const ACCOUNT_KEY = "instagram#17841400000000001";

/** Who wrote a message: the person, the signed-in member, a colleague, or the business in the platform's app. */
export type Author = "person" | "me" | "ben" | "app";

const authors = {
  person: { direction: "inbound", sent_via: "participant", actor_id: null },
  me: { direction: "outbound", sent_via: "api_in_window", actor_id: ME.actorId },
  ben: { direction: "outbound", sent_via: "api_in_window", actor_id: BEN.actorId },
  app: { direction: "echo", sent_via: "native_app", actor_id: null },
} as const;

/** A conversation of the model with its messages, oldest first. */
export interface Correspondence {
  readonly id: string;
  readonly name: string;
  readonly platform: Conversation["platform"];
  readonly messages: Message[];
  /** When it was marked as done, in epoch milliseconds. */
  doneAt: number | null;
}

/** The id of a conversation of the workspace `acme`. */
export function conversationId(person: string, platform: Conversation["platform"] = "instagram"): string {
  const account = platform === "instagram" ? ACCOUNT_KEY.split("#")[1] : "102";
  return `CONV#acme#${platform}#${account}#${person}`;
}

/** A message of a correspondence. @param at epoch milliseconds */
export function messageOf(
  { id, platform }: Pick<Correspondence, "id" | "platform">,
  author: Author,
  { messageId, text, at, more = {} }: { messageId: string; text: string; at: number; more?: Partial<Message> },
): Message {
  return {
    ...plainMessage,
    id: messageId,
    conversation_id: id,
    account_key: id.split("#").slice(2, 4).join("#"),
    platform,
    ...authors[author],
    text,
    sent_at: iso(at),
    ...more,
  };
}

/** A correspondence as the API shows it in the list. */
export function conversationOf({ id, name, platform, messages, doneAt }: Correspondence, now: number): Conversation {
  const last = messages.at(-1);
  const inbound = messages.findLast(({ direction }) => direction === "inbound");
  const outbound = messages.findLast(({ direction }) => direction !== "inbound");
  const times = { inbound: timeOf(inbound), outbound: timeOf(outbound), done: doneAt };
  const age = times.inbound === null ? Number.POSITIVE_INFINITY : now - times.inbound;
  const unanswered = last?.direction === "inbound";
  const firstWaiting = messages[messages.findLastIndex(({ direction }) => direction !== "inbound") + 1];
  const isDone = unanswered && doneAt !== null;
  return {
    ...conversation(id, times),
    account_key: id.split("#").slice(2, 4).join("#"),
    account_handle: platform === "instagram" ? "harbor.tailors" : "harbortailors",
    platform,
    participant_id: id.split("#")[4] ?? "",
    participant_username: platform === "instagram" ? (id.split("#")[4] ?? "") : null,
    participant_name: name,
    last_message_at: last?.sent_at ?? iso(0),
    last_message_text: last?.text ?? "",
    last_message: {
      direction: last?.direction ?? "inbound",
      kind: last?.text || !last?.attachments[0] ? "text" : last.attachments[0].type,
    },
    unanswered,
    waiting_since: unanswered ? (firstWaiting?.sent_at ?? null) : null,
    done_at: isDone ? iso(doneAt) : null,
    needs_reply: unanswered && !isDone,
    window: windowAt(times.inbound, age),
    can_reply: age < DAY,
    can_send_as_human_agent: age >= DAY && age < 7 * DAY,
  };
}

const DAY = 24 * 3_600_000;

function windowAt(inbound: number | null, age: number): Conversation["window"] {
  if (inbound === null) return { state: "no_inbound", expires_at: null };
  if (age < DAY) return { state: "open_24h", expires_at: iso(inbound + DAY) };
  return age < 7 * DAY
    ? { state: "human_agent_7d", expires_at: iso(inbound + 7 * DAY) }
    : { state: "closed", expires_at: null };
}

function timeOf(message: Message | undefined): number | null {
  return message ? millis(message.sent_at) : null;
}
