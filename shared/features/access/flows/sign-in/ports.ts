import type { Queue } from "#base/aws/queues.ts";
import type { ReadKeyRing } from "#base/kernel/key-ring.ts";
import type { CutOffPorts } from "#features/realtime/ports.ts";
import type { JournalPorts } from "#features/recovery/journal.ts";
import type { SessionPorts } from "../../ports.ts";
import type { Audit } from "../../store/audit.ts";
import type { Invites } from "../../store/invites.ts";
import type { LoginTokens } from "../../store/login-tokens.ts";
import type { Memberships } from "../../store/memberships.ts";
import type { SignInCaps } from "../../store/sign-in-caps.ts";
import type { Users } from "../../store/users.ts";
import type { ClaimInvitePorts } from "../team/ports.ts";

/** The keys that sign-in links depend on. */
interface LinkKeyPorts {
  /** The keys of the hashes of addresses. */
  readonly addressKeys: ReadKeyRing;
  /** The keys that seal what a link is mailed with. */
  readonly loginKeys: ReadKeyRing;
}

export interface SignInRequestPorts extends LinkKeyPorts {
  readonly signInCaps: SignInCaps;
  readonly loginTokens: Pick<LoginTokens, "create">;
  readonly mails: Pick<Queue, "send">;
}

/** What a link that an operator creates needs. */
export interface OperatorLinkPorts extends LinkKeyPorts {
  readonly loginTokens: Pick<LoginTokens, "create">;
  readonly users: Pick<Users, "getIdByAddress" | "readSession">;
  readonly invites: Pick<Invites, "pendingFor">;
  readonly audit: Pick<Audit, "add">;
}

/** What reading a link without using it needs. */
export interface ReadLinkPorts extends SessionPorts {
  readonly loginKeys: ReadKeyRing;
  readonly loginTokens: Pick<LoginTokens, "get">;
}

export interface SignInPorts extends LinkKeyPorts, ClaimInvitePorts {
  readonly loginTokens: Pick<LoginTokens, "consume">;
  readonly users: Pick<Users, "recordSignIn" | "readSession">;
  readonly audit: Pick<Audit, "add">;
  readonly sessionKeys: ReadKeyRing;
}

export interface RenamePorts {
  readonly users: Pick<Users, "rename">;
  readonly memberships: Pick<Memberships, "rename">;
}

export interface SignOutPorts extends CutOffPorts, JournalPorts {
  readonly users: Pick<Users, "raiseEpoch">;
}
