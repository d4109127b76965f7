import { parseConversationId } from "../../domain/inbox/conversations.ts";
import type { Attachment, AttachmentType, Direction, Message, SentVia } from "../../domain/inbox/messages.ts";
import { RETENTION } from "../../domain/limits.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import type { Millis } from "../../kernel/time.ts";
import { feedShard, type Key, messageFeed, messageIdIndex, messageKey, timeToLive } from "../keys.ts";

/** A message as it lies in the table. */
export interface MessageItem extends Key {
  readonly i: string;
  readonly d: Direction;
  readonly t?: string;
  readonly a?: readonly (readonly [AttachmentType, string | null])[];
  readonly v: SentVia;
  readonly ac?: string;
  readonly r?: string;
  readonly ho?: string;
  readonly z?: true;
  readonly e: string;
  readonly h?: string;
  readonly u?: string;
  readonly s: Millis;
  /** The newest edit's text and count; of an unsent message the count alone. */
  readonly et?: string;
  readonly ec?: number;
  /** It was kept and counted as an echo before its send knew it. */
  readonly ce?: true;
  /** When it was unsent: the row stays, empty, so that the message does not come back. */
  readonly un?: Millis;
}

export function itemPosition(item: Key): string {
  return item.SK.slice(2);
}

export function toMessageItem(tenant: TenantId, message: Message, position: string, now: Millis, shards: number) {
  const { account: _account, ...rest } = message;
  return {
    ...messageKey(message.conversationId, position),
    F: messageFeed(tenant, message.scope, feedShard(message.conversationId, shards)),
    G: position,
    i: messageIdIndex(tenant, message.id),
    d: rest.direction,
    t: rest.text || undefined,
    a: rest.attachments.length ? rest.attachments.map(({ type, url }) => [type, url]) : undefined,
    v: rest.sentVia,
    ac: rest.actorId ?? undefined,
    r: rest.replyTo ?? undefined,
    ho: rest.holdId ?? undefined,
    z: rest.scope === "test" ? true : undefined,
    e: rest.eventUlid,
    // Mostly the same as the user name, and then not kept a second time.
    h: rest.participant.handle === rest.participant.username ? undefined : (rest.participant.handle ?? undefined),
    u: rest.participant.username ?? undefined,
    s: rest.sentAt,
    x: timeToLive(Math.max(rest.sentAt, now) + RETENTION),
  };
}

/** Throws when it lies under another tenant. */
export function toMessage(tenant: TenantId, item: MessageItem): Message {
  const ref = parseConversationId(tenant, item.PK);
  if (!ref) throw new Error("A message lies under another tenant's conversation.");
  return {
    id: item.i.slice(tenant.length + 1),
    conversationId: item.PK,
    account: ref.account,
    participant: { id: ref.participantId, handle: item.h ?? item.u ?? null, username: item.u ?? null },
    direction: item.d,
    text: item.t ?? "",
    attachments: (item.a ?? []).map(([type, url]): Attachment => ({ type, url })),
    sentAt: item.s,
    sentVia: item.v,
    actorId: item.ac || null,
    replyTo: item.r ?? null,
    ...(item.ho ? { holdId: item.ho } : {}),
    scope: item.z ? "test" : "live",
    eventUlid: item.e,
    ...(item.ec === undefined ? {} : { edit: { text: item.et ?? "", count: item.ec } }),
    ...(item.ce ? { counted: true } : {}),
    ...(item.un === undefined ? {} : { unsent: true }),
  };
}
