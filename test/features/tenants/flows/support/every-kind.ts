import type { QueueName } from "#base/config/names.ts";
import { deriveUlid, newUlid } from "#base/kernel/ids.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Key } from "#base/table/keys.ts";
import * as accessKeys from "#features/access/store/items.ts";
import * as accountsKeys from "#features/accounts/store/items.ts";
import * as deadLettersKeys from "#features/dead-letters/store/quarantine.ts";
import * as deliveryKeys from "#features/delivery/store/items.ts";
import { encodeErasure } from "#features/erasure/queue.ts";
import { deriveErasureId } from "#features/erasure/rules/erasures.ts";
import * as erasureKeys from "#features/erasure/store/items.ts";
import * as holdsKeys from "#features/holds/store/items.ts";
import * as inboxKeys from "#features/inbox/store/items.ts";
import * as realtimeKeys from "#features/realtime/store/items.ts";
import * as recoveryKeys from "#features/recovery/store/items.ts";
import * as sendingKeys from "#features/sending/store/items.ts";
import * as statsKeys from "#features/stats/store.ts";
import * as tenantsKeys from "#features/tenants/store/tenant-states.ts";
import { copyKey, uploadIdFromUlid } from "#features/uploads/rules/uploads.ts";
import * as webhooksKeys from "#features/webhooks/store/items.ts";
import { NOW, PERSON, sampleConversationId } from "../../../../support/stores/samples.ts";

type Row = Key;

/** The key builders of all features. */
const keys = {
  ...accessKeys,
  ...accountsKeys,
  ...deadLettersKeys,
  ...deliveryKeys,
  ...erasureKeys,
  ...holdsKeys,
  ...inboxKeys,
  ...realtimeKeys,
  ...recoveryKeys,
  ...sendingKeys,
  ...statsKeys,
  ...tenantsKeys,
  ...webhooksKeys,
};

