/**
 * The environment variables of a deployed function. CDK sets them and `settings.ts` reads them.
 */
export const env = {
  table: "PARLEY_TABLE",
  keyId: "PARLEY_KMS_KEY_ID",
  rawBucket: "PARLEY_RAW_BUCKET",
  uploadBucket: "PARLEY_UPLOAD_BUCKET",
  journalBucket: "PARLEY_JOURNAL_BUCKET",
  inboundQueueUrl: "PARLEY_INBOUND_QUEUE_URL",
  eventsQueueUrl: "PARLEY_EVENTS_QUEUE_URL",
  deliveriesQueueUrl: "PARLEY_DELIVERIES_QUEUE_URL",
  slowDeliveriesQueueUrl: "PARLEY_SLOW_DELIVERIES_QUEUE_URL",
  profilesQueueUrl: "PARLEY_PROFILES_QUEUE_URL",
  erasuresQueueUrl: "PARLEY_ERASURES_QUEUE_URL",
  mailsQueueUrl: "PARLEY_MAILS_QUEUE_URL",
  uploadsQueueUrl: "PARLEY_UPLOADS_QUEUE_URL",
  accountsQueueUrl: "PARLEY_ACCOUNTS_QUEUE_URL",
  realtimeQueueUrl: "PARLEY_REALTIME_QUEUE_URL",
  /** JSON: for each queue, the URL of its dead-letter queue, which may be that of all. */
  deadLetterQueueUrls: "PARLEY_DEAD_LETTER_QUEUE_URLS",
  /**
   * JSON: for each queue, its own name. Set where all have one dead-letter queue, whose letters name the queue they are
   * of.
   */
  sourceQueues: "PARLEY_SOURCE_QUEUES",
  /** Secrets Manager id of the root secret, from which every key of the service is derived. */
  rootSecretId: "PARLEY_ROOT_SECRET_ID",
  /** Secrets Manager id of the platform secrets: JSON { meta, instagram, verify_token }. */
  platformSecretId: "PARLEY_PLATFORM_SECRET_ID",
  /**
   * Secrets Manager ids, comma-separated, of the secrets that CloudFront sends; when unset, no forwarded address
   * counts.
   */
  originSecretIds: "PARLEY_ORIGIN_SECRET_IDS",
  /** The service's public URL, for links. */
  baseUrl: "PARLEY_BASE_URL",
  /** The origin of the console, to which a sign-in redirects. */
  consoleUrl: "PARLEY_CONSOLE_URL",
  /** Where clients post uploads, for the policy of the console. */
  uploadUrl: "PARLEY_UPLOAD_URL",
  /** The origins of the platforms' pictures and videos, separated by spaces, for the policy of the console. */
  mediaOrigins: "PARLEY_MEDIA_ORIGINS",
  /** The WebSocket URL that a ticket names, without a query. */
  realtimeUrl: "PARLEY_REALTIME_URL",
  /** The endpoint of the WebSocket API's connections, to which a function posts what a socket gets. */
  realtimeEndpoint: "PARLEY_REALTIME_ENDPOINT",
  /** `open` or `closed`: whether anyone may sign in and create a tenant. */
  signUp: "PARLEY_SIGN_UP",
  /** The most accounts of a tenant; when unset, 500. */
  accountsPerTenant: "PARLEY_ACCOUNTS_PER_TENANT",
  /** What a person and a tenant may use; when unset, the defaults of `operator-limits.ts`. */
  tenantsPerOwner: "PARLEY_TENANTS_PER_OWNER",
  tenantsPerDay: "PARLEY_TENANTS_PER_DAY",
  pendingInvitesPerTenant: "PARLEY_PENDING_INVITES_PER_TENANT",
  inviteMailsPerTenantPerDay: "PARLEY_INVITE_MAILS_PER_TENANT_PER_DAY",
  inviteMailsPerPersonPerDay: "PARLEY_INVITE_MAILS_PER_PERSON_PER_DAY",
  requestsPerTenantPerMinute: "PARLEY_REQUESTS_PER_TENANT_PER_MINUTE",
  /** `daily` or `hourly`: how often each account is checked. */
  accountChecks: "PARLEY_ACCOUNT_CHECKS",
  /** The service's own host names, comma-separated. */
  ownHosts: "PARLEY_OWN_HOSTS",
  /** The site to which `/` and security.txt redirect; when unset, both are 404. */
  siteUrl: "PARLEY_SITE_URL",
  graphVersion: "PARLEY_GRAPH_VERSION",
  /**
   * The id of the Meta app; when unset, no one can connect a Messenger account, or an Instagram account by its page.
   */
  metaAppId: "PARLEY_META_APP_ID",
  /** The Instagram id of the app; when unset, no one can connect an account by Instagram's login. */
  instagramAppId: "PARLEY_INSTAGRAM_APP_ID",
  /**
   * The configuration of Facebook Login for Business that asks for the permissions; when unset, each login asks for
   * them.
   */
  facebookLoginConfig: "PARLEY_FACEBOOK_LOGIN_CONFIG",
  /** The sender address of mails; when unset, no mail is sent. */
  mailFrom: "PARLEY_MAIL_FROM",
  /** The SES configuration set of every mail. */
  mailConfigurationSet: "PARLEY_MAIL_CONFIGURATION_SET",
  /** The CloudWatch namespace of the embedded metrics; when unset, that of the default stage. */
  metricNamespace: "PARLEY_METRIC_NAMESPACE",
  /** JSON of URLs that replace the platforms' own: facebook_www, facebook_graph, instagram_www, … */
  platformUrls: "PARLEY_PLATFORM_URLS",
} as const;

