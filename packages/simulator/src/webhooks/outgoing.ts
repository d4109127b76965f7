import type { Account, OutgoingEvent, Person, ThreadMessage } from "../world/model.ts";
import { isInstagram, webhookObject } from "../world/platform.ts";
import type { World } from "../world/world.ts";

export type EventKind =
  | "message"
  | "echo"
  | "reaction"
  | "edit"
  | "postback"
  | "read"
  | "delivery"
  | "referral"
  | "policy";

const pageFields: Record<EventKind, string> = {
  message: "messages",
  echo: "message_echoes",
  reaction: "message_reactions",
  edit: "message_edits",
  postback: "messaging_postbacks",
  read: "message_reads",
  delivery: "message_deliveries",
  referral: "messaging_referrals",
  policy: "messaging_policy_enforcement",
};

const instagramFields: Record<EventKind, string> = {
  message: "messages",
  // Instagram has no separate field for echoes, and sends edits to apps that subscribe to messages.
  echo: "messages",
  edit: "messages",
  reaction: "message_reactions",
  postback: "messaging_postbacks",
  read: "messaging_seen",
  // Instagram has no field for these two.
  delivery: "message_deliveries",
  policy: "messaging_policy_enforcement",
  referral: "messaging_referral",
};

/** Whether the app is subscribed to this kind of event of the account, or to those of threads of another app. */
export function isSubscribed(
  world: World,
  account: Account,
  { kind, standby }: { kind: EventKind; standby: boolean },
): boolean {
  const fields = world.state.subscriptions[account.pageId ?? account.externalId] ?? [];
  // An Instagram account on a Page sends events if the Page has any subscribed field.
  if (account.connection === "instagram_page") return fields.length > 0;
  if (standby) return fields.includes("standby");
  return fields.includes((account.connection === "messenger" ? pageFields : instagramFields)[kind]);
}

interface EventParts {
  /** Milliseconds by the simulator's clock. */
  at: number;
  content: Record<string, unknown>;
  /** The message of the thread that the event belongs to. */
  mid: string | null;
  isEcho?: boolean;
}

/** The webhook form of an event between a person and an account. In an echo, the account is the sender. */
export function toOutgoingEvent(
  account: Account,
  person: Person,
  { at, content, mid, isEcho = false }: EventParts,
): OutgoingEvent {
  const sender = { id: isEcho ? account.externalId : person.id };
  const recipient = { id: isEcho ? person.id : account.externalId };
  return {
    object: webhookObject(account),
    secret: account.connection === "instagram_login" ? "instagram" : "meta",
    entryId: account.externalId,
    slot: person.standby === true ? "standby" : "messaging",
    event: { sender, recipient, timestamp: at, ...content },
    mid,
  };
}

/** The webhook form of an event of the account itself. No person is involved. */
export function toAccountEvent(account: Account, { at, content }: Pick<EventParts, "at" | "content">): OutgoingEvent {
  return {
    object: webhookObject(account),
    secret: account.connection === "instagram_login" ? "instagram" : "meta",
    entryId: account.externalId,
    slot: "messaging",
    event: { recipient: { id: account.externalId }, timestamp: at, ...content },
    mid: null,
  };
}

/** The echo of a message from the account. Only Messenger's echo names the app and returns its metadata. */
export function echoEvent(
  account: Account,
  person: Person,
  { message, appId, metadata }: { message: ThreadMessage; appId: number; metadata?: string | undefined },
): OutgoingEvent {
  const content = {
    mid: message.mid,
    is_echo: true,
    ...(message.text === null ? {} : { text: message.text }),
    ...(message.attachments.length === 0 ? {} : { attachments: message.attachments }),
    ...(message.replyTo === null ? {} : { reply_to: { mid: message.replyTo } }),
    ...(isInstagram(account) ? {} : { app_id: appId, ...(metadata === undefined ? {} : { metadata }) }),
  };
  return toOutgoingEvent(account, person, {
    at: message.at,
    content: { message: content },
    mid: message.mid,
    isEcho: true,
  });
}