/** A row of each kind that the key builders of the features build a key for, by the name of that function. */
export const rowsOfTenant: Readonly<Record<string, (tenant: TenantId) => Row | Row[]>> = {
  // A conversation's partition. Several of these rows can be without a head, which would list the conversation.
  headKey: (tenant) => ({ ...keys.headKey(conversation(tenant)), la: NOW, F: `I#${tenant}#0`, G: "g" }),
  messageKey: (tenant) => ({ ...keys.messageKey(conversation(tenant), "1#m"), i: `${tenant}#m`, t: "hello" }),
  markerKey: (tenant) => keys.markerKey(conversation(tenant), "m"),
  sendRecordKey: (tenant) => keys.sendRecordKey(conversation(tenant), "send"),
  conversationBudgetKey: (tenant) => keys.conversationBudgetKey(conversation(tenant), "live"),
  pendingChangeKey: (tenant) => keys.pendingChangeKey(headless(tenant), "m"),
  eventRefKey: (tenant) => keys.eventRefKey(headless(tenant), "change"),
  relatedRefKey: (tenant) => [
    keys.relatedRefKey(conversation(tenant), "hold", `hold-of-${tenant}`),
    keys.relatedRefKey(conversation(tenant), "upload", `upload-of-${tenant}`),
  ],
  "relatedKeys.hold": (tenant) => [
    { ...keys.relatedKeys.hold(`hold-of-${tenant}`), c: conversation(tenant), F: keys.WAITING_HOLDS, G: "g" },
    { ...keys.relatedKeys.hold(`lost-hold-of-${tenant}`), c: conversation(tenant) },
  ],
  "relatedKeys.upload": (tenant) => [
    { ...keys.relatedKeys.upload(`upload-of-${tenant}`), c: conversation(tenant) },
    { ...keys.relatedKeys.upload(uploadIdOf(tenant)), c: conversation(tenant), h: copyOf(tenant) },
  ],
  // It has webhooks of many tenants, and ends by time.
  rawCopyKey: () => ({ ...keys.rawCopyKey(NOW, "batch"), b: new Uint8Array([1]) }),
  dueSendKey: (tenant) => ({ ...keys.dueSendKey(NOW, `send-of-${tenant}`), c: conversation(tenant), b: "{}" }),
  // The tenant's partition, and what its rows refer to.
  tenantKey: (tenant) => ({ ...keys.tenantKey(tenant), n: "Shop", st: "active", ca: NOW, ua: NOW }),
  tenantStateKey: (tenant) => ({ ...keys.tenantStateKey(tenant), n: 2 }),
  feedHeaderKey: (tenant) => ({ ...keys.feedHeaderKey(tenant, "inbox"), F: `I#${tenant}#0`, G: "~", n: 2 }),
  accountItemKey: (tenant) => ({ ...keys.accountItemKey(tenant, account(tenant)), tk: new Uint8Array([1]) }),
  accountRouteKey: (tenant) => [
    { ...keys.accountRouteKey(account(tenant)), t: tenant },
    { ...keys.accountRouteKey({ ...account(tenant), externalId: `lost-${tenant}` }), t: tenant },
    // Of an account that was disconnected a moment ago.
    { ...keys.accountRouteKey({ ...account(tenant), externalId: `released-${tenant}` }), fr: NOW, fo: tenant },
  ],
  accountCheckKey: (tenant) => ({
    ...keys.accountCheckKey(tenant, account(tenant)),
    F: keys.DUE_CHECKS,
    G: keys.checkPosition(NOW, tenant, account(tenant)),
    ci: "1",
  }),
  pageUseKey: (tenant) => ({ ...keys.pageUseKey("page", account(tenant)), t: tenant }),
  authorizationKey: (tenant) => ({ ...keys.authorizationKey("person", tenant, account(tenant)), ci: "1" }),
  pageChoiceKey: (tenant) => keys.pageChoiceKey("usr_1", tenant),
  // The accounts that it has still to erase.
  dataDeletionAccountKey: (tenant) => keys.dataDeletionAccountKey("code", tenant, account(tenant)),
  endpointKey: (tenant) => keys.endpointKey(tenant, "endpoint"),
  presenceKey: (tenant) => ({ ...keys.presenceKey(tenant), n: 1, un: NOW, o: "1" }),
  socketKey: (tenant) => ({ ...keys.socketKey(tenant, `socket-of-${tenant}`), ac: "key:1", ca: NOW, ex: NOW }),
  socketErasureKey: (tenant) => ({ ...keys.socketErasureKey(tenant), ea: NOW }),
  socketTenantKey: (tenant) => ({ ...keys.socketTenantKey(`socket-of-${tenant}`), t: tenant }),
  realtimeTicketKey: (tenant) => ({ ...keys.realtimeTicketKey(`ticket-of-${tenant}`), t: tenant, ac: "key:1" }),
  endpointCountKey: (tenant) => ({ ...keys.endpointCountKey(tenant), n: 1 }),
  apiKeyItemKey: (tenant) => ({ ...keys.apiKeyItemKey(tenant, "key"), ...key([tenant]), kh: `hash-of-${tenant}` }),
  apiKeyLookupKey: (tenant) => [
    { ...keys.apiKeyLookupKey(`hash-of-${tenant}`), ...key([tenant]) },
    { ...keys.apiKeyLookupKey(`lost-hash-of-${tenant}`), ...key([tenant]) },
  ],
  membershipKey: (tenant) => ({ ...keys.membershipKey(tenant, "usr_1"), ro: "owner" }),
  userMembershipKey: (tenant) => [
    { ...keys.userMembershipKey("usr_1", tenant), ro: "owner" },
    { ...keys.userMembershipKey("usr_2", tenant), ro: "agent" },
  ],
  inviteKey: (tenant) => ({ ...keys.inviteKey(tenant, "inv_1"), em: "ada@example.com", st: "pending" }),
  pendingInviteKey: (tenant) => ({ ...keys.pendingInviteKey("address", tenant), id: "inv_1" }),
  // Partitions of their own.
  deliveryKey: (tenant) => ({ ...keys.deliveryKey(tenant, "endpoint", "1"), W: `${tenant}#endpoint`, st: "retrying" }),
  concurrencySlotsKey: (tenant) => keys.concurrencySlotsKey(tenant, "endpoint"),
  eventBodyKey: (tenant) => ({ ...keys.eventBodyKey(tenant, "1"), b: "{}" }),
  accountBudgetKey: (tenant) => keys.accountBudgetKey(tenant, account(tenant), "live"),
  attachmentOwnerKey: (tenant) => ({ ...keys.attachmentOwnerKey(tenant, "attachment"), a: "instagram#1" }),
  idempotencyKey: (tenant) => keys.idempotencyKey(tenant, "hash"),
  countClaimKey: (tenant) => keys.countClaimKey(tenant, "1"),
  waitClaimKey: (tenant) => keys.waitClaimKey(tenant, "1"),
  hourKey: (tenant) => keys.hourKey(tenant, NOW),
  pendingInvitesKey: (tenant) => keys.pendingInvitesKey(tenant),
  tenantInviteMailsKey: (tenant) => keys.tenantInviteMailsKey(tenant, NOW),
  tenantRequestsKey: (tenant) => keys.tenantRequestsKey(tenant, NOW),
  dnsQuotaKey: (tenant) => keys.dnsQuotaKey(tenant, NOW),
  auditKey: (tenant) => keys.auditKey(tenant, newUlid(NOW)),
  // Found by an attribute.
  dueKey: (tenant) => ({ ...keys.dueKey(NOW, `endpoint-of-${tenant}`, "1", 2), t: tenant }),
  dueTaskKey: (tenant) => ({ ...keys.dueTaskKey(NOW, `endpoint-of-${tenant}`, "{}"), t: tenant, b: "{}" }),
  dueAccountTaskKey: (tenant) => ({ ...keys.dueAccountTaskKey(NOW, `task-of-${tenant}`), t: tenant, b: "{}" }),
  dueErasureKey: (tenant) => ({ ...keys.dueErasureKey(NOW, `erasure-of-${tenant}`), t: tenant }),
  erasureKey: (tenant) => ({ ...keys.erasureKey(`erasure-of-${tenant}`), t: tenant, c: conversation(tenant) }),
  quarantineKey: (tenant) => [
    { ...deadLetter("Erasures"), b: encodeErasure({ tenant, erasureId: deriveErasureId(conversation(tenant)) }) },
    // This version cannot read it, but each of the tenant's messages has its group.
    { ...deadLetter("Events"), b: `{ "v": 99, "tenant": "${tenant}" }`, g: tenant },
  ],
};

