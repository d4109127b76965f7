import { expect, it } from "vitest";
import { openQueue } from "#base/aws/queues.ts";
import { DAY, MINUTE, SECOND } from "#base/kernel/time.ts";
import { deleteData } from "#features/accounts/flows/platform-callbacks/delete-data.ts";
import { eraseAccountConversations } from "#features/accounts/flows/platform-callbacks/erase-conversations.ts";
import { readDataDeletion } from "#features/accounts/flows/platform-callbacks/read-deletion.ts";
import { decodeAccountTask } from "#features/accounts/queue.ts";
import { ingestWorker } from "../../../../../functions/ingest/worker.ts";
import {
  eachFault,
  FAULT_STEP,
  faultPoints,
  firstFault,
  injectIntoProcesses,
} from "../../../../support/flows/fault-injection.ts";
import { inboundBody, instagramWebhook } from "../../../../support/flows/inbound-webhooks.ts";
import { invokeWorker } from "../../../../support/flows/queue-worker.ts";
import type { TestEnv } from "../../../../support/flows/test-env.ts";
import { interceptCalls } from "../../../../support/processes/port-calls.ts";
import { keyVersion } from "../../../../support/world/key-rings.ts";
import type { LoginFixture } from "./support/login-fixture.ts";
import { openLogin, useLogins } from "./support/use-logins.ts";

// The request of a platform to delete the data of a person: what it removes, and what it leaves.

let testEnv: TestEnv;
let fixture: LoginFixture;
/** The two ids of a person who logs in with Instagram. */
let [user, otherId] = ["", ""];
useLogins((opened) => {
  ({ testEnv, fixture, user, otherId } = opened);
});

const request = (platformUserId = user) => deleteData(fixture.ports(), { platformUserId, now: testEnv.now() });
/** An account of the login, with a conversation. */
async function connectWithMessage() {
  const account = await fixture.connect("one", [user]);
  await fixture.receive(account, "100");
  return account;
}
const read = (code: string) => readDataDeletion(fixture.ports(), code, testEnv.now());

it("a data deletion lets the accounts of the login go, erases their conversations, and leaves no row that names the person", async () => {
  const accounts = [await fixture.connect("one", [user, otherId]), await fixture.connect("two", [user])];
  for (const account of accounts) {
    await fixture.receive(account, "100");
    await fixture.receive(account, "200");
  }
  testEnv.advance(SECOND);
  const requestedAt = testEnv.now();
  const code = await request();
  expect(await read(code)).toEqual({ code, status: "running", requestedAt, doneAt: null });
  await fixture.settle();
  expect(await fixture.rowsNaming(user, otherId)).toEqual([]);
  expect(await fixture.stores.authorizations.list(user)).toEqual([]);
  expect(await fixture.stores.authorizations.list(otherId)).toEqual([]);
  const deletion = await read(code);
  expect(deletion).toMatchObject({ status: "done", requestedAt });
  expect(deletion?.doneAt).toBeGreaterThan(requestedAt + 2 * MINUTE);
  const actions = await fixture.auditActions();
  expect(actions.filter((action) => action === "platform.data_deletion")).toHaveLength(2);
  expect(actions.filter((action) => action === "platform.deauthorize")).toHaveLength(2);
  expect(actions.filter((action) => action === "conversation.erase")).toHaveLength(4);
});

it("a data deletion erases what is stored in the two minutes in which workers still know the account", async () => {
  const account = await fixture.connect("one", [user]);
  const code = await request();
  await fixture.runTasks();
  testEnv.advance(119 * SECOND);
  await fixture.runTasks();
  await fixture.receive(account, "late");
  await fixture.settle();
  expect([await fixture.rowsNaming(), await fixture.inbox()]).toEqual([[], []]);
  expect(await read(code)).toMatchObject({ status: "done" });
});

it.each([
  ["is disconnected", "never"],
  ["the same login connected again", "later"],
  ["the same login connected again before it was disconnected", "at once"],
])(
  "a data deletion is not undone by a late webhook from before it, where the account %s",
  async (_name, connectedAgain) => {
    const account = await fixture.connect("one", [user]);
    testEnv.advance(SECOND);
    const writtenAt = testEnv.now();
    testEnv.advance(SECOND);
    const code = await request();
    testEnv.advance(SECOND);
    if (connectedAgain === "at once") await fixture.connect("one", [user]);
    if (connectedAgain === "later") {
      await fixture.runTasks();
      testEnv.advance(2 * MINUTE);
      await fixture.connect("one", [user]);
    }
    await fixture.settle();
    expect(await read(code)).toMatchObject({ status: "done" });
    const { inbound } = await testEnv.newQueues();
    const raw = instagramWebhook(account.externalId, [{ mid: "late", text: "late", at: writtenAt }]);
    await openQueue(inbound, testEnv.eventSource).send({ body: inboundBody(raw, writtenAt) });
    await invokeWorker(testEnv.eventSource, inbound, ingestWorker(testEnv.ingestPorts(fixture.queues), testEnv.now));
    expect(await fixture.inbox()).toEqual([]);
  },
);

