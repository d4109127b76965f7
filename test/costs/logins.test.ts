import { afterAll, beforeAll, expect, test } from "vitest";
import { finishMessengerLogin } from "#features/accounts/flows/login/finish-messenger-login.ts";
import { listOfferedPages, readOffer } from "#features/accounts/flows/login/pages.ts";
import { loginCookie, openLoginState, useLogin } from "#features/accounts/flows/login/use-login.ts";
import { accountStore } from "#features/accounts/store/accounts.ts";
import { openTeamEnv } from "../features/access/flows/team/support/team.ts";
import { openLoginFixture, stateRing } from "../features/accounts/routes/support/login-fixture.ts";
import { attachMeter, type Meter } from "../support/meter.ts";
import { openedOnce } from "../support/opened.ts";

// The exact costs of the platforms' logins, as in docs/design/table-costs.md.

let meter: Meter;
const fixture = openedOnce(openLoginFixture);
beforeAll(async () => {
  meter = attachMeter(fixture.testEnv.client, fixture.testEnv.table.name);
});
afterAll(async () => {
  meter.close();
  await fixture.testEnv.close();
});

test("a login of Facebook costs two writes, and its pages 1.5 read units", async () => {
  const admin = await fixture.newMember("admin");
  const { caller } = await openTeamEnv(fixture.testEnv).author(admin.userId);
  const ports = { ...fixture.ports, accounts: accountStore(fixture.testEnv.table) };
  const { state } = await fixture.start("messenger", admin);
  const opened = openLoginState(stateRing, "messenger", state);
  const { tenant } = admin;
  const now = fixture.testEnv.now();
  const cost = async (work: () => Promise<unknown>) => {
    const { wcu, rcu } = await meter.measure("work", work);
    return { wcu, rcu };
  };

  const cookie = () => (opened ? loginCookie(opened).value : null);
  const use = () => useLogin(ports, { platform: "messenger", state, caller, cookie, now });
  expect(await cost(use)).toEqual({ wcu: 1, rcu: 0 });
  const login = { tenant, userId: admin.userId, code: "c", now };
  expect(await cost(() => finishMessengerLogin(ports, login))).toEqual({ wcu: 1, rcu: 0 });
  expect(await cost(() => listOfferedPages(ports, login))).toEqual({ wcu: 0, rcu: 1.5 });
  expect(await cost(() => readOffer(ports, login))).toEqual({ wcu: 0, rcu: 1 });
});
