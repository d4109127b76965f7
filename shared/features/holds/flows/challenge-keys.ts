import type { Vault } from "#base/aws/vault.ts";
import type { KeyRing, KeyVersion } from "#base/kernel/key-ring.ts";
import { CHALLENGE_LIFETIME } from "#base/kernel/limits.ts";
import { memoize } from "#base/kernel/memo.ts";
import { allDone } from "#base/kernel/parallel.ts";
import { DAY, MINUTE, type Millis } from "#base/kernel/time.ts";
import type { ChallengeKeys } from "../store/challenge-keys.ts";

const KEY_BYTES = 32;
/** How far the clocks of two processes may be apart. */
const CLOCK_SKEW: Millis = MINUTE;

export interface ChallengeKeyPorts {
  readonly challengeKeys: ChallengeKeys;
  readonly vault: Pick<Vault, "seal" | "open">;
  /** Random bytes. */
  readonly random: (bytes: number) => Uint8Array;
}

/**
 * Reads the keys of the check page's challenges. Each day of UTC has a key of its own, which the first process that needs it
 * makes. It is stored sealed, and only the role of the check page may open it. A process reads the key of a day once.
 * @returns the ring at an instant: the key of the day, and for minutes around midnight that of the day before or after
 */
export function challengeKeyReader({ challengeKeys, vault, random }: ChallengeKeyPorts) {
  const context = (day: number) => ({ purpose: "check-challenge", owner: String(day) }) as const;

  async function makeKey(day: number): Promise<Uint8Array> {
    const key = Buffer.from(random(KEY_BYTES)).toString("base64url");
    return challengeKeys.create(day, await vault.seal(key, context(day)));
  }

  async function openKey(day: number, sealed: Uint8Array | null): Promise<KeyVersion | null> {
    if (sealed === null) return null;
    const key = Buffer.from(await vault.open(sealed, context(day)), "base64url");
    const ends = (day + 1) * DAY;
    return { kid: String(day), key, sealsFrom: day * DAY, sealsUntil: ends + CLOCK_SKEW };
  }

  const existing = memoize(async (day: number) => openKey(day, await challengeKeys.get(day)), String, DAY);
  const ensured = memoize(
    async (day: number) => openKey(day, (await challengeKeys.get(day)) ?? (await makeKey(day))),
    String,
    DAY,
  );

  return async (now: Millis): Promise<KeyRing> => {
    const day = dayOf(now);
    const [before, after] = [dayOf(now - CHALLENGE_LIFETIME - CLOCK_SKEW), dayOf(now + CLOCK_SKEW)];
    const [current, previous, next] = await allDone([
      ensured(day, now),
      before === day ? null : existing(before, now),
      after === day ? null : existing(after, now),
    ]);
    if (current === null) throw new Error("The key of the challenges was not stored.");
    return { current, previous, next };
  };
}

function dayOf(time: Millis): number {
  return Math.floor(time / DAY);
}
