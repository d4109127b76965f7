/** The three ways an account can be connected to an app. */
export type Connection = "instagram_login" | "instagram_page" | "messenger";

export const connections: readonly Connection[] = ["instagram_login", "instagram_page", "messenger"];

export interface SeedAccount {
  connection: Connection;
  /** The Instagram professional account's id, or the Page's id for Messenger. */
  externalId: string;
  /** The Facebook Page's id; null for Instagram Login, which needs no Page. */
  pageId: string | null;
  handle: string;
  displayName: string;
  /** The access token that sends for this account. */
  token: string;
}

export interface Account {
  key: string;
  connection: Connection;
  externalId: string;
  /** What `/me` calls `id` on Instagram: never the id webhooks carry. */
  appScopedId: string;
  pageId: string | null;
  handle: string;
  displayName: string;
}

export interface Person {
  /** Scoped to one account, as the platforms scope it. */
  id: string;
  account: string;
  name: string;
  username: string | null;
  /** A person who blocked the account can be sent nothing. */
  blocked: boolean;
  /** False for people whose profile cannot be read, such as phone-number accounts. */
  profile: boolean;
  /** A person whose profile can be read, and holds neither a name nor a user name. */
  nameless?: boolean;
  /** False for people without a picture of their own. */
  picture?: boolean;
}

export interface Attachment {
  type: string;
  payload?: Record<string, unknown>;
}

/** A file that an account handed over once, to send it by its id. */
export interface Upload {
  id: string;
  account: string;
  type: string;
  at: number;
}

/** Where the webhook of a message stands; `none` when no webhook belongs to it. */
export type WebhookStatus = "waiting" | "delivered" | "not_subscribed" | "none";

export interface ThreadMessage {
  mid: string;
  from: "person" | "account";
  /** Milliseconds since 1970 by the simulator's clock. */
  at: number;
  text: string | null;
  attachments: Attachment[];
  /** What a reader should know that is neither text nor attachment. */
  note: string | null;
  reactions: { person?: string; account?: string };
  replyTo: string | null;
  deleted: boolean;
  edits: number;
  webhook: WebhookStatus;
}

export interface Thread {
  id: string;
  account: string;
  person: string;
  /** When the person last did something that opens the window; null when they never did. */
  lastInboundAt: number | null;
  messages: ThreadMessage[];
}

export interface Token {
  value: string;
  kind: "instagram_user" | "page" | "user";
  /** The Instagram account's id, the Page's id, or the user's id. */
  subject: string;
  issuedAt: number;
  /** Null for Page tokens, which have no date of expiry. */
  expiresAt: number | null;
  scopes: string[];
  revoked: boolean;
}

export interface LoginCode {
  code: string;
  kind: "instagram_user" | "user";
  subject: string;
  redirectUri: string;
  expiresAt: number;
}

export type SecretName = "meta" | "instagram";
export type WebhookObject = "instagram" | "page";

/** One event on its way into a webhook body. */
export interface OutgoingEvent {
  object: WebhookObject;
  secret: SecretName;
  entryId: string;
  slot: "messaging" | "standby" | "changes";
  event: Record<string, unknown>;
  /** The thread's message whose webhook this is; null for the others. */
  mid: string | null;
}

/** One webhook body until the receiver has answered 200. */
export interface Delivery {
  id: string;
  object: WebhookObject;
  secret: SecretName;
  body: string;
  mids: string[];
  attempts: number;
  /** Milliseconds since 1970 by the machine's clock: retries do not follow the simulated one. */
  dueAt: number;
  lastProblem: string | null;
}

interface SentMessage {
  mid: string;
  account: string;
  person: string;
  at: number;
  /** The request's body as it was accepted. */
  request: Record<string, unknown>;
}

export interface State {
  format: 1;
  clockOffsetMs: number;
  accounts: Account[];
  people: Person[];
  threads: Thread[];
  tokens: Token[];
  codes: LoginCode[];
  /** Fields subscribed, by the Page's or the Instagram account's id. */
  subscriptions: Record<string, string[]>;
  /** Events that wait for their batch to fill. */
  gathering: OutgoingEvent[];
  deliveries: Delivery[];
  sent: SentMessage[];
  uploads: Upload[];
}

export function emptyState(): State {
  return {
    format: 1,
    clockOffsetMs: 0,
    accounts: [],
    people: [],
    threads: [],
    tokens: [],
    codes: [],
    subscriptions: {},
    gathering: [],
    deliveries: [],
    sent: [],
    uploads: [],
  };
}