/** The table's keys and indexes. The names are short because every byte of an item is billed. */
export const table = {
  partitionKey: "PK",
  sortKey: "SK",
  timeToLive: "x",
  feedIndex: { name: "GS1", partitionKey: "F", sortKey: "G" },
  idIndex: { name: "GS2", partitionKey: "i" },
  /** Sorted by the table's sort key. It projects no attribute that changes with each attempt. */
  failingIndex: { name: "GS3", partitionKey: "W", sortKey: "SK", copies: ["st"] },
} as const;

/** What a sealed secret is. A function's role seals and opens secrets of the purposes that it needs, and no others. */
export type SecretPurpose = "account-token" | "webhook-secret" | "login-choice" | "check-challenge";

/** The functions of the service stack, by the ids of their CDK constructs. */
export const functions = [
  "Api",
  "Verify",
  "Console",
  "Connect",
  "Web",
  "Intake",
  "Ingest",
  "Deliver",
  "Profile",
  "Erase",
  "Mail",
  "HandOver",
  "Account",
  "Socket",
  "Push",
  "Sweep",
] as const;
export type FunctionName = (typeof functions)[number];

/** The queues of the service stack, by the ids of their CDK constructs, with the settings that have their URLs. */
export const queueUrlNames = {
  Inbound: "inboundQueueUrl",
  Events: "eventsQueueUrl",
  Deliveries: "deliveriesQueueUrl",
  SlowDeliveries: "slowDeliveriesQueueUrl",
  Profiles: "profilesQueueUrl",
  Erasures: "erasuresQueueUrl",
  Mails: "mailsQueueUrl",
  Uploads: "uploadsQueueUrl",
  Accounts: "accountsQueueUrl",
  Realtime: "realtimeQueueUrl",
} as const satisfies Readonly<Record<string, keyof typeof env>>;
export type QueueName = keyof typeof queueUrlNames;
export const queues = Object.keys(queueUrlNames) as readonly QueueName[];

/**
 * The queues of background work, whose messages may be half an hour late. They have few messages, so that one in which
 * each look finds a message is not read. Of the others CloudWatch's age of the oldest message is watched, which is
 * billed.
 */
export const backgroundQueues = ["Profiles", "Erasures", "Mails", "Uploads", "Accounts"] as const satisfies QueueName[];
