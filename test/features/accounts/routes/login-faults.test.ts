import { afterAll, expect, it } from "vitest";
import { connectAccount } from "#features/accounts/flows/connect.ts";
import { FAULT_STEP, faultPoints, firstFault, injectFaultAt } from "../../../support/flows/fault-injection.ts";
import { openedOnce } from "../../../support/opened.ts";
import { openConnectionFixture } from "../flows/support/connection-fixture.ts";
import { browser, type LoginFixture, openLoginFixture } from "./support/login-fixture.ts";

// The process of a callback dies at any of its calls to AWS, or the call is struck.

const fixture = openedOnce(openLoginFixture);
const connecting = openedOnce(() => openConnectionFixture(fixture.testEnv));
afterAll(() => fixture.testEnv.close());

let accounts = 0;

/** A login of an account of its own, up to the answer of the callback. */
async function logIn(strike: () => void) {
  const externalId = `1784140000000${++accounts}`;
  const admin = await fixture.newMember("admin");
  const logIn: LoginFixture["instagram"]["logIn"] = async (...call) => {
    const login = await fixture.instagram.logIn(...call);
    return login.kind === "logged_in" ? { ...login, account: { ...login.account, externalId } } : login;
  };
  const app = fixture.openApp({
    logins: { ...fixture.ports.logins, instagram: async () => ({ logIn }) },
    connectAccount: ({ time: { now }, ...connection }) =>
      connectAccount(connecting.ports(), connection, { now, endsAt: connecting.time().endsAt }),
  });
  const { state, cookie } = await fixture.start("instagram", admin);
  const callback = `/oauth/instagram/callback?${new URLSearchParams({ code: "c", state })}`;
  const visit = async () => {
    const response = await app.request(callback, { headers: browser(admin, cookie) });
    return new URL(response.headers.get("location") ?? "").search;
  };
  strike();
  return { tenant: admin.tenant, ref: { platform: "instagram", externalId } as const, visit };
}

it.each(faultPoints)(
  "a fault (%s) at each call of a callback leaves the account connected and subscribed, or nothing of it, and no second use of the login",
  async (faultPoint) => {
    const outcomes: boolean[] = [];
    for (let k = firstFault(faultPoint), isReached = true; isReached; k += FAULT_STEP) {
      let injection: ReturnType<typeof injectFaultAt> | undefined;
      const { tenant, ref, visit } = await logIn(() => {
        injection = injectFaultAt(fixture.testEnv.clients, faultPoint, k);
      });
      const first = await visit();
      injection?.remove();
      isReached = injection?.reached() ?? false;
      const exchanges = fixture.exchanges.length;
      const wasUsed = fixture.exchanges.splice(0, exchanges).length > 0;
      const second = await visit();
      // A code that was exchanged is never exchanged again.
      if (wasUsed) expect([k, second]).toEqual([k, "?error=oauth_state_invalid"]);
      fixture.exchanges.length = 0;
      await connecting.drain();

      const account = await connecting.stores.accounts.get(tenant, ref);
      const isConnected = account !== null;
      outcomes.push(isConnected);
      expect([k, connecting.subscribed.has(ref.externalId)]).toEqual([k, isConnected]);
      expect((await connecting.stores.accounts.getRoute(ref))?.tenant ?? null).toBe(isConnected ? tenant : null);
      if (first.includes("connected=")) expect([k, isConnected]).toEqual([k, true]);
    }
    // The last round met no fault.
    expect(outcomes.at(-1)).toBe(true);
    expect(outcomes.length * FAULT_STEP).toBeGreaterThan(9);
  },
);
