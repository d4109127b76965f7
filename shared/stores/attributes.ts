import { table } from "../config/names.ts";

// The attributes of each kind of item, by the names that the code uses. The stored names are short because every byte
// of a name is billed with every item; one letter may mean different things in different items. docs/design/table-keys.md lists
// what each item holds. Never change a stored name: items with the old one exist.

const ttl = { ttl: table.timeToLive } as const;

/** The keys of the feed index. */
const feedIndex = { feed: table.feedIndex.partitionKey, feedPosition: table.feedIndex.sortKey } as const;

/** Who sent a message, and how. */
const authorship = {
  direction: "d",
  sentVia: "v",
  actorId: "ac",
  replyTo: "r",
  holdId: "ho",
} as const;

/** Changes of a message: its newest edit, its removal and its reactions. */
const messageChange = {
  unsentAt: "un",
  editText: "et",
  editCount: "ec",
  editedAt: "ed",
  participantReaction: "rp",
  accountReaction: "ra",
} as const;

export const headAttributes = {
  ...ttl,
  ...feedIndex,
  accountHandle: "ah",
  erasedAt: "ea",
  handle: "ph",
  lastAt: "la",
  lastDirection: "ld",
  lastInboundAt: "li",
  lastMessageHash: "lm",
  lastOutboundAt: "lo",
  lastText: "lt",
  /** How often the shown message was changed. */
  lastVersion: "lv",
  name: "pn",
  pendingMessages: "aw",
  picture: "pp",
  pictureEndsAt: "px",
  profileFetchedAt: "pf",
  profileState: "ps",
  username: "pu",
} as const;

export const messageAttributes = {
  ...ttl,
  ...feedIndex,
  ...authorship,
  ...messageChange,
  idIndex: table.idIndex.partitionKey,
  attachments: "a",
  countedAsEcho: "ce",
  eventUlid: "e",
  handle: "h",
  name: "n",
  postback: "pb",
  quickReply: "q",
  referral: "rf",
  repliedStory: "sy",
  sentAt: "s",
  test: "z",
  text: "t",
  username: "u",
} as const;

export const markerAttributes = { ...ttl, ...authorship, eventUlid: "e", position: "p" } as const;

export const reactionAttributes = {
  participantReaction: messageChange.participantReaction,
  accountReaction: messageChange.accountReaction,
} as const;

export const pendingChangeAttributes = { ...ttl, ...messageChange, changedAt: "ca" } as const;

export const sendRecordAttributes = {
  ...ttl,
  actorId: "ac",
  contentHash: "c",
  echoAt: "ea",
  failure: "f",
  holdId: "ho",
  messageId: "m",
  messageIdSource: "b",
  replyTo: "r",
  sentVia: "v",
  startedAt: "ca",
  state: "st",
  test: "z",
} as const;

/** Each budget's window has its own two attributes: see `budgetLetters`. */
export const budgetAttributes = {
  ...ttl,
  accountPausedUntil: "cd",
  humanAgentPausedUntil: "hp",
  spentAt: "at",
} as const;

export const dueSendAttributes = { ...ttl, content: "b", conversationId: "c", traceId: "tr" } as const;

export const dueItemAttributes = { ...ttl, op: "o", taskBody: "b", tenant: "t", traceId: "tr" } as const;

export const checkpointAttributes = { cursor: "p" } as const;

export const idempotencyAttributes = { ...ttl, bodyHash: "bh", claimedAt: "ca", result: "an", workId: "w" } as const;

export const attachmentOwnerAttributes = { ...ttl, accountKey: "a", expiresAt: "ex", test: "z" } as const;

export const eventBodyAttributes = { ...ttl, body: "b", type: "ty" } as const;

export const eventRefAttributes = { ...ttl, changedAt: "at", eventUlid: "e" } as const;

export const relatedRefAttributes = { ...ttl, asOf: "at" } as const;

export const deliveryAttributes = {
  ...ttl,
  undeliveredIndex: table.failingIndex.partitionKey,
  attempts: "a",
  conversationId: "c",
  eventType: "ty",
  lastDurationMs: "ld",
  lastError: "le",
  lastResponseStatus: "lr",
  leaseUntil: "lu",
  nextAttemptAt: "na",
  op: "o",
  position: "p",
  response: "re",
  settledAttempts: "n",
  status: "st",
  test: "z",
  traceId: "tr",
  updatedAt: "ua",
} as const;

