import type { EventType } from "#base/events/events.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { RedriveResult } from "#features/dead-letters/flows/redrive.ts";
import type { Viewer } from "./sockets.ts";
import type { CastAccount, Customer } from "./world/account-cast.ts";
import type { MemberName } from "./world/members.ts";
import type { WorldAccount } from "./world/people.ts";
import type { PolicyAction } from "./world/platform.ts";

/** A message of a person or of the account's native app. */
export interface WrittenMessage {
  readonly mid: string;
  readonly person: string;
  readonly text: string;
  readonly at: Millis;
  readonly isEcho: boolean;
  /** The number of its webhook. */
  readonly webhook: number;
  /** When the person edited it, earliest first. */
  readonly editedAt: Millis[];
  unsentAt: Millis | null;
}

/** A request to send, and its response; null without one. */
export interface SendRequest {
  readonly person: string;
  readonly text: string;
  readonly key: string | null;
  readonly at: Millis;
  readonly kind: "reply" | "hold";
  /** The scope of the caller's key. */
  readonly scope: "live" | "test";
  /** Who asked in the console; null for a client with a key. */
  readonly by: MemberName | null;
  response: ApiAnswer | null;
  answeredAt: Millis | null;
}

export interface HeldMessage {
  readonly id: string;
  /** The secret of its link. */
  readonly secret: string;
  readonly person: string;
  readonly text: string;
  readonly createdAt: Millis;
  /** When its check was completed: the request began then. */
  checkedAt: Millis | null;
}

/** A request for the events that an endpoint receives. The first one is its creation. */
export interface Subscription {
  readonly askedAt: Millis;
  /** When a response said that it applies; null without one. */
  appliedAt: Millis | null;
  readonly types: readonly EventType[];
}

export interface KnownEndpoint {
  readonly id: string;
  readonly tenant: TenantId;
  url: string;
  /** When the response to its creation came. */
  readonly createdAt: Millis;
  status: "active" | "paused" | "deleted";
  /** When somebody first asked to change it; null for an endpoint that no one touched. */
  touchedAt: Millis | null;
  readonly subscriptions: Subscription[];
}

export interface Erasure {
  readonly person: string;
  readonly at: Millis;
  /** When a response said that it had started or was done; null without one. */
  acceptedAt: Millis | null;
}

export interface ApiAnswer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the app validates each response against its schema
  readonly body: any;
}

/** A webhook about the account itself. */
export interface PolicyUpdate {
  readonly account: WorldAccount;
  readonly action: PolicyAction;
  readonly at: Millis;
  readonly webhook: number;
}

/** The inbox as a tenant has read it. */
export interface InboxRead {
  readonly tenant: TenantId;
  readonly askedAt: Millis;
  /** The conversations and the messages, as JSON. */
  readonly conversations: string;
  readonly messages: string;
}

/** A request for something of another tenant, or one that the key's scope does not allow. */
export interface Trespass {
  readonly name: string;
  readonly response: ApiAnswer;
}

/** A request of a key or of a signed-in person, and its response; null without one. */
export interface CallerRequest {
  readonly name: string;
  /** The tenant of the caller. */
  readonly tenant: TenantId;
  readonly caller: "key" | Session;
  /** The text that it sends; null for another request. */
  readonly text: string | null;
  readonly at: Millis;
  /** Null while it runs. */
  endedAt: Millis | null;
  response: ApiAnswer | null;
}

/** A person's session in a browser. */
export interface Session {
  readonly member: MemberName;
  readonly cookie: string;
  readonly csrfToken: string;
  readonly since: Millis;
}

/** A change of something that has one value at a time. */
export interface Change<To> {
  readonly to: To;
  readonly askedAt: Millis;
  /** When it certainly applied; null where that is not certain. */
  appliedAt: Millis | null;
}

/** The operator's changes of a tenant's status. */
export interface StatusChange extends Change<"active" | "suspended"> {
  readonly tenant: TenantId;
}

/** A rotation of the root secret. */
export interface Rotation {
  readonly askedAt: Millis;
  readonly at: Millis;
}