it("a data deletion leaves the other accounts of the tenant as they are", async () => {
  const [own, foreign] = [await fixture.connect("own", [user]), await fixture.connect("foreign", ["55"])];
  await fixture.receive(own, "100");
  await fixture.receive(foreign, "100");
  await request();
  await fixture.settle();
  expect(await fixture.inbox()).toEqual([fixture.conversation(foreign, "100")]);
  expect(await fixture.stores.accounts.get(fixture.tenant, foreign)).not.toBeNull();
  expect(await fixture.stores.authorizations.list("55")).toHaveLength(1);
});

it("a data deletion leaves an account and its conversations that another login of the tenant now connects", async () => {
  const account = await connectWithMessage();
  testEnv.advance(SECOND);
  await fixture.connect("one", ["55"]);
  const code = await request();
  expect(await read(code)).toMatchObject({ status: "done" });
  await fixture.settle();
  expect(await fixture.inbox()).toHaveLength(1);
  expect(await fixture.stores.accounts.get(fixture.tenant, account)).toMatchObject({ authorizedBy: ["55"] });
  expect(await fixture.stores.authorizations.list(user)).toEqual([]);
});

it("a data deletion leaves an account that another login connects before its conversations are erased", async () => {
  const account = await connectWithMessage();
  const code = await request();
  await fixture.runTasks();
  testEnv.advance(SECOND);
  await fixture.connect("one", ["55"]);
  await fixture.settle();
  expect(await read(code)).toMatchObject({ status: "done" });
  expect(await fixture.inbox()).toHaveLength(1);
  expect(await fixture.stores.accounts.get(fixture.tenant, account)).not.toBeNull();
});

it("a data deletion erases the earlier conversations of an account that the same login connects again, and no later ones", async () => {
  const account = await connectWithMessage();
  const code = await request();
  await fixture.runTasks();
  testEnv.advance(SECOND);
  await fixture.connect("one", [user]);
  await fixture.settle();
  expect(await read(code)).toMatchObject({ status: "done" });
  expect(await fixture.inbox()).toEqual([]);
  await fixture.receive(account, "200");
  testEnv.advance(10 * MINUTE);
  await fixture.settle();
  expect(await fixture.inbox()).toEqual([fixture.conversation(account, "200")]);
});

it("a data deletion leaves the login of an account that is connected again while it is found gone", async () => {
  const account = await fixture.connect("one", [user]);
  const code = await request();
  await fixture.runTasks();
  testEnv.advance(15 * SECOND);
  let accountRead: Promise<unknown> = Promise.resolve();
  const ports = interceptCalls(fixture.ports(), async (name, call) => {
    if (name === "accountChecks.get") {
      await accountRead;
      await fixture.connect("one", ["56"]);
    }
    const answer = call();
    if (name === "accounts.get") accountRead = answer;
    return answer;
  });
  const task = {
    op: "erase_conversations",
    tenant: fixture.tenant,
    account,
    code,
    after: null,
    erased: false,
  } as const;
  const time = { now: testEnv.now, endsAt: testEnv.now() + MINUTE };
  await eraseAccountConversations(ports, task, time);
  expect(await fixture.stores.authorizations.list("56")).toHaveLength(1);
  expect(await fixture.stores.accountChecks.get(fixture.tenant, account)).toMatchObject({ authorizedBy: ["56"] });
  await fixture.settle();
  expect(await read(code)).toMatchObject({ status: "done" });
});

it("a data deletion erases the conversations of an account that an admin disconnected days before", async () => {
  const account = await connectWithMessage();
  await fixture.disconnect(account);
  testEnv.advance(2 * DAY);
  expect(await fixture.inbox()).toHaveLength(1);
  const code = await request();
  await fixture.settle();
  expect(await fixture.rowsNaming(user)).toEqual([]);
  expect(await read(code)).toMatchObject({ status: "done" });
});

it("a data deletion erases nothing for a login whose row has ended and is still stored, and removes the row", async () => {
  const account = await fixture.connect("one", [user]);
  await fixture.disconnect(account);
  await fixture.runTask({ op: "check", tenant: fixture.tenant, account });
  testEnv.advance(8 * DAY - MINUTE);
  await fixture.connect("one", ["55"]);
  await fixture.receive(account, "100");
  await fixture.disconnect(account);
  testEnv.advance(2 * MINUTE);
  expect(await fixture.stores.authorizations.list(user)).toHaveLength(1);
  const code = await request();
  expect(await read(code)).toMatchObject({ status: "done" });
  await fixture.settle();
  expect(await fixture.inbox()).toEqual([fixture.conversation(account, "100")]);
  expect(await fixture.stores.authorizations.list(user)).toEqual([]);
});

