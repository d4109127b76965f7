import { randomBytes, randomInt } from "node:crypto";

// Instagram writes its ids in base64 and replaces special characters with two letters, so that the ids are URL-safe.
const escapes: Record<string, string> = { Z: "ZA", "+": "ZB", "/": "ZC", "=": "ZD" };
const unescapes: Record<string, string> = { ZA: "Z", ZB: "+", ZC: "/", ZD: "=" };

export interface InstagramMid {
  accountId: string;
  threadId: string;
  /** Microseconds since 1970. */
  micros: bigint;
}

/** An Instagram message id: about 160 letters and digits. The item's number is its microseconds times 2^64. */
export function instagramMid(mid: InstagramMid): string {
  const item = mid.micros << 64n;
  const plain = `ig_dm_item:1:IGMessageID:${mid.accountId}:${mid.threadId}:${item}`;
  return Buffer.from(plain, "utf8")
    .toString("base64")
    .replace(/[Z+/=]/g, (character) => escapes[character] ?? character);
}

/** Parses an Instagram message id. Returns null for any other text. */
export function parseInstagramMid(text: string): InstagramMid | null {
  const base64 = text.replace(/Z[ABCD]/g, (pair) => unescapes[pair] ?? pair);
  const plain = Buffer.from(base64, "base64").toString("utf8");
  const match = /^ig_dm_item:1:IGMessageID:(\d+):(\d+):(\d+)$/.exec(plain);
  if (match === null) return null;
  const [, accountId = "", threadId = "", item = "0"] = match;
  return { accountId, threadId, micros: BigInt(item) >> 64n };
}

/** A Messenger message id: `m_` and 86 random base64url characters. */
export function messengerMid(): string {
  return `m_${randomBytes(64).toString("base64url")}`;
}

function digits(count: number): string {
  let text = "";
  while (text.length < count) text += randomInt(10);
  return text;
}

/** Larger than 2^53, as on the platforms: code that reads the id as a number loses digits. */
export function scopedId(): string {
  return `${randomInt(1, 10)}${digits(16)}`;
}

export function instagramThreadId(): string {
  return `34028236684171030${digits(22)}`;
}

/** The trace id in every Graph error. */
export function traceId(): string {
  return `A${randomBytes(16).toString("base64url")}`;
}
