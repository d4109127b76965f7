import { beforeEach, expect, it } from "vitest";
import type { TenantId } from "#base/kernel/tenant.ts";
import { HOUR, MINUTE } from "#base/kernel/time.ts";
import type { ReconcileTaskPorts } from "#features/accounts/ports.ts";
import { runReconciliation } from "#features/accounts/reconcile-subscription.ts";
import type { AccountRef } from "#features/accounts/rules/accounts.ts";
import { openTestEnv } from "../../support/flows/test-env.ts";
import { openedOnce } from "../../support/opened.ts";
import {
  type ConnectionFixture,
  openConnectionFixture,
  refusedCall,
  unknownCall,
} from "./flows/support/connection-fixture.ts";

// The task of a subscription that was ended while an account came that needs it.

let fixture: ConnectionFixture;
let tenant: TenantId;
let other: TenantId;
const testEnv = openedOnce(openTestEnv);
beforeEach(async () => {
  fixture = await openConnectionFixture(testEnv);
  tenant = await fixture.team.newTenant();
  other = await fixture.team.newTenant();
});

const messenger = () => fixture.messenger();
const instagram = () => fixture.instagram();

type Read = { readonly kind: "read"; readonly isComplete: boolean } | typeof refusedCall;

/** Two accounts of a page, without its subscription, and no task on the queue. */
async function loseSubscription(): Promise<void> {
  await fixture.connect(tenant, messenger());
  await fixture.connect(other, instagram());
  await fixture.drain();
  fixture.subscribed.clear();
  fixture.calls.splice(0);
}

/** Runs the task. @param answerTo the platform's answer to the read by this token; undefined as it is @returns the calls */
async function reconcile(
  task: { readonly tenant: TenantId; readonly account: AccountRef; readonly pageId: string | null },
  answerTo: (token: string) => Read | undefined = () => undefined,
): Promise<string[]> {
  const ports: ReconcileTaskPorts = fixture.ports();
  const calls: string[] = [];
  const accountPlatformFor: typeof ports.accountPlatformFor = async (connection) => {
    const platform = await ports.accountPlatformFor(connection);
    return {
      ...platform,
      readSubscription: async (account, token) => {
        calls.push(`read ${token}`);
        return answerTo(token) ?? platform.readSubscription(account, token);
      },
      subscribe: async (account, token) => {
        calls.push(`subscribe ${token}`);
        return platform.subscribe(account, token);
      },
    };
  };
  await runReconciliation({ ...ports, accountPlatformFor }, { op: "reconcile_subscription", ...task }, fixture.time());
  return calls;
}
const ofPage = () => ({ tenant, account: messenger(), pageId: fixture.pageId });
const ops = async () => (await fixture.tasks()).map(({ op, tenant: of }) => `${op} ${of}`).sort();

it("the task of a page's subscription subscribes with the token of one account, once, and has the messages of each fetched", async () => {
  await loseSubscription();
  const [first, second] = await fixture.stores.pageUses.list(fixture.pageId);
  expect(second).toBeDefined();
  expect(await reconcile(ofPage())).toEqual([`read token-${first?.tenant}`, `subscribe token-${first?.tenant}`]);
  expect([...fixture.subscribed]).toEqual([fixture.pageId]);
  expect(await reconcile(ofPage())).toEqual([`read token-${first?.tenant}`]);
  const until = testEnv.now() + MINUTE;
  for (const [of, ref] of [[tenant, messenger()] as const, [other, instagram()] as const])
    expect(await fixture.stores.accountChecks.get(of, ref)).toMatchObject({ backfill: { until } });
  const account = accountLine(first?.account);
  const line = { event: "account.resubscribed", tenant: first?.tenant, account };
  expect(testEnv.lines).toContainEqual(expect.objectContaining(line));
});

it("the task of a page's subscription goes on with the next account where the platform refuses the token of the first", async () => {
  await loseSubscription();
  const [first, second] = await fixture.stores.pageUses.list(fixture.pageId);
  const calls = await reconcile(ofPage(), (token) => (token === `token-${first?.tenant}` ? refusedCall : undefined));
  expect(calls).toEqual([
    `read token-${first?.tenant}`,
    `read token-${second?.tenant}`,
    `subscribe token-${second?.tenant}`,
  ]);
  expect([...fixture.subscribed]).toEqual([fixture.pageId]);
});

