import { createHash } from "node:crypto";
import { deriveEventUlid } from "#base/events/events.ts";
import { newUlid } from "#base/kernel/ids.ts";
import { parseTenant, type TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { NewAccount } from "#features/accounts/store/connections.ts";
import { CLOSED } from "#features/delivery/rules/breaker.ts";
import { conversationId, type Message } from "#features/inbox/rules/messages.ts";
import { NO_ANSWERS } from "#features/stats/rules.ts";
import type { Counts } from "#features/stats/store.ts";
import type { Endpoint } from "#features/webhooks/rules/endpoints.ts";

/** An instant with odd milliseconds, so that a cut at whole seconds shows. */
export const NOW: Millis = 1_793_000_000_123;

let tenants = 0;

/** A tenant that no other test of this process has. */
export function newTenant(): TenantId {
  return toTenantId(`tenant-${++tenants}`);
}

export function toTenantId(slug: string): TenantId {
  const tenant = parseTenant(slug);
  if (!tenant) throw new Error(`${slug} is no tenant's slug: write lowercase letters, digits and dashes.`);
  return tenant;
}

export const ACCOUNT = { platform: "instagram", externalId: "17841400000000001" } as const;
/** An account that a login connects, with overrides. */
export function sampleNewAccount(rest: Partial<NewAccount> = {}): NewAccount {
  return {
    ...ACCOUNT,
    connectionId: newUlid(NOW),
    connection: "instagram_login",
    handle: "@shop",
    displayName: "Shop",
    pageId: null,
    sealedToken: new Uint8Array([1]),
    tokenExpiresAt: null,
    authorizedBy: [],
    ...rest,
  };
}

export const PERSON = "6543210987654321";

export function sampleConversationId(tenant: TenantId, participantId: string = PERSON): string {
  return conversationId({ tenant, account: ACCOUNT, participantId });
}

/** An inbound text of one person at NOW, with overrides. */
export function sampleMessage(tenant: TenantId, rest: Partial<Message> & { readonly id: string }): Message {
  const participantId = rest.participant?.id ?? PERSON;
  const direction = rest.direction ?? "inbound";
  return {
    conversationId: sampleConversationId(tenant, participantId),
    account: ACCOUNT,
    participant: { id: participantId, handle: null, username: null, name: null },
    direction,
    text: "hello",
    attachments: [],
    sentAt: NOW,
    sentVia: direction === "inbound" ? "participant" : direction === "outbound" ? "api_in_window" : "native_app",
    actorId: null,
    replyTo: null,
    scope: "live",
    eventUlid: deriveEventUlid(
      tenant,
      rest.id,
      direction === "inbound" ? "message.received" : "message.sent",
      rest.sentAt ?? NOW,
    ),
    ...rest,
  };
}

/** Counts of a batch: nothing, with overrides. */
export function sampleCounts(rest: Partial<Counts> = {}): Counts {
  return { received: 0, sent: 0, answers: NO_ANSWERS, endpoints: new Map(), ...rest };
}

/** An active endpoint for inbound messages, with overrides. */
export function sampleEndpoint(rest: Partial<Endpoint> = {}): Endpoint {
  return {
    id: newUlid(NOW),
    url: "https://one.example/",
    events: ["message.received"],
    status: "active",
    secretPrefix: "whs_first000",
    sealedSecret: new Uint8Array(Buffer.from("first")),
    secondary: null,
    pausedBy: null,
    pausedEvent: null,
    breaker: CLOSED,
    breakerOp: null,
    createdAt: NOW,
    updatedAt: NOW,
    ...rest,
  };
}

/** A number in [0, 1) that follows from a text: chance that a failing run repeats. */
export function seededFraction(text: string): number {
  return createHash("sha256").update(text).digest().readUInt32BE(0) / 2 ** 32;
}

/** The inbox of an account called @shop, of a tenant with one shard. */
export const SAMPLE_INBOX = { accountHandle: "@shop", shards: 1 };

/** An id of the same shape that is another one. */
export function siblingId(id: string): string {
  return id.slice(0, -1) + (id.endsWith("0") ? "1" : "0");
}
