import type { PageFile } from "#base/files/page-file.ts";
import type { KeyRing, ReadKeyRing } from "#base/kernel/key-ring.ts";
import type { Audit } from "#features/access/store/audit.ts";
import type { PushRequestPorts } from "#features/realtime/ports.ts";
import type { SendPorts } from "#features/sending/ports.ts";
import type { CheckAttempts } from "./store/check-attempts.ts";
import type { Holds } from "./store/holds.ts";

/** What creating a hold needs besides the ports of sending. */
export interface HoldPorts extends PushRequestPorts {
  readonly holds: Holds;
  /** The keys that holds' secrets are derived from. */
  readonly holdKeys: ReadKeyRing;
  /** The public base URL of the service, without a trailing slash. */
  readonly baseUrl: string;
}

/** What expiring holds needs. */
export interface HoldExpiryPorts {
  readonly holds: Pick<Holds, "listOverdue" | "expire">;
}

/** What the check page needs: reading and sending a held message by its secret. */
export interface CheckPagePorts extends SendPorts, PushRequestPorts {
  readonly holds: Omit<Holds, "create" | "listOverdue">;
  readonly checkAttempts: CheckAttempts;
  readonly audit: Pick<Audit, "add">;
  /** The keys that seal challenges at this instant. */
  readonly challengeKeys: () => Promise<KeyRing>;
  readonly random: (bytes: number) => Uint8Array;
  /** The files of the page by path. */
  readonly pageFiles: ReadonlyMap<string, PageFile>;
}