/** The operator's deletion of a tenant. */
export interface TenantDeletion {
  readonly tenant: TenantId;
  readonly askedAt: Millis;
  endedAt: Millis | null;
}

/** A check of a held message. */
export interface HoldCheck {
  readonly hold: HeldMessage;
  /** When the browser got its challenge. */
  readonly challengedAt: Millis;
  readonly at: Millis;
  readonly response: ApiAnswer | null;
}

/** A request for a sign-in link. */
export interface LinkRequest {
  readonly member: MemberName;
  readonly tenant: TenantId;
  readonly at: Millis;
  endedAt: Millis | null;
  /** Whether it came in time; null while the person waits. */
  hasCome: boolean | null;
}

/** The next page of a walk through a tenant's messages. */
export interface NextPage {
  readonly tenant: TenantId;
  /** When its cursor was sealed at the earliest. */
  readonly cursorAt: Millis;
  readonly at: Millis;
  readonly response: ApiAnswer;
}

/** A request to connect an account, or to disconnect it. */
export interface ConnectionDeed {
  readonly account: WorldAccount;
  readonly to: "connected" | "gone";
  readonly askedAt: Millis;
  /** Null while it runs. */
  endedAt: Millis | null;
  /** Whether a response said that it is done. */
  isDone: boolean;
}

/** A message of a customer or of an account's native app, in a history of accounts. */
export interface Writing {
  readonly mid: string;
  readonly customer: Customer;
  readonly text: string;
  readonly at: Millis;
  readonly isEcho: boolean;
  /** The number of its webhook; null where the platform posts none. */
  readonly webhook: number | null;
  /** Whether the table refuses to store it. */
  readonly isUnstorable: boolean;
}

/** A request to connect an account to a tenant. */
export interface Login {
  readonly account: CastAccount;
  readonly tenant: TenantId;
  /** The platform's id of the person. */
  readonly login: string;
  readonly askedAt: Millis;
  /** Null while it runs. */
  endedAt: Millis | null;
}

/** A platform's request about a person's login, and its response. */
export interface PlatformCallback {
  readonly kind: "deauthorize" | "data-deletion";
  readonly login: string;
  readonly at: Millis;
  response: ApiAnswer | null;
}

/** The erasure of a customer's conversation by a tenant. */
export interface CustomerErasure {
  readonly customer: Customer;
  readonly tenant: TenantId;
  readonly at: Millis;
  /** Whether a response said that it had started or was done. */
  isAccepted: boolean;
}

/** Everything that the actors did, and what they were answered. */
export interface Deeds {
  readonly messages: WrittenMessage[];
  readonly sends: SendRequest[];
  readonly holds: HeldMessage[];
  readonly endpoints: KnownEndpoint[];
  readonly erasures: Erasure[];
  /** Deliveries that somebody asked to replay. */
  readonly replayed: Set<string>;
  readonly policies: PolicyUpdate[];
  readonly connections: ConnectionDeed[];
  readonly reads: InboxRead[];
  readonly trespasses: Trespass[];
  readonly redrives: RedriveResult[];
  readonly requests: CallerRequest[];
  readonly statuses: StatusChange[];
  /** Of the agent who signs in. */
  readonly memberships: Change<"member" | "removed">[];
  readonly rotations: Rotation[];
  readonly checks: HoldCheck[];
  readonly pages: NextPage[];
  readonly links: LinkRequest[];
  readonly deletions: TenantDeletion[];
  readonly viewers: Viewer[];
  readonly writings: Writing[];
  readonly logins: Login[];
  readonly platformCallbacks: PlatformCallback[];
  readonly customerErasures: CustomerErasure[];
}

export function noDeeds(): Deeds {
  return {
    messages: [],
    sends: [],
    holds: [],
    endpoints: [],
    erasures: [],
    replayed: new Set(),
    policies: [],
    connections: [],
    reads: [],
    trespasses: [],
    redrives: [],
    requests: [],
    statuses: [],
    memberships: [],
    rotations: [],
    checks: [],
    pages: [],
    links: [],
    deletions: [],
    viewers: [],
    writings: [],
    logins: [],
    platformCallbacks: [],
    customerErasures: [],
  };
}
