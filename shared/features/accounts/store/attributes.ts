import { feedIndex, ttl } from "#base/table/attributes.ts";

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
  restoredFrom: "zf",
  restoredAnswersFrom: "za",
  restoredUnread: "zr",
  restoredUntil: "zu",
  resubscriptions: "sb",
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
  pictureEndsAt: "pe",
  pictureUrl: "pu",
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

export const loginStateAttributes = { ...ttl, op: "o" } as const;

export const pageChoiceAttributes = { ...ttl, authorizedBy: "au", expiresAt: "ex", sealedToken: "tk" } as const;
