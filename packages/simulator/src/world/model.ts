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
  /** The access token for sends of this account. */
  token: string;
  /** Instagram Login: the account's id in the eyes of the app. Unset: a new one. */
  appScopedId?: string;
  /** False for an account that the app is not connected to yet: it has no token and no subscription. */
  isConnected?: boolean;
  /** False if no Facebook user has the task MESSAGING on the account's Page. */
  canMessage?: boolean;
}

/** A Facebook user, who has a role on every Page. Instagram Login knows the Instagram account only. */
export interface FacebookUser {
  id: string;
  name: string;
}

export interface Account {
  key: string;
  connection: Connection;
  externalId: string;
  /** The `id` that `/me` returns on Instagram. It differs from the id in webhooks. */
  appScopedId: string;
  pageId: string | null;
  handle: string;
  displayName: string;
  /** False if no Facebook user has the task MESSAGING on the account's Page. */
  canMessage?: boolean;
}

export interface Person {
  /** Scoped to one account, as on the platforms. */
  id: string;
  account: string;
  name: string;
  username: string | null;
  /** True if the person blocked the account, which then cannot send to them. */
  blocked: boolean;
  /** False for people whose profile cannot be read, such as phone-number accounts. */
  profile: boolean;
  /** True for people whose profile is readable but has neither a name nor a user name. */
  nameless?: boolean;
  /** False for people without a profile picture. */
  picture?: boolean;
  /** True if another app controls the thread: its webhooks come as `standby`, and sends are refused. */
  standby?: boolean;
  /** False for people without a role in the app, whom an app that is not live cannot write to. */
  role?: boolean;
}

export interface Attachment {
  type: string;
  title?: string;
  payload?: Record<string, unknown>;
}

/** A file that an account uploaded to send it by id. */
export interface Upload {
  id: string;
  account: string;
  type: string;
  at: number;
  /** Of the file's name in its URL. Unset: `png`. */
  extension?: string;
}

/** The status of a message's webhook; `none` if the message has no webhook, `lost` if its subscription ended first. */
export type WebhookStatus = "waiting" | "delivered" | "not_subscribed" | "lost" | "none";

export interface ThreadMessage {
  mid: string;
  from: "person" | "account";
  /** Milliseconds since 1970 by the simulator's clock. */
  at: number;
  text: string | null;
  attachments: Attachment[];
  /** A note for the page about content that is neither text nor attachment. */
  note: string | null;
  reactions: { person?: string; account?: string };
  replyTo: string | null;
  /** The story that the message replies to. */
  story?: { url: string };
  deleted: boolean;
  edits: number;
  webhook: WebhookStatus;
}

export interface Thread {
  id: string;
  account: string;
  person: string;
  /** The time of the person's last action that opens the send window; null if there was none. */
  lastInboundAt: number | null;
  messages: ThreadMessage[];
}

export interface Token {
  value: string;
  kind: "instagram_user" | "page" | "user";
  /** The Instagram account's id, the Page's id, or the user's id. */
  subject: string;
  issuedAt: number;
  /** Null for Page tokens, which do not expire. */
  expiresAt: number | null;
  scopes: string[];
  revoked: boolean;
  /** The subcode with which a revoked token is refused. Unset: 460, the password was changed. */
  subcode?: number;
  /** The Facebook user who granted a Page token. Unset: the first user. */
  user?: string;
  /** The ids of the Pages that a user token may read. Unset: every Page. */
  pages?: string[];
  /** The user token that a Page token was read with. */
  parent?: string;
}

/** The two logins: of an Instagram account, and of a Facebook user with Pages. */
export type LoginKind = "instagram_user" | "user";

export interface LoginCode {
  code: string;
  kind: LoginKind;
  subject: string;
  redirectUri: string;
  expiresAt: number;
  /** The scopes that the person granted. */
  scopes: string[];
  /** The Pages that the person granted. */
  pages: string[];
}

export type SecretName = "meta" | "instagram";
export type WebhookObject = "instagram" | "page";

