/**
 * The environment a deployed function reads. CDK writes these names, `settings.ts` reads them; nobody else spells them.
 */
export const env = {
  table: "PARLEY_TABLE",
  keyId: "PARLEY_KMS_KEY_ID",
  rawBucket: "PARLEY_RAW_BUCKET",
  inboundQueueUrl: "PARLEY_INBOUND_QUEUE_URL",
  eventsQueueUrl: "PARLEY_EVENTS_QUEUE_URL",
  deliveriesQueueUrl: "PARLEY_DELIVERIES_QUEUE_URL",
  profilesQueueUrl: "PARLEY_PROFILES_QUEUE_URL",
  erasuresQueueUrl: "PARLEY_ERASURES_QUEUE_URL",
  /** JSON: for each queue the name of the queue of its dead letters. */
  deadLetterQueues: "PARLEY_DEAD_LETTER_QUEUES",
  /** Secrets Manager id of the root secret: every key of the service is derived from it. */
  rootSecretId: "PARLEY_ROOT_SECRET_ID",
  /** Secrets Manager id of the platform secrets: JSON { meta, instagram, verify_token }. */
  platformSecretId: "PARLEY_PLATFORM_SECRET_ID",
  /** Where people reach the service, for the links it hands out. */
  baseUrl: "PARLEY_BASE_URL",
  /** The host names at which the service itself answers, with commas between. */
  ownHosts: "PARLEY_OWN_HOSTS",
  /** Where `/` and security.txt lead; unset, both are 404. */
  siteUrl: "PARLEY_SITE_URL",
  graphVersion: "PARLEY_GRAPH_VERSION",
  /** The address that mails are sent from; unset, none are. */
  mailFrom: "PARLEY_MAIL_FROM",
  /** JSON of hosts that stand in for the platforms' own: facebook_www, facebook_graph, instagram_www, … */
  platformUrls: "PARLEY_PLATFORM_URLS",
  logLevel: "PARLEY_LOG_LEVEL",
} as const;

/** The table's attributes and indexes, short because every byte of a key is paid for. */
export const table = {
  partitionKey: "PK",
  sortKey: "SK",
  timeToLive: "x",
  feedIndex: { name: "GS1", partitionKey: "F", sortKey: "G" },
  idIndex: { name: "GS2", partitionKey: "i" },
  /** Sorted by the table's own sort key. It copies nothing else that changes with each attempt. */
  failingIndex: { name: "GS3", partitionKey: "W", sortKey: "SK", copies: ["st"] },
} as const;

/** The functions of the service stack, by the ids their CDK constructs have. */
export const functions = [
  "Api",
  "Verify",
  "Intake",
  "Ingest",
  "Deliver",
  "Profile",
  "Erase",
  "Sweep",
  "DeadLetters",
] as const;
export type FunctionName = (typeof functions)[number];

/** The queues of the service stack, by the ids their CDK constructs have, and the names that say where each is. */
export const queueUrlNames = {
  Inbound: "inboundQueueUrl",
  Events: "eventsQueueUrl",
  Deliveries: "deliveriesQueueUrl",
  Profiles: "profilesQueueUrl",
  Erasures: "erasuresQueueUrl",
} as const satisfies Readonly<Record<string, keyof typeof env>>;
export type QueueName = keyof typeof queueUrlNames;
export const queues = Object.keys(queueUrlNames) as readonly QueueName[];
