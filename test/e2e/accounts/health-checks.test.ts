import { expect, inject, it } from "vitest";
import { openedOnce } from "../../support/opened.ts";
import { listAllMessages, openSubscribedReceiver } from "../support/api-calls.ts";
import { failureLines, waitUntilIdle } from "../support/emulator-journals.ts";
import { startLocalStack } from "../support/local-stack.ts";
import { openBrowser, readMails } from "./browser.ts";

// An account over weeks that the clock is turned: its subscription, its token, and a login after the token was revoked.

const ID = "17841400000000001";
const ACCOUNT = { account: ID, connection: "instagram_login" };

const stack = openedOnce(startLocalStack);
const receiver = openedOnce(() => openSubscribedReceiver(stack));

const write = (text: string) => stack.sim("POST", "/person-sends", { ...ACCOUNT, person: "Ada", text });
const readTexts = async () => (await listAllMessages(stack)).map(({ text }) => text);
const eventsOf = (type: string) => receiver.deliveries.map(({ event }) => event).filter((event) => event.type === type);

interface PublicAccount {
  readonly account_key: string;
  readonly status: string;
  readonly last_refreshed_at: string | null;
}
async function readAccount(): Promise<PublicAccount | undefined> {
  const { text } = await stack.api("GET", "/v1/accounts");
  const { data } = JSON.parse(text) as { readonly data: { readonly accounts: readonly PublicAccount[] } };
  return data.accounts.find(({ account_key }) => account_key === `instagram#${ID}`);
}

/** Passes a day, in which every account is checked, and the half hour in which the last tasks of it run. */
async function passDay(): Promise<void> {
  for (const step of ["PT24H", "PT16M", "PT15M"]) {
    await stack.clock(step);
    await waitUntilIdle(stack);
  }
}

it("a lost subscription is made again within the day, and messages missed before it are there once", async () => {
  await write("before");
  await stack.sim("POST", "/subscriptions", { ...ACCOUNT, subscribed: false });
  await write("missed");
  await waitUntilIdle(stack);
  expect(await readTexts()).toEqual(["before"]);
  await passDay();
  await write("after");
  await waitUntilIdle(stack);
  expect((await readTexts()).sort()).toEqual(["after", "before", "missed"]);
  const received = eventsOf("message.received").map(({ data }) => data.message.text);
  expect(received.sort()).toEqual(["after", "before", "missed"]);
});

it("a revoked token is needs_reauth with an event and a mail, and a new login ends that", async () => {
  const earlierMails = (await readMails(stack)).length;
  await stack.sim("POST", "/tokens", { ...ACCOUNT, action: "revoke" });
  await passDay();
  expect(await readAccount()).toMatchObject({ status: "needs_reauth" });
  expect(eventsOf("account.needs_reauth")).toHaveLength(1);
  const mails = await readMails(stack);
  expect(mails).toHaveLength(earlierMails + 1);
  expect(mails[0]?.text).toContain(`instagram#${ID}`);
  await write("although it is over");

  const browser = await openBrowser(stack);
  const callback = await browser.decide("instagram", { sim_consent: "auto", sim_account: ID });
  const connected = `/accounts?connected=${encodeURIComponent(`instagram#${ID}`)}`;
  expect(await browser.locationOf(browser.visit(callback))).toBe(connected);
  await waitUntilIdle(stack);
  expect(await readAccount()).toMatchObject({ status: "active" });
  expect(eventsOf("account.reconnected")).toHaveLength(1);
  expect(await readTexts()).toEqual(["although it is over", "after", "missed", "before"]);
  expect(failureLines(stack.log())).toEqual([]);
});

// The schedules of a month take a while.
it.runIf(inject("fullRun"))("a token is refreshed when it is 30 days old", async () => {
  const earlier = await readAccount();
  await stack.clock("P30D");
  await waitUntilIdle(stack);
  const at = await stack.now();
  await passDay();
  const { status, last_refreshed_at } = (await readAccount()) ?? {};
  expect(status).toBe("active");
  expect(last_refreshed_at).not.toBe(earlier?.last_refreshed_at);
  expect(Date.parse(last_refreshed_at ?? "")).toBeGreaterThan(at - 86_400_000);
});
