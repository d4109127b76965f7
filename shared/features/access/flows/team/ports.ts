import type { LogLine } from "#base/aws/log.ts";
import type { Queue } from "#base/aws/queues.ts";
import type { ReadKeyRing } from "#base/kernel/key-ring.ts";
import type { CutOffPorts } from "#features/realtime/ports.ts";
import type { JournalPorts } from "#features/recovery/journal.ts";
import type { Tenants } from "#features/tenants/store/tenants.ts";
import type { InviteCounts, InviteLimits } from "../../store/invite-counts.ts";
import type { Invites } from "../../store/invites.ts";
import type { Memberships } from "../../store/memberships.ts";
import type { SignInCaps } from "../../store/sign-in-caps.ts";
import type { Users } from "../../store/users.ts";

export interface MemberPorts extends CutOffPorts, JournalPorts {
  readonly memberships: Pick<Memberships, "list" | "get" | "changeRole" | "remove">;
}

export interface InvitePorts {
  readonly invites: Pick<
    Invites,
    "list" | "get" | "isAddressTaken" | "create" | "revoke" | "renew" | "moveToFirstHash"
  >;
  readonly inviteCounts: InviteCounts;
  readonly inviteLimits: InviteLimits;
  readonly users: Pick<Users, "getIdByAddress">;
  readonly signInCaps: Pick<SignInCaps, "consume">;
  readonly mails: Pick<Queue, "send">;
  /** The keys of the hashes of addresses. */
  readonly addressKeys: ReadKeyRing;
}

/** What a person needs who accepts or declines an invite. */
export interface OwnInvitePorts {
  readonly invites: Pick<Invites, "pendingFor" | "get" | "getMany" | "accept" | "decline">;
  readonly memberships: Pick<Memberships, "get">;
  readonly tenants: Pick<Tenants, "list">;
  readonly users: Pick<Users, "get" | "emails">;
  /** The keys of the hashes of addresses. */
  readonly addressKeys: ReadKeyRing;
}

export interface ClaimInvitePorts {
  readonly invites: Pick<Invites, "pendingFor" | "get" | "accept" | "bind">;
  readonly users: Pick<Users, "readSession">;
  readonly log: (line: LogLine) => void;
}
