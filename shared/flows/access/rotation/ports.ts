import type { StoredSecret } from "../../../aws/secret-values.ts";
import type { ReadKeyRing } from "../../../kernel/key-ring.ts";
import type { Invites } from "../../../stores/access/invites.ts";
import type { RotationRow } from "../../../stores/access/rotation-leftovers.ts";
import type { Users } from "../../../stores/access/users.ts";

export interface RotateRootPorts {
  readonly rootSecret: StoredSecret;
  readonly peppers: ReadKeyRing;
  readonly addressKeys: ReadKeyRing;
  /** All rows that depend on the root secret. */
  readonly rotationRows: () => AsyncIterable<RotationRow>;
  readonly users: Pick<Users, "moveToFirstHash">;
  readonly invites: Pick<Invites, "moveToFirstHash">;
}

export interface RotateVerifyTokenPorts {
  readonly platformSecret: StoredSecret;
}
