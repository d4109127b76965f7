import { table } from "#base/config/names.ts";
import { feedIndex, ttl } from "#base/table/attributes.ts";

/** Changes of a message: its newest edit, its removal and its reactions. */
const messageChange = {
  unsentAt: "un",
  editText: "et",
  editCount: "ec",
  editedAt: "ed",
  editTruncated: "ex",
  participantReaction: "rp",
  accountReaction: "ra",
} as const;

/** Who sent a message, and how. */
const authorship = {
  direction: "d",
  sentVia: "v",
  actorId: "ac",
  replyTo: "r",
  holdId: "ho",
} as const;

export const headAttributes = {
  ...ttl,
  ...feedIndex,
  accountHandle: "ah",
  /** Of a shown message of the account: since when the person had waited for it; 0 where it answers no message. */
  answersSince: "an",
  doneAt: "da",
  erasedAt: "ea",
  handle: "ph",
  lastAt: "la",
  lastDirection: "ld",
  lastInboundAt: "li",
  /** Absent for a text. */
  lastKind: "lk",
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
  /** When the mark of `doneAt` was removed by a person. */
  undoneAt: "du",
  username: "pu",
  /** When the first message came that waits for an answer. */
  waitingSince: "ws",
} as const;

export const messageAttributes = {
  ...ttl,
  ...feedIndex,
  ...authorship,
  ...messageChange,
  idIndex: table.idIndex.partitionKey,
  /** After a restore of the table: the send that the fetched message answers. */
  answeredSend: "fa",
  attachments: "a",
  countedAsEcho: "ce",
  echoedUrls: "eu",
  eventUlid: "e",
  handle: "h",
  name: "n",
  nameWait: "nw",
  postback: "pb",
  quickReply: "q",
  referral: "rf",
  repliedStory: "sy",
  sentAt: "s",
  test: "z",
  text: "t",
  textTruncated: "tt",
  username: "u",
} as const;

export const markerAttributes = { ...ttl, ...authorship, eventUlid: "e", position: "p", sendId: "si" } as const;

export const reactionAttributes = {
  participantReaction: messageChange.participantReaction,
  accountReaction: messageChange.accountReaction,
} as const;

export const pendingChangeAttributes = { ...ttl, ...messageChange, changedAt: "ca" } as const;

export const rawCopyAttributes = { ...ttl, content: "b" } as const;

export const feedHeaderAttributes = { ...feedIndex, shards: "n" } as const;

export const waitClaimAttributes = { ...ttl, op: "o" } as const;
