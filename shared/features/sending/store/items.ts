import { shortHash } from "#base/kernel/bytes.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { HOUR, type Millis } from "#base/kernel/time.ts";
import { DUE_SHARDS, type Key, t13 } from "#base/table/keys.ts";
import type { Scope } from "#features/access/rules/scope.ts";
import { type AccountRef, accountKey } from "#features/accounts/rules/accounts.ts";

export function sendRecordKey(conversationId: string, sendId: string): Key {
  return { PK: conversationId, SK: `J#${sendId}` };
}

/** A conversation's send counts and pause. */
export function conversationBudgetKey(conversationId: string, scope: Scope): Key {
  return { PK: conversationId, SK: `B#${scope}` };
}

/** An account's send counts and pause. */
export function accountBudgetKey(tenant: TenantId, ref: AccountRef, scope: Scope): Key {
  return { PK: `B#${tenant}#${accountKey(ref)}`, SK: scope };
}

/** The record of an idempotency key. @param keyHash a hash of the key and of everything that scopes it */
export function idempotencyKey(tenant: TenantId, keyHash: string): Key {
  return { PK: `IK#${tenant}#${keyHash}`, SK: "IK" };
}

/** The account through which a tenant uploaded an attachment, by the platform's id of the attachment. */
export function attachmentOwnerKey(tenant: TenantId, attachmentId: string): Key {
  return { PK: `AT#${tenant}#${shortHash(attachmentId)}`, SK: "AT" };
}

/** Sends to settle have their own hourly partitions. */
export function dueSendPartition(dueAt: Millis, shard: number): string {
  return `QS#${Math.floor(dueAt / HOUR)}#${shard}`;
}

export function dueSendKey(dueAt: Millis, sendId: string): Key {
  const shard = shortHash(sendId).charCodeAt(0) % DUE_SHARDS;
  return { PK: dueSendPartition(dueAt, shard), SK: `${t13(dueAt)}#${sendId}` };
}

/** The checkpoint of the sweep of sends. */
export const sendSweepCheckpointKey: Key = { PK: "QS", SK: "SWEPT" };
