import { HUMAN_AGENT_WINDOW, REPLY_WINDOW, RETENTION } from "#base/kernel/limits.ts";
import { type Refusal, refuse } from "#base/kernel/refusals.ts";
import { parseTenant, type TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import { type AccountRef, isExternalId, isPlatform } from "#features/accounts/rules/accounts.ts";
import type { Direction } from "./messages.ts";

/** The parts of a conversation's id. */
export interface ConversationRef {
  readonly tenant: TenantId;
  readonly account: AccountRef;
  readonly participantId: string;
}

/** `CONV#<tenant>#<platform>#<external_id>#<participant_id>`, the public id and the partition key. */
export function conversationId(ref: ConversationRef): string {
  return `CONV#${ref.tenant}#${ref.account.platform}#${ref.account.externalId}#${ref.participantId}`;
}

/** @returns null when the id is malformed or belongs to another tenant */
export function parseConversationId(tenant: TenantId, id: string): ConversationRef | null {
  const ref = readConversationId(id);
  return ref?.tenant === tenant ? ref : null;
}

/** The refusal of a malformed id. A client cuts an id at its first `#` if that is not encoded in the URL. */
export function malformedConversationId(id: string): Refusal<"conversation_not_found" | "conversation_id_cut"> {
  return refuse(id === "CONV" ? "conversation_id_cut" : "conversation_not_found");
}

/** Parses an id of any tenant, for routes that take their tenant from the resource. */
export function readConversationId(id: string): ConversationRef | null {
  const [kind, slug, platform, externalId, participantId, ...rest] = id.split("#");
  if (kind !== "CONV" || rest.length > 0 || !slug || !platform || !externalId || !participantId) return null;
  const tenant = parseTenant(slug);
  if (!tenant || !isPlatform(platform) || !isExternalId(externalId) || !isExternalId(participantId)) return null;
  return { tenant, account: { platform, externalId }, participantId };
}

export type ProfileState = "pending" | "partial" | "complete" | "unavailable";

/** The head of a conversation: what the inbox shows. Every message advances it. */
export interface ConversationHead {
  readonly id: string;
  readonly ref: ConversationRef;
  readonly accountHandle: string;
  readonly participantHandle: string | null;
  readonly participantUsername: string | null;
  /** The display name; null until the profile is known. */
  readonly participantName: string | null;
  /** The platform's URL; null after it has expired. */
  readonly participantPicture: string | null;
  readonly participantProfile: ProfileState;
  readonly participantProfileAt: Millis | null;
  readonly lastInboundAt: Millis | null;
  readonly lastOutboundAt: Millis | null;
  /** The newest message in either direction. */
  readonly lastAt: Millis;
  readonly lastDirection: Direction;
  readonly lastMessageText: string;
}

/** Whether the last message is the person's. */
export function isUnanswered(head: Pick<ConversationHead, "lastDirection">): boolean {
  return head.lastDirection === "inbound";
}

export type WindowState = "open_24h" | "human_agent_7d" | "closed" | "no_inbound";

export interface Window {
  readonly state: WindowState;
  /** When the current state ends. In `closed`: when the window closed. Null in `no_inbound`. */
  readonly expiresAt: Millis | null;
}

/** The messaging window at `now`. Bounds are half open: a state does not include its end. */
export function windowAt(lastInboundAt: Millis | null, now: Millis): Window {
  if (lastInboundAt === null) return { state: "no_inbound", expiresAt: null };
  const replyEnds = lastInboundAt + REPLY_WINDOW;
  if (now < replyEnds) return { state: "open_24h", expiresAt: replyEnds };
  const humanAgentEnds = lastInboundAt + HUMAN_AGENT_WINDOW;
  if (now < humanAgentEnds) return { state: "human_agent_7d", expiresAt: humanAgentEnds };
  return { state: "closed", expiresAt: humanAgentEnds };
}

/** Whether the retention of a conversation has ended: 7 days after its last message. */
export function isConversationExpired(lastAt: Millis, now: Millis): boolean {
  return now >= lastAt + RETENTION;
}