export const endpointAttributes = {
  breakerOp: "bo",
  closedBy: "bc",
  createdAt: "ca",
  events: "ev",
  failedSince: "fa",
  failingSince: "fs",
  failures: "bf",
  op: "o",
  openUntil: "bu",
  pausedEvent: "pe",
  sealedSecret: "s1",
  secondaryExpiresAt: "s2x",
  secondarySecret: "s2",
  secretPrefix: "sp",
  slowUntil: "sl",
  status: "st",
  updatedAt: "ua",
  url: "u",
  wait: "bw",
  warnedAt: "fw",
} as const;

/** Each slot has an attribute of its own: `p0`, `p1`, … */
export const slotsAttributes = { ...ttl } as const;

/** Items that hold one count. */
export const countAttributes = { ...ttl, count: "n" } as const;

/** A minute of a tenant also has the count of each caller: see `callerCount`. */
export const tenantRequestsAttributes = { ...ttl, count: "n" } as const;

export const verificationAttributes = { ...ttl, attempts: "n", failures: "f" } as const;

/** An hour has a further number for each endpoint and end state: see `endpointCounter`. */
export const hourAttributes = { ...ttl, lastOp: "lo", messages: "m" } as const;

export const countClaimAttributes = { ...ttl, op: "o" } as const;

export const holdAttributes = {
  ...ttl,
  ...feedIndex,
  actorId: "ac",
  attachments: "a",
  claimedAt: "cl",
  conversationId: "c",
  createdAt: "ca",
  error: "er",
  expiresAt: "ex",
  platformMessageId: "m",
  replyTo: "r",
  secretHash: "hs",
  sendId: "s",
  status: "st",
  test: "z",
  text: "b",
  traceId: "tr",
} as const;

export const uploadAttributes = {
  ...ttl,
  attachmentId: "m",
  contentType: "ty",
  conversationId: "c",
  copyKey: "h",
  error: "er",
  filename: "fn",
  processingAt: "pa",
  size: "b",
  status: "st",
  test: "z",
  tries: "n",
  type: "k",
} as const;

export const erasureAttributes = {
  ...ttl,
  actor: "ac",
  conversationId: "c",
  countedFrom: "fr",
  countedUpTo: "up",
  erasedAt: "ea",
  ip: "ip",
  nextPassAt: "np",
  op: "o",
  phase: "ph",
  refusedOp: "ro",
  removed: "n",
  tenant: "t",
} as const;

export const erasedEventsAttributes = { ...ttl, bodies: "b", marks: "k", ulids: "u" } as const;

export const accountAttributes = {
  authorizedBy: "au",
  connection: "cn",
  connectedMailOf: "cm",
  connectionId: "ci",
  displayName: "n",
  earlierPolicies: "pe",
  earlierReplaced: "rpe",
  earlierStatusEvents: "ese",
  handle: "h",
  humanAgentRefusedAt: "human_agent_blocked_at",
  lastRefreshedAt: "lr",
  mailClaim: "mc",
  notices: "nt",
  pageId: "pg",
  policy: "po",
  reconnected: "rc",
  recoveredAt: "rv",
  refreshError: "rf",
  refreshFailingSince: "rs",
  replaced: "rp",
  resubscribedAt: "sb",
  retryAt: "ra",
  retryWait: "rw",
  sealedToken: "tk",
  socketsUntil: "wu",
  status: "st",
  statusDetail: "re",
  statusEvent: "se",
  tokenExpiresAt: "tx",
} as const;

export const accountRouteAttributes = {
  ...ttl,
  former: "fo",
  freeAt: "fr",
  handle: "h",
  holders: "ho",
  tenant: "t",
} as const;

export const pageUseAttributes = { tenant: "t" } as const;

export const authorizationAttributes = { ...ttl, connectionId: "ci", otherIds: "oi" } as const;

export const accountCheckAttributes = {
  ...feedIndex,
  authorizedBy: "au",
  connectionId: "ci",
  formerLogins: "fl",
  heldSince: "hs",
  missingSince: "ms",
  missingUntil: "mu",
  subscribedAt: "sa",
} as const;

export const dataDeletionAttributes = {
  ...ttl,
  ...feedIndex,
  doneAt: "da",
  requestedAt: "ra",
  status: "st",
} as const;