it("a data deletion leaves no other id of a person whose account was disconnected days before", async () => {
  const account = await fixture.connect("one", [user, otherId]);
  await fixture.disconnect(account);
  // The check finds the account gone, and is removed.
  await fixture.runTask({ op: "check", tenant: fixture.tenant, account });
  testEnv.advance(2 * DAY);
  expect(await fixture.rowsNaming(otherId)).not.toEqual([]);
  await request();
  await fixture.settle();
  expect(await fixture.rowsNaming(user, otherId)).toEqual([]);
});

it("a data deletion of a person without data is done at once, with a code of their own", async () => {
  const codes = [await request("1"), await request("2")];
  for (const code of codes) {
    expect(await read(code)).toMatchObject({ status: "done", requestedAt: testEnv.now(), doneAt: testEnv.now() });
    expect(code).toMatch(/^[0-9a-f]{32}$/);
  }
  expect(new Set(codes).size).toBe(2);
  await fixture.settle();
});

it("a data deletion that is repeated has the same code, and changes nothing once it is done", async () => {
  await connectWithMessage();
  const codes = [await request(), await request()];
  await fixture.settle();
  const deletion = await read(codes[0] ?? "");
  testEnv.advance(DAY);
  codes.push(await request());
  expect(new Set(codes).size).toBe(1);
  expect(await read(codes[0] ?? "")).toEqual(deletion);
  const actions = await fixture.auditActions();
  expect(actions.filter((action) => action === "platform.data_deletion")).toHaveLength(1);
});

it("a data deletion has the same code after a rotation of the root secret", async () => {
  const ports = fixture.ports();
  const code = await request();
  const { current } = await ports.dataDeletionKeys();
  const dataDeletionKeys = async () => ({ current: keyVersion(Buffer.alloc(32, 10)), previous: current, next: null });
  const rotated = { ...ports, dataDeletionKeys };
  expect(await deleteData(rotated, { platformUserId: user, now: testEnv.now() })).toBe(code);
});

it("a data deletion disconnects an account whose first task was lost", async () => {
  await connectWithMessage();
  const ports = fixture.ports();
  const isDisconnectTask = ({ body }: { readonly body: string }) => decodeAccountTask(body)?.op === "disconnect";
  const accountWork = {
    ...ports.accountWork,
    send: async (message: Parameters<typeof ports.accountWork.send>[0]) => {
      if (!isDisconnectTask(message)) await ports.accountWork.send(message);
    },
  };
  const code = await deleteData({ ...ports, accountWork }, { platformUserId: user, now: testEnv.now() });
  await fixture.settle();
  expect(await fixture.rowsNaming(user)).toEqual([]);
  expect(await read(code)).toMatchObject({ status: "done" });
});

it("a data deletion continues where the time of an invocation ended", async () => {
  const account = await fixture.connect("one", [user]);
  for (let i = 0; i < 30; i++) await fixture.receive(account, `${100 + i}`);
  const code = await request();
  await fixture.settle({ stepTime: SECOND });
  expect([await fixture.rowsNaming(user), await fixture.inbox()]).toEqual([[], []]);
  expect(await read(code)).toMatchObject({ status: "done" });
});

eachFault(
  "a data deletion that crashes (%s) at any call of its request is completed by its repetition",
  // The environment of each test.
  {
    get clients() {
      return testEnv.clients;
    },
  },
  async (interrupt, { callIndex }) => {
    ({ fixture, user } = await openLogin(testEnv));
    await connectWithMessage();
    await interrupt(() => request());
    const code = await request();
    await fixture.settle();
    expect([callIndex, await fixture.rowsNaming(user)]).toEqual([callIndex, []]);
    expect(await read(code)).toMatchObject({ status: "done" });
    const actions = await fixture.auditActions();
    expect(actions.filter((action) => action === "platform.data_deletion")).toHaveLength(1);
  },
);

it.each(faultPoints)(
  "a data deletion that crashes (%s) at any call of its sweeps and tasks ends all the same",
  async (point) => {
    for (let call = firstFault(point), isReached = true; isReached; call += FAULT_STEP) {
      ({ fixture, user } = await openLogin(testEnv));
      await connectWithMessage();
      const code = await request();
      const fault = injectIntoProcesses(testEnv.clients, point, call);
      const runSweep = async () => void (await fault.run(fixture.sweep));
      await fixture.settle({ wrap: fault.worker, runSweep }).finally(fault.remove);
      isReached = fault.reached();
      expect([call, await fixture.rowsNaming(user)]).toEqual([call, []]);
      expect([call, await read(code)]).toMatchObject([call, { status: "done" }]);
    }
  },
);
