import { randomToken } from "#base/kernel/bytes.ts";
import type { KeyRing } from "#base/kernel/key-ring.ts";
import { SESSION_LIFETIME } from "#base/kernel/limits.ts";
import type { Millis } from "#base/kernel/time.ts";
import { journaled } from "#features/recovery/journal.ts";
import { addressHashes } from "../../rules/address-hash.ts";
import type { RotationRow } from "../../store/rotation-leftovers.ts";
import type { RotateRootPorts } from "./ports.ts";

/** 384 bits, 64 characters. */
export const ROOT_BYTES = 48;

type KeyRow = Extract<RotationRow, { kind: "key" }>;

/**
 * - `rotated`: there is a new root secret, which seals soon
 * - `too_early`: the last new one does not seal yet
 * - `confirm`: the version before the current one would end. `keys` were not used since the last rotation, and
 *   sessions from before it are valid until `sessionsUntil`; null when none is
 * - `overtaken`: another command rotated at the same time
 */
export type RotationResult =
  | { readonly kind: "rotated" }
  | { readonly kind: "too_early"; readonly sealsFrom: Millis }
  | { readonly kind: "confirm"; readonly keys: readonly KeyRow[]; readonly sessionsUntil: Millis | null }
  | { readonly kind: "overtaken" };

/**
 * Makes a new root secret current, and the current one the previous one, which still opens. What only the version before
 * it opens ends: keys without a request since the last rotation, and sessions and cursors from before it. So the second
 * rotation asks for `isForced` while there are such keys or sessions. Rows found by an address move to the current key
 * before, so that no user, member or invite is lost. Safe to repeat: until the last call nothing has ended.
 */
export async function rotateRoot(
  ports: RotateRootPorts,
  { isForced, now }: { readonly isForced: boolean; readonly now: Millis },
): Promise<RotationResult> {
  // Read before the keys: a rotation between the two reads is seen as `next`, and one after them fails the replacement.
  const version = await ports.rootSecret.current();
  const peppers = await ports.peppers();
  if (peppers.next) return { kind: "too_early", sealsFrom: peppers.next.sealsFrom };
  if (peppers.previous) {
    const { keys, addresses } = await collectLeftovers(ports, peppers);
    const lastSessionEnd = peppers.current.sealsFrom + SESSION_LIFETIME;
    // After the replacement of a leaked secret there are none from before it.
    const hasEarlierSessions = (await ports.sessionKeys()).previous !== null;
    const sessionsUntil = hasEarlierSessions && now < lastSessionEnd ? lastSessionEnd : null;
    if (!isForced && (keys.length > 0 || sessionsUntil !== null)) return { kind: "confirm", keys, sessionsUntil };
    await moveAddresses(ports, addresses);
  }
  const write = () => ports.rootSecret.replace(version, randomToken(ROOT_BYTES).toString("base64url"));
  const entry = { act: { kind: "root_secret.rotate" }, at: now } as const;
  const isReplaced = await journaled(ports, entry, write, (replaced) => !replaced);
  return { kind: isReplaced ? "rotated" : "overtaken" };
}

interface Leftovers {
  /** The active keys under another pepper than the current one. */
  readonly keys: readonly KeyRow[];
  readonly addresses: readonly Exclude<RotationRow, KeyRow>[];
}

async function collectLeftovers(ports: RotateRootPorts, { current }: KeyRing): Promise<Leftovers> {
  const keys: KeyRow[] = [];
  const addresses: Exclude<RotationRow, KeyRow>[] = [];
  for await (const row of ports.rotationRows()) {
    if (row.kind !== "key") addresses.push(row);
    else if (row.key.pepperKid !== current.kid) keys.push(row);
  }
  return { keys, addresses };
}

async function moveAddresses(ports: RotateRootPorts, addresses: Leftovers["addresses"]): Promise<void> {
  const keys = await ports.addressKeys();
  for (const row of addresses) {
    const hashes = addressHashes(keys, row.email);
    if (row.kind === "user") await ports.users.moveToFirstHash(hashes);
    else await ports.invites.moveToFirstHash(row.tenant, hashes);
  }
}