/** One event to be put into a webhook body. */
export interface OutgoingEvent {
  object: WebhookObject;
  secret: SecretName;
  entryId: string;
  slot: "messaging" | "standby" | "changes";
  event: Record<string, unknown>;
  /** The message that this event reports; null for other events. */
  mid: string | null;
}

/** A webhook body that the receiver has not answered with 200 yet. */
export interface Delivery {
  id: string;
  object: WebhookObject;
  secret: SecretName;
  body: string;
  mids: string[];
  /** The Pages and Instagram accounts whose subscriptions it belongs to. */
  nodes: string[];
  attempts: number;
  /** Milliseconds since 1970 by the simulator's clock. */
  dueAt: number;
  lastProblem: string | null;
  /** The webhook that is sent again with this one. */
  copyOf?: string;
  /** True signs it with a secret that is not the app's. */
  isForged?: boolean;
}

/** One attempt to deliver a webhook. */
interface LoggedAttempt {
  /** Milliseconds since 1970 by the simulator's clock. */
  at: number;
  status: number | null;
  /** Why the attempt failed; null after a 200. */
  problem: string | null;
  /** The beginning of the receiver's answer. */
  body: string;
  duration_ms: number;
}

/** A webhook as it went out, with the receiver's answers. */
export interface LoggedWebhook {
  id: string;
  url: string;
  /** The secret of the app that signed it. */
  secret: SecretName;
  headers: Record<string, string>;
  /** The exact body. */
  body: string;
  /** The messages that its events belong to. */
  mids: string[];
  /** The newest 20, oldest first. */
  attempts: LoggedAttempt[];
  /** The webhook that was sent again with this one. Absent for an original. */
  copy_of?: string;
}

/** What a receiver does with the next requests. */
export interface ReceiverStep {
  /** The status of the answer. */
  status: number;
  /** How long the answer is delayed, in milliseconds of real time. */
  delay_ms: number;
  /** The body of the answer. */
  body: string;
  /** The seconds in the header `Retry-After`; null without one. */
  retry_after: number | null;
  /** True cuts the connection instead of an answer. */
  drop: boolean;
  /** For how many requests it applies. The last step applies to all that follow. */
  times: number;
}

/** A receiver of webhooks that answers by a script. */
export interface Receiver {
  name: string;
  steps: ReceiverStep[];
  /** How many requests the steps have answered. */
  taken: number;
  /** Verifies what it receives; null without a secret. */
  secret: string | null;
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
  users: FacebookUser[];
  tokens: Token[];
  codes: LoginCode[];
  /** Subscribed fields by the id of the Page or the Instagram account. */
  subscriptions: Record<string, string[]>;
  /** Since when every webhook of a Page or an Instagram account has failed, by the simulator's clock. */
  failing: Record<string, number>;
  /** When the platform ended a subscription, by the simulator's clock. */
  ended: Record<string, number>;
  /** Until when an account must not send, by its key and the simulator's clock. */
  restricted: Record<string, number>;
  /** Events that wait for their batch to fill. */
  gathering: OutgoingEvent[];
  deliveries: Delivery[];
  /** The newest webhooks with their attempts. */
  webhooks: LoggedWebhook[];
  sent: SentMessage[];
  uploads: Upload[];
  receivers: Receiver[];
}

/** Two users, so that a callback about one of them concerns only that user's logins. */
const facebookUsers: readonly FacebookUser[] = [
  { id: "10150000000000001", name: "Sam Simulator" },
  { id: "10150000000000002", name: "Noor Haddad" },
];

export function emptyState(): State {
  return {
    format: 1,
    clockOffsetMs: 0,
    accounts: [],
    people: [],
    threads: [],
    users: facebookUsers.map((user) => ({ ...user })),
    tokens: [],
    codes: [],
    subscriptions: {},
    failing: {},
    ended: {},
    restricted: {},
    gathering: [],
    deliveries: [],
    webhooks: [],
    sent: [],
    uploads: [],
    receivers: [],
  };
}