it.each([
  ["refuses", refusedCall],
  ["does not answer", unknownCall],
])("the task of a page's subscription has each account checked where the platform %s the call", async (_, answer) => {
  await loseSubscription();
  fixture.setScript(({ name }) => (name === "subscribe" ? answer : undefined));
  expect(await reconcile(ofPage())).toHaveLength(4);
  const tasks = await ops();
  expect(tasks.filter((task) => task.startsWith("check"))).toEqual([`check ${tenant}`, `check ${other}`].sort());
  fixture.setScript(() => undefined);
  await fixture.drain();
  expect([...fixture.subscribed]).toEqual([fixture.pageId]);
});

it("the task of a page's subscription goes on with the next account where the token of the first does not open", async () => {
  await loseSubscription();
  const [first, second] = await fixture.stores.pageUses.list(fixture.pageId);
  const ports = fixture.ports();
  const open: typeof ports.vault.open = async (sealed, context) => {
    if (context.tenant === first?.tenant) throw new Error("The key refuses.");
    return ports.vault.open(sealed, context);
  };
  const task = { op: "reconcile_subscription", ...ofPage() } as const;
  await runReconciliation({ ...ports, vault: { ...ports.vault, open } }, task, fixture.time());
  expect(fixture.calls).toEqual([{ name: "subscribe", node: fixture.pageId, token: `token-${second?.tenant}` }]);
});

it("the task of a page's subscription calls nothing where no account uses the page any more, or the account has another one", async () => {
  await fixture.connect(tenant, messenger());
  await fixture.disconnect(tenant, messenger());
  await fixture.drain();
  expect(await reconcile(ofPage())).toEqual([]);
  await fixture.connect(tenant, instagram(), { page: `${fixture.pageId}-other` });
  expect(await reconcile({ tenant, account: instagram(), pageId: fixture.pageId })).toEqual([]);
  expect(await reconcile({ tenant, account: instagram(), pageId: null })).toEqual([]);
});

it("the task of a page's subscription ends what it began where the account is disconnected during the call", async () => {
  await fixture.connect(tenant, messenger());
  await fixture.drain();
  fixture.subscribed.clear();
  let isFirst = true;
  fixture.setScript(async ({ name }) => {
    if (name === "subscribe" && isFirst) {
      isFirst = false;
      await fixture.disconnect(tenant, messenger());
    }
    return undefined;
  });
  await reconcile(ofPage());
  expect([...fixture.subscribed]).toEqual([]);
  expect(fixture.calls.map(({ name }) => name).slice(-2)).toEqual(["unsubscribe", "unsubscribe"]);
});

it("the task of an account of Instagram Login subscribes the account itself", async () => {
  await fixture.connect(tenant, instagram(), { connection: "instagram_login" });
  await fixture.drain();
  fixture.subscribed.clear();
  const task = { tenant, account: instagram(), pageId: null };
  expect(await reconcile(task)).toEqual([`read token-${tenant}`, `subscribe token-${tenant}`]);
  expect([...fixture.subscribed]).toEqual([instagram().externalId]);
  expect(await reconcile({ ...task, tenant: other })).toEqual([]);
});

it("an account that needs a new login is not asked with its token", async () => {
  await fixture.connect(tenant, messenger());
  await fixture.drain();
  const status = { status: "needs_reauth", detail: "(#190)", asOf: testEnv.now() + HOUR, at: testEnv.now() } as const;
  const eventUlid = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
  await fixture.stores.accounts.setStatus(tenant, messenger(), { ...status, eventUlid });
  expect(await fixture.get(tenant, messenger())).toMatchObject({ status: "needs_reauth" });
  expect(await reconcile(ofPage())).toEqual([]);
  expect(await ops()).toEqual([`check ${tenant}`]);
});

function accountLine(account: AccountRef | undefined): string {
  return `${account?.platform}#${account?.externalId}`;
}
