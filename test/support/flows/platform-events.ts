import { expect } from "vitest";
import type { EventType } from "#base/events/events.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { iso, type Millis } from "#base/kernel/time.ts";
import type { AccountRef } from "#features/accounts/rules/accounts.ts";
import { decodeEvent } from "#features/delivery/event-queue.ts";
import { loadRenderedEvent } from "#features/delivery/rendered-events.ts";
import { eventBodyStore } from "#features/delivery/store/event-bodies.ts";
import { type Effects, newEffects } from "#features/inbox/effects.ts";
import { ingestUpdates } from "#features/inbox/flows/ingest-updates.ts";
import { accountResolver, type ResolveAccount } from "#features/inbox/flows/resolve-account.ts";
import type { IngestPorts } from "#features/inbox/ports.ts";
import { toMessageResponse } from "#features/inbox/routes/messages.ts";
import type { Message } from "#features/inbox/rules/messages.ts";
import { messageStore } from "#features/inbox/store/messages.ts";
import { parseUpdates } from "#platforms/platforms.ts";
import { PERSON } from "../stores/samples.ts";
import type { TestEnv } from "./test-env.ts";

/** One event of a platform's webhook. */
export interface PlatformEvent {
  readonly at: Millis;
  /** The sender or the recipient. */
  readonly person?: string;
  /** True when the account itself did it. */
  readonly fromAccount?: boolean;
  readonly content: object;
}

type EventOptions = Omit<PlatformEvent, "at" | "content">;

export const textEvent = (mid: string, text: string, at: Millis, rest: EventOptions = {}): PlatformEvent => ({
  ...rest,
  at,
  content: {
    message: { mid, text, ...(rest.fromAccount ? { is_echo: true } : { quick_reply: { payload: `P ${mid}` } }) },
  },
});
export const photoEvent = (mid: string, url: string, at: Millis, rest: EventOptions = {}): PlatformEvent => ({
  ...rest,
  at,
  content: { message: { mid, attachments: [{ type: "image", payload: { url } }] } },
});
export const postbackEvent = (mid: string, title: string, at: Millis, rest: EventOptions = {}): PlatformEvent => ({
  ...rest,
  at,
  content: { postback: { mid, title, payload: "P" } },
});
export const unsendEvent = (mid: string, at: Millis, rest: EventOptions = {}): PlatformEvent => ({
  ...rest,
  at,
  content: { message: { mid, is_deleted: true, ...(rest.fromAccount ? { is_echo: true } : {}) } },
});
export const editEvent = (
  mid: string,
  text: string,
  count: number,
  at: Millis,
  rest: EventOptions = {},
): PlatformEvent => ({
  ...rest,
  at,
  content: { message_edit: { mid, text, num_edit: count } },
});
export const reactionEvent = (
  mid: string,
  action: "react" | "unreact",
  at: Millis,
  rest: EventOptions = {},
): PlatformEvent => ({
  ...rest,
  at,
  content: { reaction: { mid, action, ...(action === "react" ? { reaction: "love", emoji: "❤️" } : {}) } },
});
export const emptyEditEvent = (mid: string, at: Millis, rest: EventOptions = {}): PlatformEvent => ({
  ...rest,
  at,
  content: { message_edit: { mid, num_edit: 0 } },
});
export const readReceiptEvent = (mid: string, at: Millis, rest: EventOptions = {}): PlatformEvent => ({
  ...rest,
  at,
  content: { read: { mid } },
});
export const policyEvent = (action: string, at: Millis): PlatformEvent => ({
  at,
  content: { policy_enforcement: { action, reason: "spam" } },
});

/** The raw body of a webhook about one account. Its id alone is that of an Instagram account. */
export function changeWebhookBody(accountRef: AccountRef | string, events: readonly PlatformEvent[]): string {
  const { platform, externalId: account } =
    typeof accountRef === "string" ? { platform: "instagram", externalId: accountRef } : accountRef;
  const messaging = events.map(({ at, person = PERSON, fromAccount, content }) => ({
    sender: { id: fromAccount ? account : person },
    recipient: { id: fromAccount ? person : account },
    timestamp: at,
    ...content,
  }));
  return JSON.stringify({
    object: platform === "instagram" ? "instagram" : "page",
    entry: [{ id: account, time: events[0]?.at, messaging }],
  });
}

/** Ingests one webhook in a new process. @returns the effects, before they are published */
export async function ingestEvents(
  ports: IngestPorts,
  account: AccountRef | string,
  events: readonly PlatformEvent[],
  now: Millis,
  resolveAccount: ResolveAccount = accountResolver(ports),
): Promise<Effects> {
  const effects = newEffects();
  const updates = parseUpdates(Buffer.from(changeWebhookBody(account, events)), now);
  await ingestUpdates(ports, resolveAccount, updates, { effects, now });
  return effects;
}

/** A published event, with the body that a receiver would get now, or null when that is gone. */
export interface PublishedEvent {
  readonly type: EventType;
  readonly ulid: string;
  readonly body: string | null;
  readonly repeated: boolean;
}

export function renderEventMessages(
  testEnv: TestEnv,
  tenant: TenantId,
  eventMessages: readonly { body: string }[],
): Promise<PublishedEvent[]> {
  const ports = { messages: messageStore(testEnv.table), eventBodies: eventBodyStore(testEnv.table) };
  return Promise.all(
    eventMessages.map(async ({ body }) => {
      const event = decodeEvent(body);
      if (!event) throw new Error("The event message cannot be read.");
      const rendered = await loadRenderedEvent(ports, tenant, event);
      return { type: event.type, ulid: event.eventUlid, body: rendered?.body ?? null, repeated: event.repeated };
    }),
  );
}

/** The `data` of an event's body. */
export function eventData({ body }: PublishedEvent): Record<string, unknown> {
  return (JSON.parse(body ?? "{}") as { data: Record<string, unknown> }).data;
}

/** Every message that a reader of the tenant sees, newest first. */
/** The messages that are not unsent. Expects an unsent one to show nothing but that it was unsent. */
export function shownMessages(messages: readonly Message[]): Message[] {
  for (const message of messages) if (message.unsentAt !== undefined) expectEmpty(message);
  return messages.filter(({ unsentAt }) => unsentAt === undefined);
}

/** Expects an unsent message to show nothing of its content, context and person. */
export function expectEmpty(message: Message): void {
  const { id, conversation_id, account_key, platform, direction, sent_at, sent_via, actor_id, ...rest } =
    toMessageResponse(message);
  expect(rest).toEqual({
    text: "",
    text_truncated: false,
    attachments: [],
    reply_to: null,
    story: null,
    quick_reply: null,
    postback: null,
    referral: null,
    edited_at: null,
    deleted_at: iso(message.unsentAt ?? Number.NaN),
    reactions: [],
  });
  expect(message.participant).toMatchObject({ handle: null, username: null, name: null });
}

/** The tenant's messages that are not unsent. */
export async function listFeed(testEnv: TestEnv, tenant: TenantId): Promise<Message[]> {
  const query = { includeTest: false, direction: null, before: null, limit: 100, now: testEnv.now() };
  const { rows } = await messageStore(testEnv.table).feed(tenant, query);
  return shownMessages(rows.map(({ message }) => message));
}