/** Kinds without a tenant, which stay. */
export const rowsOfNoTenant: Readonly<Record<string, () => Row>> = {
  // Ten characters of a hash per message, until the erasure's marker expires.
  erasedEventsKey: () => ({ ...keys.erasedEventsKey("erasure", NOW, "mark"), k: ["mark"] }),
  // The user stays, also without any tenant.
  userKey: () => ({ ...keys.userKey("usr_1"), em: "ada@example.com" }),
  userAddressKey: () => ({ ...keys.userAddressKey("address"), u: "usr_1" }),
  dataDeletionKey: () => ({ ...keys.dataDeletionKey("code"), st: "running" }),
  loginStateKey: () => keys.loginStateKey("nonce"),
  loginTokenKey: () => keys.loginTokenKey("login"),
  signInCapKey: () => keys.signInCapKey("address", "address", NOW),
  // By the id of a user, for a day.
  personInviteMailsKey: () => keys.personInviteMailsKey("usr_1", NOW),
  // By the id of a key or a user, for two minutes.
  rateLimitKey: () => keys.rateLimitKey("key", NOW),
  challengeKeyKey: () => keys.challengeKeyKey(20_000),
  checkAttemptsKey: () => keys.checkAttemptsKey("hold", NOW),
  sendSweepCheckpointKey: () => ({ ...keys.sendSweepCheckpointKey, p: "1" }),
  sweepCheckpointKey: () => ({ ...keys.sweepCheckpointKey, p: "1" }),
  restoreKey: () => ({ ...keys.restoreKey, f: NOW, j: NOW, s: NOW }),
  // The hash of a conversation's id, for seven days.
  restoredErasureKey: () => ({ ...keys.restoredErasureKey("subject"), up: NOW }),
  deliveryScanCheckpointKey: () => ({ ...keys.deliveryScanCheckpointKey, p: "1" }),
};

/** Kinds whose rows lose the tenant and stay. The first tenant is the one that is deleted, unless there is one only. */
export const rowsThatLoseTheTenant: Readonly<Record<string, (tenants: readonly TenantId[]) => Row[]>> = {
  operatorKeyItemKey: (tenants) => [
    { ...keys.operatorKeyItemKey("operator"), ...key(tenants, "operator", "operator"), kh: "operator-hash" },
    {
      ...keys.apiKeyLookupKey("operator-hash"),
      ...key(tenants, "operator", "operator"),
      ...(tenants.length > 1 ? { su: new Set(tenants.slice(0, 1)) } : {}),
    },
    // Its lookup row has expired already.
    {
      ...keys.operatorKeyItemKey("revoked"),
      ...key(tenants, "operator", "revoked"),
      st: "revoked",
      kh: "expired-hash",
    },
  ],
};

function deadLetter(queue: QueueName) {
  return { ...keys.quarantineKey(queue, newUlid(NOW)), m: "m", n: 10, at: NOW };
}

/** An upload without a reference. */
export function uploadIdOf(tenant: TenantId): string {
  return uploadIdFromUlid(deriveUlid(NOW, tenant));
}

/** The key of its copy. */
export function copyOf(tenant: TenantId): string {
  return copyKey({ id: uploadIdOf(tenant), random: "random", name: "a.png" });
}

/** The names of all key builders. Functions such as `toApiKey` read a row. */
export function keyKinds(): string[] {
  const related = Object.keys(keys.relatedKeys).map((kind) => `relatedKeys.${kind}`);
  return [...Object.keys(keys).filter((name) => /^(?!to[A-Z]).*Key$/.test(name)), ...related].sort();
}

function conversation(tenant: TenantId): string {
  return sampleConversationId(tenant, PERSON);
}

function headless(tenant: TenantId): string {
  return sampleConversationId(tenant, "999");
}

function account(tenant: TenantId) {
  return { platform: "instagram", externalId: `account-of-${tenant}` } as const;
}

function key(tenants: readonly TenantId[], kind = "tenant", id = "key") {
  return { id, pf: "svc_live_abcd", sc: "live", lb: "", ts: tenants, kd: kind, st: "active", ca: NOW };
}
