import { beforeEach, expect, it } from "vitest";
import { openQueue } from "#base/aws/queues.ts";
import { MINUTE, SECOND } from "#base/kernel/time.ts";
import { deauthorize } from "#features/accounts/flows/platform-callbacks/deauthorize.ts";
import { type AccountTask, decodeAccountTask, encodeAccountTask } from "#features/accounts/queue.ts";
import { decodeEvent } from "#features/delivery/event-queue.ts";
import { sweepDue } from "#features/delivery/flows/sweep/due.ts";
import { buryMessages } from "../../../support/flows/dead-letters.ts";
import { queueDepth, receiveAllMessages } from "../../../support/flows/queue-worker.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedEach, openedOnce } from "../../../support/opened.ts";
import { openLoginFixture } from "./platform-callbacks/support/login-fixture.ts";

let user: string;
const testEnv = openedOnce(openTestEnv);
const fixture = openedEach(() => openLoginFixture(testEnv));
beforeEach(async () => {
  user = `user-of-${fixture.tenant}`;
});

/** The messages of the accounts queue become dead letters, as after ten failures. @returns how many */
const exhaustReceives = () => buryMessages(testEnv.deadLetterPorts("Accounts", fixture.queues), testEnv.now());

const sweep = () => sweepDue(testEnv.sweepPorts(fixture.queues), testEnv.now());
const send = (task: AccountTask) =>
  openQueue(fixture.queues.accounts, testEnv.eventSource).send({
    body: encodeAccountTask(task),
    group: fixture.tenant,
  });
const depth = () => queueDepth(testEnv.eventSource, fixture.queues.accounts);

it("a task of an account that became a dead letter disconnects the account half an hour later, as the platform requested, without an operator", async () => {
  const account = await fixture.connect("one", [user]);
  await deauthorize(fixture.ports(), { platformUserId: user, now: testEnv.now() });
  expect(await exhaustReceives()).toBe(1);
  testEnv.advance(27 * MINUTE);
  await sweep();
  expect(await depth()).toBe(0);
  testEnv.advance(2 * MINUTE);
  await sweep();
  testEnv.advance(MINUTE + SECOND);
  await fixture.runTasks();
  expect(await fixture.stores.accounts.get(fixture.tenant, account)).toBeNull();
  expect(await fixture.auditActions()).toContain("platform.deauthorize");
});

it("a task of an account that became a dead letter completes the connection of an account, with its event", async () => {
  const account = await fixture.connect("one", [user]);
  const stored = await fixture.stores.accounts.get(fixture.tenant, account);
  const connectionId = stored?.connectionId ?? "";
  await send({ op: "finish_connect", tenant: fixture.tenant, account, connectionId });
  expect(await exhaustReceives()).toBe(1);
  testEnv.advance(30 * MINUTE);
  await sweep();
  await fixture.runTasks();
  const events = await receiveAllMessages(testEnv.eventSource, fixture.queues.events);
  expect(events.map(({ body }) => decodeEvent(body)?.type)).toEqual(["account.connected"]);
});

it("a task of an account that became a dead letter that fails again is repeated again", async () => {
  const account = await fixture.connect("one", [user]);
  await deauthorize(fixture.ports(), { platformUserId: user, now: testEnv.now() });
  for (let round = 0; round < 3; round++) {
    expect(await exhaustReceives()).toBe(1);
    testEnv.advance(30 * MINUTE);
    await sweep();
  }
  await fixture.runTasks();
  expect(await fixture.stores.accounts.get(fixture.tenant, account)).toBeNull();
});

it("a task of an account that became a dead letter is not repeated where a row of the account is due itself", async () => {
  const of = { tenant: fixture.tenant, account: fixture.accountOf("one") };
  await send({ op: "check", ...of });
  await send({ op: "backfill", ...of, connectionId: "", since: 0, until: 1, after: null, done: 0 });
  await send({ op: "erase_conversations", ...of, code: "c", after: null, erased: false });
  expect(await exhaustReceives()).toBe(3);
  const disconnection = { reason: "user", actor: "cli", userId: null, ip: null, at: testEnv.now() } as const;
  await send({ op: "disconnect", ...of, connectionId: "", ...disconnection });
  expect(await exhaustReceives()).toBe(1);
  testEnv.advance(30 * MINUTE);
  await sweep();
  const tasks = await receiveAllMessages(testEnv.eventSource, fixture.queues.accounts);
  expect(tasks.map(({ body }) => decodeAccountTask(body)?.op)).toEqual(["disconnect"]);
});
