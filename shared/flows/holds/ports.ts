import type { Millis } from "../../kernel/time.ts";
import type { Audit } from "../../stores/access/audit.ts";
import type { Holds } from "../../stores/holds/holds.ts";
import type { VerificationAttempts } from "../../stores/holds/verification-attempts.ts";
import type { SendPorts } from "../sending/ports.ts";

/** What holding a message needs besides what sending does. */
export interface HoldPorts {
  readonly holds: Holds;
  /** Makes the secrets of holds. */
  readonly holdKey: () => Promise<Uint8Array>;
  /** Where people reach this service, without a slash at the end. */
  readonly baseUrl: string;
}

/** What ends held messages that nobody checks. */
export interface HoldExpiryPorts {
  readonly holds: Pick<Holds, "listOverdue" | "expire">;
}

/** What the check page may do: let go what is held, for whoever has its secret. */
export interface CheckPorts extends SendPorts {
  readonly holds: Omit<Holds, "create" | "listOverdue">;
  readonly verificationAttempts: VerificationAttempts;
  readonly audit: Pick<Audit, "add">;
  readonly challengeKey: () => Promise<Uint8Array>;
  readonly random: (bytes: number) => Uint8Array;
  /** The outcome of work that ends within a span, else `late`; late work goes on. */
  readonly waitUpTo: <T>(span: Millis, work: Promise<T>) => Promise<T | "late">;
  /** The page's files by their path. */
  readonly pageFiles: ReadonlyMap<string, PageFile>;
}

/** A file of a page, as it is served. */
export interface PageFile {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly type: string;
  /** Of its content, with the quotes that the header wants. */
  readonly etag: string;
}
