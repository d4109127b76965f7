import type { ReadKeyRing } from "#base/kernel/key-ring.ts";
import type { CutOffPorts } from "#features/realtime/ports.ts";
import type { JournalPorts } from "#features/recovery/journal.ts";
import type { ApiKeys } from "./store/api-keys.ts";
import type { RequestQuota } from "./store/request-quota.ts";
import type { Users } from "./store/users.ts";

export interface KeyPorts {
  readonly apiKeys: ApiKeys;
  /** The peppers of API key hashes. */
  readonly peppers: ReadKeyRing;
}

export interface KeyListPorts {
  readonly apiKeys: Pick<ApiKeys, "list">;
}

export interface KeyRevocationPorts extends CutOffPorts, JournalPorts {
  readonly apiKeys: Pick<ApiKeys, "getListed" | "revoke">;
}

/** What the requests of a session need. */
export interface SessionPorts {
  readonly users: Pick<Users, "readSession">;
  /** Signs sessions. */
  readonly sessionKeys: ReadKeyRing;
}

export interface RequestQuotaPorts {
  readonly requestQuota: RequestQuota;
}
