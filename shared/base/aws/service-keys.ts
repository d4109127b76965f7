import {
  GetSecretValueCommand,
  ResourceNotFoundException,
  type SecretsManagerClient,
} from "@aws-sdk/client-secrets-manager";
import { deriveKey } from "../kernel/bytes.ts";
import { callScopePlugin } from "../kernel/call-scope.ts";
import { type KeyRing, type KeyVersion, keyOfKid, RootSecretTooShort } from "../kernel/key-ring.ts";
import { memoize } from "../kernel/memo.ts";
import { type EarlierKeys, hashingPurposes, parseTextAfterLeak } from "../kernel/text/root-texts.ts";
import { clockNow, MINUTE, type Millis } from "../kernel/time.ts";
import { SECRET_CACHE_LIFETIME, secretsClient } from "./secrets.ts";

/** A minute more than the cache of any process, for clocks that differ. */
export const SEALING_DELAY: Millis = SECRET_CACHE_LIFETIME + MINUTE;
export const ROOT_CHARS_MIN = 32;
const KID_CHARS = 8;

/** What each key is derived for. */
const purposes = {
  pepper: "api-key-pepper",
  cursor: "cursor",
  holdSecret: "hold-secret",
  session: "session",
  address: "address",
  loginLink: "login-link",
  loginState: "login-state",
  dataDeletion: "data-deletion",
} as const satisfies Record<keyof ServiceKeys, string>;

/** The keys derived from the root secret, one per purpose. */
export interface ServiceKeys {
  /** The pepper of API key hashes. */
  readonly pepper: KeyRing;
  readonly cursor: KeyRing;
  /** Derives the secret of a hold from its id. */
  readonly holdSecret: KeyRing;
  /** Signs the sessions of the console. */
  readonly session: KeyRing;
  /** Hides email and source addresses in item keys. */
  readonly address: KeyRing;
  /** Seals what a sign-in link is mailed with. */
  readonly loginLink: KeyRing;
  /** Seals the state of a platform's login. */
  readonly loginState: KeyRing;
  /** Derives the confirmation codes of data deletions. */
  readonly dataDeletion: KeyRing;
}

/** The versions of the root secret that Secrets Manager stages: the current one, and the one before its last change. */
export interface RootVersions {
  readonly current: { readonly text: string; readonly createdAt: Millis };
  readonly previous: string | null;
}

/**
 * The keys of the root secret's versions. A new version seals only six minutes after its creation, when every process
 * has read it, and opens from the start. From then on the one before it opens only what was issued earlier. A previous
 * version that is too short never sealed anything, and opens nothing.
 * A version that replaced a leaked one seals at once, and no other opens. Only what rows are found by goes on as after
 * any other change: a process that has not read the new version finds them, too.
 * @throws RootSecretTooShort when the current version is
 */
export function deriveServiceKeys({ current, ...versions }: RootVersions): (now: Millis) => ServiceKeys {
  const newestAt = current.createdAt;
  const afterLeak = parseTextAfterLeak(current.text);
  if (afterLeak !== null) return ringsAfterLeak(current, afterLeak);
  const previous = versions.previous !== null && isTooShort(versions.previous) ? null : versions.previous;
  const newest = versionKeys(current.text, previous === null ? 0 : newestAt + SEALING_DELAY);
  if (previous === null) {
    const only = toRings(newest, () => ({ previous: null, next: null, newestAt }));
    return () => only;
  }
  const replaced = versionKeys(previous, 0, newest.pepper.sealsFrom);
  const before = toRings(versionKeys(previous, 0), (name) => ({ previous: null, next: newest[name], newestAt }));
  const after = toRings(newest, (name) => ({ previous: replaced[name], next: null, newestAt }));
  return (now) => (now < newest.pepper.sealsFrom ? before : after);
}

function ringsAfterLeak(
  { text, createdAt: newestAt }: RootVersions["current"],
  earlier: readonly EarlierKeys[],
): (now: Millis) => ServiceKeys {
  const sealing = toRings(versionKeys(text, 0), () => ({ previous: null, next: null, newestAt }));
  const newest = versionKeys(text, newestAt + SEALING_DELAY);
  const hashingRings = (toRing: (version: KeyVersion, first: KeyVersion, others: readonly KeyVersion[]) => KeyRing) =>
    Object.fromEntries(
      hashingPurposes.map((name) => {
        const [first = newest[name], ...others] = earlier.map((keys) => keys[name]);
        return [name, toRing(newest[name], first, others)];
      }),
    );
  const before = hashingRings((version, current, [previous = null, ...others]) => {
    return { current, previous, next: version, earlier: others, newestAt };
  });
  const after = hashingRings((current, previous, others) => {
    return { current, previous, next: null, earlier: others, newestAt };
  });
  return (now) => ({ ...sealing, ...(now < newest.pepper.sealsFrom ? before : after) });
}