export const dataDeletionAccountAttributes = {
  ...ttl,
  ...feedIndex,
  erasureId: "er",
  goneAt: "ga",
  keepsNewer: "kn",
  requestedAt: "ra",
  run: "rn",
} as const;

export const tenantAttributes = {
  ...ttl,
  activeKeys: "kn",
  createdAt: "ca",
  deletedBy: "db",
  name: "n",
  ownerEmail: "ow",
  owners: "oc",
  status: "st",
  updatedAt: "ua",
} as const;

export const userAttributes = {
  createdAt: "ca",
  email: "em",
  lastSignInAt: "ls",
  name: "n",
  op: "o",
  /** The version of the root secret that ended the user's sessions because the one before was leaked. */
  rootKid: "rk",
  rootSince: "rs",
  sessionEpoch: "sv",
  tenantsDay: "td",
  tenantsOfDay: "tn",
} as const;

export const userAddressAttributes = { userId: "u" } as const;

/** The user's side and the tenant's side of a membership have the same name for the role. */
export const membershipAttributes = {
  createdAt: "ca",
  email: "em",
  invitedBy: "by",
  isSuspended: "su",
  name: "n",
  op: "o",
  role: "ro",
} as const;

/** The tenant's side of an invite. */
export const inviteAttributes = {
  ...ttl,
  acceptedAt: "aa",
  createdAt: "ca",
  email: "em",
  expiresAt: "ex",
  invitedBy: "by",
  mailedAt: "ma",
  op: "o",
  role: "ro",
  status: "st",
} as const;

/** The address's side of an invite. */
export const pendingInviteAttributes = { ...ttl, boundTo: "bu", expiresAt: "ex", inviteId: "id", role: "ro" } as const;

/** The ids of a tenant's pending invites. */
export const pendingInvitesAttributes = { ids: "p", op: "o" } as const;

export const tenantStateAttributes = { lastErasureAt: "er", shards: "n" } as const;

export const feedHeaderAttributes = { ...feedIndex, shards: "n" } as const;

export const apiKeyAttributes = {
  ...ttl,
  createdAt: "ca",
  hash: "kh",
  id: "id",
  kind: "kd",
  label: "lb",
  lastUsedAt: "lu",
  op: "o",
  pepperKid: "pk",
  prefix: "pf",
  revokedAt: "rv",
  scope: "sc",
  status: "st",
  suspendedTenants: "su",
  tenants: "ts",
} as const;

export const loginTokenAttributes = {
  ...ttl,
  browserHash: "bh",
  expiresAt: "ex",
  inviteId: "iv",
  mailedAt: "ma",
  op: "o",
  redirect: "r",
  sealedAddress: "em",
  sealedToken: "tk",
} as const;

export const loginStateAttributes = { ...ttl, op: "o" } as const;

export const pageChoiceAttributes = { ...ttl, authorizedBy: "au", expiresAt: "ex", sealedToken: "tk" } as const;

/** What a socket's access depends on: the actor, and of a person the session's epoch and the start of the membership. */
const grant = { actor: "ac", epoch: "sv", memberSince: "ms" } as const;

export const realtimeTicketAttributes = { ...ttl, ...grant, expiresAt: "ex", tenant: "t" } as const;

export const socketAttributes = {
  ...ttl,
  ...grant,
  connectedAt: "ca",
  endedAt: "ea",
  expiresAt: "ex",
  greetedAt: "gr",
} as const;

/** `frames`: with a number after it, the count of one minute. */
export const socketTenantAttributes = { ...ttl, frames: "f", greetedAt: "gr", pingedAt: "pi", tenant: "t" } as const;

/** The number of a tenant's sockets, and when the last of them ends. */
export const presenceAttributes = { count: "n", op: "o", until: "un" } as const;

export const socketErasureAttributes = { ...ttl, erasedAt: "ea" } as const;

export const signInCapAttributes = { ...ttl, ops: "o" } as const;

export const auditAttributes = {
  ...ttl,
  action: "ac",
  actor: "by",
  detail: "dt",
  ip: "ip",
  resource: "rs",
} as const;

export const quarantineAttributes = {
  ...ttl,
  body: "b",
  bodyBytes: "bs",
  claimedUntil: "cu",
  group: "g",
  messageId: "m",
  op: "o",
  quarantinedAt: "at",
  receives: "n",
  redriveEnd: "re",
  redrivenAt: "ra",
} as const;
