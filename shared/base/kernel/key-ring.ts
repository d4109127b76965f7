import type { Millis } from "./time.ts";

/** No key is derived from a root secret that could be guessed. Its message is for the operator. */
export class RootSecretTooShort extends Error {
  override readonly name = "RootSecretTooShort";

  constructor(charsMin: number) {
    super(
      `The root secret has less than ${charsMin} characters. Store one of 64 random characters with aws secretsmanager put-secret-value.`,
    );
  }
}

/** A key with the name of the root secret that it was derived from. */
export interface KeyVersion {
  readonly kid: string;
  readonly key: Buffer;
  /** Before this time it opens and does not seal. 0 for a key that is older than any other of its ring. */
  readonly sealsFrom: Millis;
  /** From this time on another version seals: what says that it was issued then was not sealed by this service. Absent for the newest. */
  readonly sealsUntil?: Millis;
}

/**
 * The keys of one purpose. `current` seals; each of them opens. `previous` was current before the last rotation. `next`
 * becomes current once every process knows it, so that no process meets a key that it cannot know.
 */
export interface KeyRing {
  readonly current: KeyVersion;
  readonly previous: KeyVersion | null;
  readonly next: KeyVersion | null;
  /** Versions before the previous one, which still find what they hashed, because a version between was leaked. Default: none. */
  readonly earlier?: readonly KeyVersion[];
  /** When the newest version of the root secret was created that the process has read. Default: long ago. */
  readonly newestAt?: Millis;
}

/** With the `kid` of a sealed value that the cached ring lacks, it reads the keys again, at most once a minute. */
export type ReadKeyRing = (kid?: string) => Promise<KeyRing>;

/** The keys that open, the most likely one first. */
export function openingKeys({ current, previous, next, earlier = [] }: KeyRing): readonly KeyVersion[] {
  return [current, previous, next, ...earlier].filter((version) => version !== null);
}

/** The keys that were replaced: what they hashed moves to the current one. */
export function replacedKeys({ previous, earlier = [] }: KeyRing): readonly KeyVersion[] {
  return previous === null ? earlier : [previous, ...earlier];
}

/** Whether a version sealed at this time. A replaced one does not any more, so that who has it cannot issue anything new. */
export function mayHaveSealed({ sealsUntil }: KeyVersion, issuedAt: Millis): boolean {
  return sealsUntil === undefined || issuedAt < sealsUntil;
}

/**
 * The result of the first key of the ring that opens a value; null when none does.
 * @param open has to ask `mayHaveSealed` with the time that the value itself proves
 */
export function openWith<T>(ring: KeyRing, open: (version: KeyVersion) => T | null): T | null {
  for (const version of openingKeys(ring)) {
    const opened = open(version);
    if (opened !== null) return opened;
  }
  return null;
}

/** The key of a sealed value's `kid`; null when the ring has none. */
export function keyOfKid(ring: KeyRing, kid: string): Buffer | null {
  return openingKeys(ring).find((version) => version.kid === kid)?.key ?? null;
}

/** The key that seals at a time. What is derived for a time is the same for every process, and after a rotation. */
export function sealingKeyAt({ current, previous, next }: KeyRing, time: Millis): KeyVersion {
  if (next !== null && time >= next.sealsFrom) return next;
  return previous !== null && time < current.sealsFrom ? previous : current;
}
