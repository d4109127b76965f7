import { hmacSha256, sameBytes, sha256Hex } from "#base/kernel/bytes.ts";
import { type KeyRing, mayHaveSealed, openWith } from "#base/kernel/key-ring.ts";
import {
  CHALLENGE_LIFETIME,
  CHALLENGE_PUZZLES,
  CHALLENGE_PUZZLES_MAX,
  CHALLENGE_SALT_CHARS,
  CHALLENGE_SALT_CHARS_MAX,
  CHALLENGE_TARGET_CHARS,
  CHALLENGE_TARGET_CHARS_MAX,
} from "#base/kernel/limits.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { Scope } from "#features/access/rules/scope.ts";

// The wire format of Cap (format 1): all puzzles are derived from the token, so the browser gets three numbers and the
// token. The token carries its terms under an HMAC, so nothing is stored. The puzzles raise the cost of scripted sending
// and prove nothing more: they depend on 32 bits of state. A token works once because claiming its hold works once.

/** `c` puzzles, `s` hex characters of salt, `d` hex characters of target. */
export interface Challenge {
  readonly c: number;
  readonly s: number;
  readonly d: number;
}

export interface IssuedChallenge {
  readonly challenge: Challenge;
  readonly token: string;
  /** Epoch milliseconds. From this time on the token is refused. */
  readonly expires: Millis;
}

/** The task: find an integer n >= 0 such that the hex SHA-256 of `salt` + decimal n starts with `target`. */
export interface Puzzle {
  readonly salt: string;
  readonly target: string;
}

export type SolutionsVerdict = "ok" | "invalid_token" | "challenge_expired" | "invalid_solutions";

/** Those of the first version were sealed by the root secret. */
const VERSION = 2;
const EARLIER_VERSION = 1;

interface ChallengeTerms extends Challenge {
  readonly v: typeof VERSION;
  /** The hold's id. */
  readonly h: string;
  readonly n: string;
  readonly exp: Millis;
}

const TOKEN_CHARS_MAX = 512;

/**
 * Creates a challenge for one hold.
 * @param input `nonce`: 16 random bytes; `scope`: test holds get easier puzzles
 * @param keys used for this purpose only
 */
export function newChallenge(
  input: {
    readonly holdId: string;
    readonly scope: Scope;
    readonly nonce: Uint8Array;
    readonly now: Millis;
    readonly holdExpiresAt: Millis;
  },
  keys: KeyRing,
): IssuedChallenge {
  const challenge: Challenge = {
    c: CHALLENGE_PUZZLES,
    s: CHALLENGE_SALT_CHARS,
    d: CHALLENGE_TARGET_CHARS[input.scope],
  };
  const expires = Math.min(input.now + CHALLENGE_LIFETIME, input.holdExpiresAt);
  const nonce = Buffer.from(input.nonce).toString("base64url");
  const terms: ChallengeTerms = { v: VERSION, h: input.holdId, n: nonce, ...challenge, exp: expires };
  const body = Buffer.from(JSON.stringify(terms)).toString("base64url");
  return { challenge, token: `${body}.${seal(keys.current.key, body)}`, expires };
}

/**
 * Checks the solutions of a challenge, the cheapest checks first.
 * @param submission `solutions`: one integer per puzzle, in the order of the puzzles
 */
export function checkSolutions(
  submission: {
    readonly holdId: string;
    readonly token: string;
    readonly solutions: readonly number[];
    readonly now: Millis;
  },
  keys: KeyRing,
): SolutionsVerdict {
  const terms = openWith(keys, (version) => {
    const opened = openToken(submission.token, version.key);
    // A challenge lives for this long at most, so it was not issued before.
    return opened !== null && mayHaveSealed(version, opened.exp - CHALLENGE_LIFETIME) ? opened : null;
  });
  // The page solves a new challenge by itself. This says nothing that a forged token could use.
  if (terms === null && isOfEarlierVersion(submission.token)) return "challenge_expired";
  if (terms === null || terms.h !== submission.holdId) return "invalid_token";
  if (submission.now >= terms.exp) return "challenge_expired";
  const { solutions } = submission;
  if (solutions.length !== terms.c || !solutions.every(isNonce)) return "invalid_solutions";
  const solved = derivePuzzles(submission.token, terms).every(({ salt, target }, i) =>
    sha256Hex(`${salt}${solutions[i]}`).startsWith(target),
  );
  return solved ? "ok" : "invalid_solutions";
}

/** The puzzles of a token, in order. */
export function derivePuzzles(token: string, { c, s, d }: Challenge): readonly Puzzle[] {
  return Array.from({ length: c }, (_, i) => ({
    salt: hexFrom(`${token}${i + 1}`, s),
    target: hexFrom(`${token}${i + 1}d`, d),
  }));
}

function openToken(token: string, key: Uint8Array): ChallengeTerms | null {
  if (token.length > TOKEN_CHARS_MAX) return null;
  const dot = token.indexOf(".");
  if (dot < 0) return null;
  const body = token.slice(0, dot);
  // Compares the encoded texts: several base64url texts can decode to the same bytes.
  if (!sameBytes(token.slice(dot + 1), seal(key, body))) return null;
  // The HMAC proves that `newChallenge` wrote the body, so it needs no schema.
  const terms: ChallengeTerms = JSON.parse(Buffer.from(body, "base64url").toString());
  return terms.v === VERSION && withinCaps(terms) ? terms : null;
}

/** Whether the release before this one issued the token, as its unsealed text says. */
function isOfEarlierVersion(token: string): boolean {
  if (token.length > TOKEN_CHARS_MAX) return false;
  try {
    const terms: unknown = JSON.parse(Buffer.from(token.slice(0, token.indexOf(".")), "base64url").toString());
    return typeof terms === "object" && terms !== null && "v" in terms && terms.v === EARLIER_VERSION;
  } catch {
    return false;
  }
}

function withinCaps({ c, s, d }: Challenge): boolean {
  return c <= CHALLENGE_PUZZLES_MAX && s <= CHALLENGE_SALT_CHARS_MAX && d <= CHALLENGE_TARGET_CHARS_MAX;
}

function seal(key: Uint8Array, body: string): string {
  return hmacSha256(key, body).toString("base64url");
}

function isNonce(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

/** FNV-1a of the seed, then xorshift32 with eight hex characters per step. */
function hexFrom(seed: string, length: number): string {
  let state = 2166136261;
  for (let i = 0; i < seed.length; i++) {
    state ^= seed.charCodeAt(i);
    state += (state << 1) + (state << 4) + (state << 7) + (state << 8) + (state << 24);
  }
  state >>>= 0;
  let hex = "";
  while (hex.length < length) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    hex += (state >>> 0).toString(16).padStart(8, "0");
  }
  return hex.slice(0, length);
}
