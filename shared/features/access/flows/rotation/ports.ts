import type { StoredSecret } from "#base/aws/secret-values.ts";
import type { ServiceKeys } from "#base/aws/service-keys.ts";
import type { ReadKeyRing } from "#base/kernel/key-ring.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { Holds } from "#features/holds/store/holds.ts";
import type { CutOffPorts } from "#features/realtime/ports.ts";
import type { Sockets } from "#features/realtime/store/sockets.ts";
import type { JournalPorts } from "#features/recovery/journal.ts";
import type { Invites } from "../../store/invites.ts";
import type { LoginTokens } from "../../store/login-tokens.ts";
import type { RotationRow } from "../../store/rotation-leftovers.ts";
import type { SessionRow } from "../../store/session-rows.ts";
import type { Users } from "../../store/users.ts";

export interface RotateRootPorts extends JournalPorts {
  readonly rootSecret: StoredSecret;
  readonly peppers: ReadKeyRing;
  readonly addressKeys: ReadKeyRing;
  readonly sessionKeys: ReadKeyRing;
  /** All rows that depend on the root secret. */
  readonly rotationRows: () => AsyncIterable<RotationRow>;
  readonly users: Pick<Users, "moveToFirstHash">;
  readonly invites: Pick<Invites, "moveToFirstHash">;
}

export interface ReplaceLeakedRootPorts extends CutOffPorts, JournalPorts {
  readonly rootSecret: StoredSecret;
  /** Reads the keys of the service from the secret itself, at each call. */
  readonly readNewestKeys: () => Promise<ServiceKeys>;
  /** How long a function uses a secret that it has read. */
  readonly cacheLifetime: Millis;
  /** Every row of users, of their memberships and of sign-in links. */
  readonly sessionRows: () => AsyncIterable<readonly SessionRow[]>;
  readonly users: Pick<Users, "endSessions">;
  readonly loginTokens: Pick<LoginTokens, "consume">;
  readonly holds: Pick<Holds, "listWaiting" | "revoke">;
  readonly sockets: CutOffPorts["sockets"] & Pick<Sockets, "isGranted">;
}

export interface RotateVerifyTokenPorts extends JournalPorts {
  readonly platformSecret: StoredSecret;
}
