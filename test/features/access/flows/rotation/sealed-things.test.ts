import { describe, expect, it } from "vitest";
import { deriveServiceKeys, SEALING_DELAY, type ServiceKeys } from "#base/aws/service-keys.ts";
import { openCursor, sealCursor } from "#base/kernel/cursors.ts";
import { PLATFORM_LOGIN_LIFETIME, SESSION_LIFETIME } from "#base/kernel/limits.ts";
import { parseTextAfterLeak, toTextAfterLeak } from "#base/kernel/text/root-texts.ts";
import { DAY, type Millis, SECOND } from "#base/kernel/time.ts";
import { openLoginAddress, openLoginToken, sealLogin } from "#features/access/flows/sign-in/login-link.ts";
import { openSession, sealSession } from "#features/access/sessions.ts";
import { newLoginState, openLoginState, sealLoginState } from "#features/accounts/flows/login/use-login.ts";
import { confirmationCode, confirmationCodes } from "#features/accounts/flows/platform-callbacks/confirmation-codes.ts";
import { holdSecret, newHoldId } from "#features/holds/rules/holds.ts";
import { newTenant } from "../../../../support/stores/samples.ts";

const CREATED_AT: Millis = 1_790_000_000_000;
const SEALS_FROM = CREATED_AT + SEALING_DELAY;
const [oldRoot, newRoot] = ["old root ".repeat(5), "new root ".repeat(5)];
/** What someone who has the replaced root secret derives from it. */
const old = deriveServiceKeys({ current: { text: oldRoot, createdAt: 0 }, previous: null })(0);
const keysAt = deriveServiceKeys({ current: { text: newRoot, createdAt: CREATED_AT }, previous: oldRoot });

const newest = deriveServiceKeys({ current: { text: newRoot, createdAt: 0 }, previous: null })(0);
/** The keys of the version that replaces a leaked one. Its random characters are the same in each test. */
const keysAfterLeak = (before: ServiceKeys, createdAt: Millis) =>
  deriveServiceKeys({ current: { text: toTextAfterLeak("after the leak", before), createdAt }, previous: oldRoot });

/** A kind of thing that is sealed. */
interface Kind {
  readonly seal: (keys: ServiceKeys, now: Millis) => unknown;
  /** Whether the service accepts the thing. */
  readonly opens: (keys: ServiceKeys, thing: never, now: Millis) => boolean | Promise<boolean>;
  /** How long it lives. Null when its row in the table ends it. */
  readonly lifetime: Millis | null;
}
const kind = <T>(each: {
  readonly seal: (keys: ServiceKeys, now: Millis) => T | Promise<T>;
  readonly opens: (keys: ServiceKeys, thing: Awaited<T>, now: Millis) => boolean | Promise<boolean>;
  readonly lifetime: Millis | null;
}) => each as Kind;

const LOGIN_ID = "a".repeat(64);
const login = { tenant: newTenant(), userId: "usr_1", redirect: "/" };

/** Each key of the service: the kind that it seals, or why it seals nothing that is issued. */
const kinds: Readonly<Record<keyof ServiceKeys, Kind | string>> = {
  session: kind({
    seal: async ({ session }, now) => (await sealSession(session, { userId: "usr_1", epoch: 0, now })).token,
    opens: async ({ session }, token, now) => (await openSession(session, token, now)) !== null,
    lifetime: SESSION_LIFETIME,
  }),
  loginLink: kind({
    seal: ({ loginLink }, now) => sealLogin(loginLink, LOGIN_ID, { address: "a@example.com", token: "t", now }),
    opens: ({ loginLink }, sealed) => {
      const row = { ...sealed, redirect: "/", expiresAt: 0 };
      const opened = [openLoginAddress(loginLink, LOGIN_ID, row), openLoginToken(loginLink, LOGIN_ID, row)];
      expect(new Set(opened.map((text) => text === null)).size).toBe(1);
      return opened[0] !== null;
    },
    lifetime: null,
  }),
  loginState: kind({
    seal: ({ loginState }, now) => sealLoginState(loginState, "instagram", newLoginState(login, now)),
    opens: ({ loginState }, text, now) => {
      const state = openLoginState(loginState, "instagram", text);
      return state !== null && now < state.expiresAt;
    },
    lifetime: PLATFORM_LOGIN_LIFETIME,
  }),
  cursor: kind({
    seal: ({ cursor }, now) => sealCursor(cursor, "inbox", "50", now),
    opens: ({ cursor }, text, now) => openCursor(cursor, "inbox", text, now) === "50",
    lifetime: 7 * DAY,
  }),
  holdSecret: kind({
    seal: ({ holdSecret: key }, now) => {
      const id = newHoldId(now);
      return { id, secret: holdSecret(key, id) };
    },
    opens: ({ holdSecret: key }, { id, secret }) => holdSecret(key, id) === secret,
    lifetime: null,
  }),
  pepper: "API keys are random: the pepper only hides them in the table",
  address: "hashes of addresses only name rows",
  dataDeletion: "confirmation codes stay the same, so that a repeated request finds its data deletion",
};

