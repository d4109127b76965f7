import type { StoredSecret } from "../../../aws/secret-values.ts";
import type { ServiceKeys } from "../../../aws/service-keys.ts";
import type { ReadKeyRing } from "../../../kernel/key-ring.ts";
import type { Millis } from "../../../kernel/time.ts";
import type { Invites } from "../../../stores/access/invites.ts";
import type { LoginTokens } from "../../../stores/access/login-tokens.ts";
import type { RotationRow } from "../../../stores/access/rotation-leftovers.ts";
import type { SessionRow } from "../../../stores/access/session-rows.ts";
import type { Users } from "../../../stores/access/users.ts";
import type { Holds } from "../../../stores/holds/holds.ts";
import type { Sockets } from "../../../stores/realtime/sockets.ts";
import type { CutOffPorts } from "../../realtime/ports.ts";

export interface RotateRootPorts {
  readonly rootSecret: StoredSecret;
  readonly peppers: ReadKeyRing;
  readonly addressKeys: ReadKeyRing;
  readonly sessionKeys: ReadKeyRing;
  /** All rows that depend on the root secret. */
  readonly rotationRows: () => AsyncIterable<RotationRow>;
  readonly users: Pick<Users, "moveToFirstHash">;
  readonly invites: Pick<Invites, "moveToFirstHash">;
}

export interface ReplaceLeakedRootPorts extends CutOffPorts {
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

export interface RotateVerifyTokenPorts {
  readonly platformSecret: StoredSecret;
}
