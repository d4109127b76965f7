import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import Cap from "@cap.js/server";
import { solve_pow } from "@cap.js/wasm";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { hmacSha256 } from "#base/kernel/bytes.ts";
import { MINUTE } from "#base/kernel/time.ts";
import {
  type Challenge,
  checkSolutions,
  derivePuzzles,
  newChallenge,
  type SolutionsVerdict,
} from "#features/holds/rules/proof-of-work.ts";
import { repetitions } from "../../../support/sampling.ts";
import { oneKeyRing } from "../../../support/world/key-rings.ts";

// Cap's server and solver are the oracles. The server would end the process on signals and write a file, so the tests
// remove its listeners and disable the file.
const signals = ["beforeExit", "SIGINT", "SIGTERM", "SIGQUIT"];
const listenersBefore = new Map(signals.map((name) => [name, process.listeners(name as "SIGINT")]));
const cap = new Cap({ noFSState: true, disableAutoCleanup: true });
for (const name of signals) {
  for (const listener of process.listeners(name as "SIGINT")) {
    if (!listenersBefore.get(name)?.includes(listener)) process.removeListener(name, listener);
  }
}
const folderExisted = existsSync(".data");
afterAll(() => expect(existsSync(".data")).toBe(folderExisted));

const key = Buffer.alloc(32, 7);
const keys = oneKeyRing(key);
const now = 1_800_000_000_000;
const holdId = "hold_01JZ0000000000000000000000";
const challengeRequest = {
  holdId,
  scope: "test",
  nonce: Buffer.alloc(16, 3),
  now,
  holdExpiresAt: now + 15 * MINUTE,
} as const;
const challenge = newChallenge(challengeRequest, keys);
const solutions = solve(challenge.token, challenge.challenge);
const answer = { holdId, token: challenge.token, solutions, now };

function solve(token: string, challenge: Challenge): number[] {
  return derivePuzzles(token, challenge).map(({ salt, target }) => Number(solve_pow(salt, target)));
}

function hex(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** The verdict of Cap's server on solutions of the challenge with this token. */
async function redeemWithCap(token: string, challenge: Challenge, answers: readonly number[]): Promise<boolean> {
  cap.config.state.challengesList[token] = { challenge: { ...challenge }, expires: Date.now() + MINUTE };
  return (await cap.redeemChallenge({ token, solutions: [...answers] })).success;
}

/** A token for any terms, sealed with the key. */
/** Whether the body of a token, which a changed character may have changed, names the version of the release before. */
function saysEarlierVersion(token: string): boolean {
  try {
    return JSON.parse(Buffer.from(token.split(".")[0] ?? "", "base64url").toString()).v === 1;
  } catch {
    return false;
  }
}

function forgeToken(terms: object, sealingKey: Uint8Array = key): string {
  const body = Buffer.from(JSON.stringify(terms)).toString("base64url");
  return `${body}.${hmacSha256(sealingKey, body).toString("base64url")}`;
}

test("a live hold gets 50 puzzles with four hex characters, a test hold with three, and Cap's solver solves both", () => {
  for (const [scope, d] of [
    ["live", 4],
    ["test", 3],
  ] as const) {
    const { challenge, token } = newChallenge({ ...challengeRequest, scope }, keys);
    expect(challenge).toEqual({ c: 50, s: 32, d });
    expect(checkSolutions({ ...answer, token, solutions: solve(token, challenge) }, keys)).toBe("ok");
  }
});

test("a challenge is valid for ten minutes, or until its hold expires if that is earlier", () => {
  expect(challenge.expires).toBe(now + 10 * MINUTE);
  const short = newChallenge({ ...challengeRequest, holdExpiresAt: now + MINUTE }, keys);
  expect(short.expires).toBe(now + MINUTE);
  expect(checkSolutions({ ...answer, now: challenge.expires - 1 }, keys)).toBe("ok");
  expect(checkSolutions({ ...answer, now: challenge.expires }, keys)).toBe("challenge_expired");
});

test("the verifier accepts and refuses what Cap's server accepts and refuses, for any token and terms", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: "grapheme-ascii", minLength: 1, maxLength: 60 }),
      fc.record({ c: fc.integer({ min: 1, max: 20 }), s: fc.integer({ min: 1, max: 64 }), d: fc.constantFrom(1, 2) }),
      fc.nat(),
      async (nonce, challenge, at) => {
        const token = forgeToken({ v: 2, h: holdId, n: nonce, ...challenge, exp: now + MINUTE });
        const right = solve(token, challenge);
        expect(checkSolutions({ ...answer, token, solutions: right }, keys)).toBe("ok");
        expect(await redeemWithCap(token, challenge, right)).toBe(true);
        const other = right.map((nonce, i) => (i === at % right.length ? nonce + 1 : nonce));
        const verdict: SolutionsVerdict = (await redeemWithCap(token, challenge, other)) ? "ok" : "invalid_solutions";
        expect(checkSolutions({ ...answer, token, solutions: other }, keys)).toBe(verdict);
      },
    ),
    { numRuns: repetitions({ whole: 100, sample: 20 }) },
  );
});

test("a challenge made by Cap's server is solved from our puzzles", async () => {
  const { challenge, token } = await cap.createChallenge({ challengeDifficulty: 3 });
  if (token === undefined) throw new Error("Cap made no token");
  expect((await cap.redeemChallenge({ token, solutions: solve(token, challenge) })).success).toBe(true);
});