const sealed = Object.entries(kinds).filter((entry): entry is [string, Kind] => typeof entry[1] !== "string");

describe.each(sealed)("what the replaced root secret sealed for: %s", (_name, { seal, opens, lifetime }) => {
  const thingOf = async (keys: ServiceKeys, now: Millis) => (await seal(keys, now)) as never;
  const isOpen = (thing: never, now: Millis) => opens(keysAt(now), thing, now);

  it("a sealed thing opens if it was issued before the new secret began to seal", async () => {
    for (const at of [CREATED_AT - SECOND, SEALS_FROM - SECOND]) {
      const thing = await thingOf(keysAt(at), at);
      for (const now of [at, SEALS_FROM - 1, SEALS_FROM, SEALS_FROM + SECOND])
        expect(await isOpen(thing, now)).toBe(true);
    }
  });

  it("a sealed thing is refused if it says that it was issued since the new secret seals", async () => {
    for (const at of [SEALS_FROM, SEALS_FROM + SECOND, SEALS_FROM + 30 * DAY]) {
      const forged = await thingOf(old, at);
      for (const now of [SEALS_FROM, at, at + SECOND]) expect(await isOpen(forged, now)).toBe(false);
    }
  });

  it.runIf(lifetime !== null)("a sealed thing ends with its life, also with a forged earlier time", async () => {
    const at = SEALS_FROM - SECOND;
    const forged = await thingOf(old, at);
    expect(await isOpen(forged, at + (lifetime ?? 0) - 1)).toBe(true);
    expect(await isOpen(forged, at + (lifetime ?? 0))).toBe(false);
  });

  it("what the new secret seals from then on opens", async () => {
    const thing = await thingOf(keysAt(SEALS_FROM), SEALS_FROM);
    expect(await isOpen(thing, SEALS_FROM + SECOND)).toBe(true);
  });
});

describe.each(sealed)("a root secret that replaces a leaked one, for: %s", (_name, { seal, opens }) => {
  const thingOf = async (keys: ServiceKeys, now: Millis) => (await seal(keys, now)) as never;

  it("the new root secret opens nothing that a leaked version sealed, regardless of its time", async () => {
    // The leaked version is the only one, the current one, or the one before it, whether or not the new one seals.
    for (const keysBefore of [() => old, keysAt]) {
      for (const leakedAt of [CREATED_AT, CREATED_AT + SECOND, SEALS_FROM, SEALS_FROM + DAY]) {
        const replaced = keysAfterLeak(keysBefore(leakedAt), leakedAt);
        for (const at of [leakedAt - 8 * DAY, leakedAt - SECOND, leakedAt, leakedAt + SECOND, leakedAt + DAY]) {
          for (const keys of [old, newest]) {
            const thing = await thingOf(keys, at);
            for (const now of [leakedAt, at, at + SECOND, leakedAt + SEALING_DELAY])
              expect(await opens(replaced(now), thing, now)).toBe(false);
          }
        }
        const thing = await thingOf(replaced(leakedAt), leakedAt);
        for (const now of [leakedAt, leakedAt + SECOND, leakedAt + SEALING_DELAY - 1, leakedAt + SEALING_DELAY])
          expect(await opens(replaced(now), thing, now)).toBe(true);
      }
    }
  });

  it("the new root secret is followed by an ordinary rotation, after which what it sealed opens", async () => {
    const text = toTextAfterLeak("after the leak", old);
    const rotatedAt = CREATED_AT + DAY;
    const rotated = deriveServiceKeys({ current: { text: newRoot, createdAt: rotatedAt }, previous: text });
    const thing = await thingOf(keysAfterLeak(old, CREATED_AT)(rotatedAt - SECOND), rotatedAt - SECOND);
    for (const now of [rotatedAt, rotatedAt + SEALING_DELAY]) expect(await opens(rotated(now), thing, now)).toBe(true);
  });
});

it("the confirmation codes of data deletions stay readable after a leak, too", () => {
  const code = confirmationCode(old.dataDeletion, "1");
  const again = keysAfterLeak(keysAfterLeak(old, CREATED_AT)(SEALS_FROM), SEALS_FROM);
  for (const now of [SEALS_FROM, SEALS_FROM + 30 * DAY])
    expect(confirmationCodes(again(now).dataDeletion, "1")).toContain(code);
});

it.each(["", "{", "{}", "{}".padEnd(40), '{"earlier":[]}', '{"earlier":[{"kid":"k"}]}', "[1]"])(
  "the text %s is one of random characters",
  (text) => expect(parseTextAfterLeak(text)).toBeNull(),
);

it("the confirmation codes of data deletions stay readable", () => {
  const code = confirmationCode(old.dataDeletion, "1");
  expect(confirmationCodes(keysAt(SEALS_FROM + 30 * DAY).dataDeletion, "1")).toContain(code);
});
