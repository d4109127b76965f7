import type { LogLine } from "../../../aws/log.ts";
import type { Queue } from "../../../aws/queues.ts";
import type { ReadKeyRing } from "../../../kernel/key-ring.ts";
import type { InviteCounts, InviteLimits } from "../../../stores/access/invite-counts.ts";
import type { Invites } from "../../../stores/access/invites.ts";
import type { Memberships } from "../../../stores/access/memberships.ts";
import type { SignInCaps } from "../../../stores/access/sign-in-caps.ts";
import type { Tenants } from "../../../stores/access/tenants.ts";
import type { Users } from "../../../stores/access/users.ts";
import type { CutOffPorts } from "../../realtime/ports.ts";

export interface MemberPorts extends CutOffPorts {
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

/** How many tenants a person may have. */
export interface TenantLimits {
  /** Tenants that a person may own and still create another one. */
  readonly perOwner: number;
  /** Tenants that a person may create in a day of UTC. */
  readonly perDay: number;
}

/** What a person reads of their tenants. */
export interface ListOwnTenantPorts {
  readonly tenants: Pick<Tenants, "list">;
  readonly memberships: Pick<Memberships, "ofUser">;
  readonly users: Pick<Users, "emails">;
}

export interface OwnTenantPorts extends ListOwnTenantPorts {
  readonly tenants: Pick<Tenants, "createOwned" | "get" | "list" | "rename">;
  readonly users: Pick<Users, "readCreations" | "emails">;
  readonly tenantLimits: TenantLimits;
  /** Whether anyone who is signed in may create a tenant. */
  readonly isSignUpOpen: boolean;
}