function isTooShort(root: string): boolean {
  return root.length < ROOT_CHARS_MIN;
}

type VersionKeys = Readonly<Record<keyof ServiceKeys, KeyVersion>>;

function versionKeys(root: string, sealsFrom: Millis, sealsUntil?: Millis): VersionKeys {
  if (isTooShort(root)) throw new RootSecretTooShort(ROOT_CHARS_MIN);
  const kid = deriveKey(root, "kid").toString("base64url").slice(0, KID_CHARS);
  return mapPurposes((name) => ({
    ...{ kid, key: deriveKey(root, purposes[name]), sealsFrom },
    ...(sealsUntil === undefined ? {} : { sealsUntil }),
  }));
}

function toRings(current: VersionKeys, others: (name: keyof ServiceKeys) => Omit<KeyRing, "current">): ServiceKeys {
  return mapPurposes((name) => ({ current: current[name], ...others(name) }));
}

function mapPurposes<T>(map: (name: keyof ServiceKeys) => T): Readonly<Record<keyof ServiceKeys, T>> {
  const names = Object.keys(purposes) as (keyof ServiceKeys)[];
  return Object.fromEntries(names.map((name) => [name, map(name)])) as Record<keyof ServiceKeys, T>;
}

export type ReadServiceKeys = (kid?: string) => Promise<ServiceKeys>;

/**
 * Reads the root secret's versions and caches them for five minutes. A `kid` that the cached keys lack causes another
 * read at once, at most one a minute, and the other calls have its result, too. A failed read is repeated at the next
 * call.
 * @param clock the deployment's; a command may run beside one with another time
 */
export function serviceKeysReader(
  secretId: string,
  client = secretsClient(),
  clock: () => Millis = clockNow,
): ReadServiceKeys {
  client.middlewareStack.use(callScopePlugin);
  // In this order: a rotation between the two reads shows as one version, never as two that are not neighbors.
  let reads = 0;
  let latest: KeysOfRead | null = null;
  const readVersions = async (): Promise<KeysOfRead> => {
    const read = ++reads;
    const current = await readVersion(client, secretId, "AWSCURRENT");
    if (current === null) throw new Error("The root secret has no value.");
    const previous = await readVersion(client, secretId, "AWSPREVIOUS");
    const versions = { current, previous: previous?.text === current.text ? null : (previous?.text ?? null) };
    const keysAt = deriveServiceKeys(versions);
    if (latest === null || latest.read < read) latest = { read, keysAt };
    return latest;
  };
  const ordinary = memoize(readVersions, String, SECRET_CACHE_LIFETIME);
  const forUnknownKid = memoize(readVersions, String, MINUTE);
  return async (kid) => {
    const now = clock();
    const ordinaryRead = await ordinary(secretId, now);
    const keys = (latest ?? ordinaryRead).keysAt(now);
    if (kid === undefined || keyOfKid(keys.pepper, kid) !== null) return keys;
    const readAgain = await forUnknownKid(secretId, now).catch(() => null);
    return readAgain?.keysAt(now) ?? keys;
  };
}

interface KeysOfRead {
  /** Counts the reads of the process. */
  readonly read: number;
  readonly keysAt: (now: Millis) => ServiceKeys;
}

async function readVersion(
  client: SecretsManagerClient,
  SecretId: string,
  VersionStage: "AWSCURRENT" | "AWSPREVIOUS",
): Promise<{ text: string; createdAt: Millis } | null> {
  try {
    const { SecretString, CreatedDate } = await client.send(new GetSecretValueCommand({ SecretId, VersionStage }));
    if (!SecretString) throw new Error("The secret is empty.");
    return { text: SecretString, createdAt: CreatedDate?.getTime() ?? 0 };
  } catch (error) {
    // A secret that was never changed has no previous version.
    if (VersionStage === "AWSPREVIOUS" && error instanceof ResourceNotFoundException) return null;
    throw error;
  }
}
