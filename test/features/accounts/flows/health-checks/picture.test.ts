import { expect, it } from "vitest";
import { DAY, HOUR } from "#base/kernel/time.ts";
import { readCheckStates } from "#features/accounts/flows/check-states.ts";
import { toAccountResponse } from "#features/accounts/routes/account-response.ts";
import { openTestEnv } from "../../../../support/flows/test-env.ts";
import { openedEach, openedOnce } from "../../../../support/opened.ts";
import { LASTING_PICTURE, openCheckFixture, refusedCall } from "./support/check-fixture.ts";

// The address of a profile picture ends after some days. The check that runs once a day reads it again before that.

const testEnv = openedOnce(openTestEnv);
const fixture = openedEach(() => openCheckFixture(testEnv));

const addressUntil = (end: number) =>
  `https://pictures.example/shop.jpg?oe=${Math.ceil(end / 1_000)
    .toString(16)
    .toUpperCase()}`;
const storedUrl = async () => (await fixture.readCheck())?.picture?.url ?? null;
const answerWith = (url: string | null) => {
  fixture.answers.readPicture = { kind: "read", url };
};

/** The picture that the API returns. */
async function shownPicture(now = testEnv.now()): Promise<string | null> {
  const stateOf = await readCheckStates(fixture.stores, fixture.tenant);
  const account = await fixture.read();
  return toAccountResponse(account, stateOf(account), now).picture;
}

it("the picture of a login is shown at once, and read again by the first check within two days of its end", async () => {
  expect(await shownPicture()).toBe(LASTING_PICTURE);
  await fixture.passToCheck();
  expect(fixture.takeCalls()).not.toContain("readPicture");
  const ending = addressUntil(testEnv.now() + 3 * DAY);
  await fixture.link({ pictureUrl: ending });
  await fixture.passToCheck();
  expect(fixture.takeCalls()).not.toContain("readPicture");
  answerWith(LASTING_PICTURE);
  await fixture.passToCheck();
  expect(fixture.takeCalls()).toContain("readPicture");
  expect(await shownPicture()).toBe(LASTING_PICTURE);
});

it("the picture of an account whose login named none is read by its first check", async () => {
  const check = await fixture.readCheck();
  if (!check) throw new Error("The account has no check.");
  await fixture.disconnect();
  await fixture.stores.accountChecks.remove(check);
  await fixture.link({ pictureUrl: null });
  expect(await shownPicture()).toBeNull();
  answerWith(LASTING_PICTURE);
  await fixture.checkNow();
  expect(await shownPicture()).toBe(LASTING_PICTURE);
});

it("the picture of an account is not shown after its end", async () => {
  const end = Math.ceil(testEnv.now() / 1_000) * 1_000 + HOUR;
  await fixture.link({ pictureUrl: addressUntil(end) });
  expect(await shownPicture(end - 1)).toBe(addressUntil(end));
  expect(await shownPicture(end)).toBeNull();
});

it("the picture of an account stays with a login that names none, and goes when the platform shows none", async () => {
  const ending = addressUntil(testEnv.now() + HOUR);
  await fixture.link({ pictureUrl: ending });
  await fixture.link({ pictureUrl: null });
  expect(await storedUrl()).toBe(ending);
  answerWith(null);
  await fixture.checkNow();
  expect(await storedUrl()).toBeNull();
  const checked = await fixture.readCheck();
  await fixture.checkNow();
  expect(await fixture.readCheck()).toEqual({ ...checked, subscribedAt: expect.any(Number) });
});

it.each([
  ["refuses the call", refusedCall({ class: "permission", accountStatus: null })],
  ["gives no answer", { kind: "unknown" }],
] as const)("the picture of an account stays, and its status too, when the platform %s", async (_name, answer) => {
  const ending = addressUntil(testEnv.now() + HOUR);
  await fixture.link({ pictureUrl: ending });
  fixture.answers.readPicture = answer;
  await fixture.passToCheck();
  expect(fixture.takeCalls()).toContain("readPicture");
  expect(await storedUrl()).toBe(ending);
  expect(await fixture.read()).toMatchObject({ status: "active" });
  const check = await fixture.readCheck();
  expect(check?.dueAt).toBeGreaterThan(testEnv.now());
  fixture.answers.readPicture = { kind: "read", url: "javascript:alert(1)" };
  await fixture.passToCheck();
  expect(await storedUrl()).toBeNull();
});

it("the picture of an account is not read when the check ends before", async () => {
  fixture.answers.readSubscription = refusedCall({ class: "token", accountStatus: "needs_reauth" });
  await fixture.link({ pictureUrl: addressUntil(testEnv.now() + HOUR) });
  await fixture.checkNow();
  expect(fixture.takeCalls()).not.toContain("readPicture");
});