test("the verifier refuses every single changed solution, including values that are not counts", () => {
  const wrong = fc.oneof(
    fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
    fc.constantFrom(-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 1e21, 2 ** 53),
  );
  fc.assert(
    fc.property(fc.nat({ max: 49 }), wrong, (at, value) => {
      const puzzle = derivePuzzles(challenge.token, challenge.challenge)[at];
      const changed = solutions.map((nonce, i) => (i === at ? value : nonce));
      // One in 4,096 other numbers also solves the puzzle.
      fc.pre(puzzle !== undefined && value !== solutions[at] && !alsoSolves(changed));
      expect(checkSolutions({ ...answer, solutions: changed }, keys)).toBe("invalid_solutions");
    }),
    { numRuns: repetitions({ whole: 300, sample: 60 }) },
  );
  function alsoSolves(changed: readonly number[]): boolean {
    return changed.every((nonce) => Number.isSafeInteger(nonce) && nonce >= 0) && accepts(changed);
  }
  function accepts(changed: readonly number[]): boolean {
    return derivePuzzles(challenge.token, challenge.challenge).every(({ salt, target }, i) =>
      hex(`${salt}${changed[i]}`).startsWith(target),
    );
  }
});

test("the verifier refuses a solving number that is negative, fractional or not a safe integer", () => {
  const challenge = { c: 1, s: 32, d: 1 };
  const token = forgeToken({ v: 2, h: holdId, n: "n", ...challenge, exp: now + MINUTE });
  const [{ salt = "", target = "" } = {}] = derivePuzzles(token, challenge);
  for (const nth of [(i: number) => -1 - i, (i: number) => i + 0.5, (i: number) => 2 ** 53 + 2 * i]) {
    const numbers = Array.from({ length: 1_000 }, (_, i) => nth(i));
    const solving = numbers.find((nonce) => hex(`${salt}${nonce}`).startsWith(target)) ?? Number.NaN;
    expect(solving).not.toBeNaN();
    expect(checkSolutions({ ...answer, token, solutions: [solving] }, keys)).toBe("invalid_solutions");
  }
});

test("the verifier refuses too few, too many, swapped or no solutions", () => {
  const [first = 0, second = 0, ...rest] = solutions;
  for (const other of [[], solutions.slice(1), [...solutions, 0], [second, first, ...rest]]) {
    expect(checkSolutions({ ...answer, solutions: other }, keys)).toBe("invalid_solutions");
  }
});

test("the verifier refuses a token with any character changed, removed or added", () => {
  const { token } = challenge;
  fc.assert(
    fc.property(fc.nat({ max: token.length - 1 }), fc.string({ minLength: 0, maxLength: 2 }), (at, piece) => {
      const changed = token.slice(0, at) + piece + token.slice(at + 1);
      fc.pre(changed !== token);
      const verdict = saysEarlierVersion(changed) ? "challenge_expired" : "invalid_token";
      expect(checkSolutions({ ...answer, token: changed }, keys)).toBe(verdict);
    }),
    { numRuns: repetitions({ whole: 1_000, sample: 300 }) },
  );
  for (const changed of ["", ".", token.split(".").join(""), `${token}=`, `${token}.`, token.repeat(5)]) {
    expect(checkSolutions({ ...answer, token: changed }, keys)).toBe("invalid_token");
  }
});

test("the verifier refuses a token of another hold, of another key, or with a changed expiry", () => {
  expect(checkSolutions({ ...answer, holdId: "hold_01JZ0000000000000000000001" }, keys)).toBe("invalid_token");
  expect(checkSolutions(answer, oneKeyRing(Buffer.alloc(32, 8)))).toBe("invalid_token");
  const [body = "", tag = ""] = challenge.token.split(".");
  const terms = JSON.parse(Buffer.from(body, "base64url").toString());
  for (const change of [{ exp: terms.exp + 1 }, { h: "hold_x" }, { d: 0 }, { c: 0 }]) {
    const changed = Buffer.from(JSON.stringify({ ...terms, ...change })).toString("base64url");
    expect(checkSolutions({ ...answer, token: `${changed}.${tag}` }, keys)).toBe("invalid_token");
  }
});

test("the work of the verifier is limited even for a sealed token", () => {
  const terms = { v: 2, h: holdId, n: "n", c: 1, s: 32, d: 1, exp: now + MINUTE };
  for (const beyond of [{ c: 301 }, { s: 65 }, { d: 6 }, { v: 3 }]) {
    expect(checkSolutions({ ...answer, token: forgeToken({ ...terms, ...beyond }) }, keys)).toBe("invalid_token");
  }
  expect(
    checkSolutions({ ...answer, token: forgeToken(terms), solutions: solve(forgeToken(terms), terms) }, keys),
  ).toBe("ok");
});

test("the verifier refuses the solutions of another challenge of the same hold", () => {
  const other = newChallenge({ ...challengeRequest, nonce: Buffer.alloc(16, 4) }, keys);
  expect(other.token).not.toBe(challenge.token);
  expect(checkSolutions({ ...answer, token: other.token }, keys)).toBe("invalid_solutions");
});

test("a challenge of the release before, which the root secret sealed, has expired, and one of no version is invalid", () => {
  const terms = { h: holdId, n: "n", c: 1, s: 32, d: 1, exp: now + MINUTE };
  for (const sealing of [keys, oneKeyRing(Buffer.alloc(32, 8))]) {
    const earlier = forgeToken({ v: 1, ...terms }, sealing.current.key);
    expect(checkSolutions({ ...answer, token: earlier }, keys)).toBe("challenge_expired");
    const later = forgeToken({ v: 3, ...terms }, sealing.current.key);
    expect(checkSolutions({ ...answer, token: later }, keys)).toBe("invalid_token");
  }
  for (const text of ["1", "null", "[]", "{"]) {
    const token = `${Buffer.from(text).toString("base64url")}.tag`;
    expect(checkSolutions({ ...answer, token }, keys)).toBe("invalid_token");
  }
});
