import type { ServiceKeys } from "#base/aws/service-keys.ts";
import { randomToken } from "#base/kernel/bytes.ts";
import { SESSION_LIFETIME } from "#base/kernel/limits.ts";
import { forEachConcurrent } from "#base/kernel/parallel.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { parseTextAfterLeak, toTextAfterLeak } from "#base/kernel/text/root-texts.ts";
import { HOUR, type Millis } from "#base/kernel/time.ts";
import { holdSecret, isHoldSecret } from "#features/holds/rules/holds.ts";
import { closeEndedSessions } from "#features/realtime/cut-off.ts";
import { requestHoldPush } from "#features/realtime/request-push.ts";
import { journaled } from "#features/recovery/journal.ts";
import type { RootMark } from "../../rules/team.ts";
import type { SessionRow } from "../../store/session-rows.ts";
import { openLoginAddress } from "../sign-in/login-link.ts";
import type { ReplaceLeakedRootPorts } from "./ports.ts";
import { ROOT_BYTES } from "./rotate-root.ts";

/** A repetition within this time continues the earlier run. */
const RESUMED_WITHIN: Millis = HOUR;
/** 48 bits. A sign-out adds 1 to it. */
const EPOCH_BYTES = 6;
/** Writes in flight at once. */
const CONCURRENCY = 10;

/** What a run ended. A repetition counts only what the runs before it did not end. */
export interface EndedThings {
  /** People who signed in during the last twelve hours: the sessions of each have ended. */
  readonly people: number;
  /** Sockets of sessions that are being closed. */
  readonly sockets: number;
  readonly signInLinks: number;
  readonly holds: number;
}

/**
 * - `ended`: the secret is replaced, by this run or by one within the last hour, and nothing opens that it sealed.
 *   `cachedUntil`: until then a function may use the leaked secret that it has cached
 * - `overtaken`: another command changed the secret at the same time
 */
export type LeakResult =
  | {
      readonly kind: "ended";
      readonly isReplaced: boolean;
      readonly replacedAt: Millis;
      readonly cachedUntil: Millis;
      readonly ended: EndedThings;
    }
  | { readonly kind: "overtaken" };

/**
 * Replaces a root secret that someone else knows. The new secret marks the earlier versions as leaked. A function that
 * has read it no longer opens what they sealed. It still finds rows by their hashes, such as API keys. Functions that
 * have the leaked one cached see in the table what has ended: sessions by a new epoch, links and holds by their rows.
 * Each step is safe to repeat, and a repetition within an hour continues with the same new secret.
 * @param options `isForced`: makes another new secret also within that hour
 */
export async function replaceLeakedRoot(
  ports: ReplaceLeakedRootPorts,
  { isForced, now }: { readonly isForced: boolean; readonly now: Millis },
): Promise<LeakResult> {
  // Read before the keys: a change between the two reads fails the replacement.
  const version = await ports.rootSecret.current();
  let keys = await ports.readNewestKeys();
  const lastLeakAt = parseTextAfterLeak(version.text) === null ? null : newestAt(keys);
  const isReplaced = isForced || lastLeakAt === null || now >= lastLeakAt + RESUMED_WITHIN;
  if (isReplaced) {
    const text = toTextAfterLeak(randomToken(ROOT_BYTES).toString("base64url"), keys);
    const entry = { act: { kind: "root_secret.rotate" }, at: now } as const;
    const write = () => ports.rootSecret.replace(version, text);
    if (!(await journaled(ports, entry, write, (replaced) => !replaced))) return { kind: "overtaken" };
    keys = await ports.readNewestKeys();
  }
  const ended = await endEverything(ports, keys, now);
  const replacedAt = newestAt(keys);
  return { kind: "ended", isReplaced, replacedAt, cachedUntil: replacedAt + ports.cacheLifetime, ended };
}

function newestAt({ session }: ServiceKeys): Millis {
  return session.newestAt ?? 0;
}

/** Ends what other keys than these have sealed. The holds come first, because they are few and an index lists them. */
async function endEverything(ports: ReplaceLeakedRootPorts, keys: ServiceKeys, now: Millis): Promise<EndedThings> {
  const earlyHolds = await endHolds(ports, keys, now);
  let [people, signInLinks] = [0, 0];
  const tenants = new Set<TenantId>();
  for await (const page of ports.sessionRows()) {
    await forEachConcurrent([...page], CONCURRENCY, async (row) => {
      if (row.kind === "member") {
        tenants.add(row.tenant);
      } else if (row.kind === "link") {
        if (await endLink(ports, keys, row, now)) signInLinks++;
      } else if (await endSessions(ports, keys, row)) {
        if (row.lastSignInAt > now - SESSION_LIFETIME) people++;
      }
    });
  }
  // The index may not have listed the newest holds before.
  const lateHolds = await endHolds(ports, keys, now);
  const sockets = await closeEndedSessions(ports, { tenants: [...tenants], now });
  return { people, sockets, signInLinks, holds: earlyHolds + lateHolds };
}

function endSessions(
  { users }: ReplaceLeakedRootPorts,
  keys: ServiceKeys,
  { userId }: Extract<SessionRow, { kind: "user" }>,
): Promise<boolean> {
  const root: RootMark = { kid: keys.session.current.kid, createdAt: newestAt(keys) };
  return users.endSessions(userId, { epoch: randomToken(EPOCH_BYTES).readUIntBE(0, EPOCH_BYTES), root });
}

/** Removes a link that these keys do not open. @returns whether it could have been used */
async function endLink(
  { loginTokens }: ReplaceLeakedRootPorts,
  { loginLink }: ServiceKeys,
  { loginId, login }: Extract<SessionRow, { kind: "link" }>,
  now: Millis,
): Promise<boolean> {
  if (openLoginAddress(loginLink, loginId, login) !== null) return false;
  return (await loginTokens.consume(loginId, now)) !== null;
}

/** Ends the waiting holds whose links are not derived from these keys. @returns their number */
async function endHolds(ports: ReplaceLeakedRootPorts, keys: ServiceKeys, now: Millis): Promise<number> {
  let ended = 0;
  for await (const page of ports.holds.listWaiting()) {
    await forEachConcurrent([...page], CONCURRENCY, async ({ id, tenant, secretHash }) => {
      if (isHoldSecret(holdSecret(keys.holdSecret, id), secretHash)) return;
      if (!(await ports.holds.revoke(id))) return;
      ended++;
      const presence = await ports.sockets.presence(tenant);
      if (presence) await requestHoldPush(ports, { tenant, account: presence, id, now });
    });
  }
  return ended;
}
