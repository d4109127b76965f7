import { expect, it } from "vitest";
import { openQueue } from "#base/aws/queues.ts";
import { DATA_DELETION_OVERDUE } from "#base/kernel/limits.ts";
import { MINUTE, SECOND } from "#base/kernel/time.ts";
import { confirmationCode } from "#features/accounts/flows/platform-callbacks/confirmation-codes.ts";
import { deleteData } from "#features/accounts/flows/platform-callbacks/delete-data.ts";
import { eraseAccountConversations } from "#features/accounts/flows/platform-callbacks/erase-conversations.ts";
import { readDataDeletion } from "#features/accounts/flows/platform-callbacks/read-deletion.ts";
import { deriveErasureId } from "#features/erasure/rules/erasures.ts";
import type { Erasure } from "#features/erasure/store/items.ts";
import { accountsWorker } from "../../../../../functions/accounts/worker.ts";
import { Crash, injectFaults } from "../../../../support/faults.ts";
import { FAULT_STEP, faultPoints, firstFault, injectIntoProcesses } from "../../../../support/flows/fault-injection.ts";
import { invokeWorker, queueDepth, receiveAllMessages } from "../../../../support/flows/queue-worker.ts";
import type { TestEnv } from "../../../../support/flows/test-env.ts";
import { forEachFreezePoint, runFrozen } from "../../../../support/processes/frozen-process.ts";
import type { LoginFixture } from "./support/login-fixture.ts";
import { openLogin, useLogins } from "./support/use-logins.ts";

// Data deletions that lose their messages, their process, the table or their order, and end all the same.

let testEnv: TestEnv;
let fixture: LoginFixture;
/** The two ids of a person who logs in with Instagram. */
let [user, otherId] = ["", ""];
useLogins((opened) => {
  ({ testEnv, fixture, user, otherId } = opened);
});

const request = (platformUserId = user) => deleteData(fixture.ports(), { platformUserId, now: testEnv.now() });
const read = (code: string) => readDataDeletion(fixture.ports(), code, testEnv.now());

const settleTo = async (code: string) => {
  await fixture.settle();
  expect([await fixture.rowsNaming(user), await read(code)]).toMatchObject([[], { status: "done" }]);
};

it("a data deletion whose messages are lost is continued by a sweep half an hour later, without a repeated request", async () => {
  const account = await fixture.connect("one", [user]);
  await fixture.receive(account, "100");
  const code = await request();
  testEnv.advance(MINUTE);
  await fixture.sweep();
  // The disconnection, and the erasing.
  expect(await fixture.loseTasks()).toBe(2);
  testEnv.advance(DATA_DELETION_OVERDUE - SECOND);
  await fixture.sweep();
  expect(await fixture.loseTasks()).toBe(0);
  testEnv.advance(SECOND);
  await fixture.sweep();
  expect(await fixture.loseTasks()).toBe(1);
  testEnv.advance(DATA_DELETION_OVERDUE);
  await settleTo(code);
});

it("a data deletion whose messages are lost begins again at once when the request is repeated, although no row of the login is left", async () => {
  const account = await fixture.connect("one", [user, otherId]);
  await fixture.receive(account, "100");
  const code = await request();
  testEnv.advance(MINUTE);
  await fixture.sweep();
  await fixture.loseTasks();
  expect(await fixture.stores.authorizations.list(user)).toEqual([]);
  testEnv.advance(MINUTE);
  expect(await request()).toBe(code);
  testEnv.advance(MINUTE);
  await fixture.sweep();
  expect(await fixture.loseTasks()).toBe(1);
  testEnv.advance(DATA_DELETION_OVERDUE);
  await settleTo(code);
});

it("a data deletion whose messages are lost is not queued again while a run works on it for longer than half an hour", async () => {
  const account = await fixture.connect("one", [user]);
  await fixture.receive(account, "100");
  const code = await request();
  // A background erasure that lasts: the run looks at it again each minute.
  const ports = fixture.ports();
  const erasures = { ...ports.erasures, get: async () => ({ phase: "first" }) as Erasure };
  const worker = () => accountsWorker({ ...ports, erasures }, testEnv.now);
  const runs = new Set<string | null>();
  for (let minute = 0; minute < 90; minute++) {
    testEnv.advance(MINUTE);
    await fixture.runTasks({ wrap: minute < 5 ? undefined : worker });
    const pending = await ports.dataDeletions.getAccount({ code, tenant: fixture.tenant, account });
    runs.add(pending?.run ?? null);
    if (minute === 4 && pending) await ports.dataDeletions.recordErasure(pending, "an erasure");
  }
  expect(runs.size).toBe(1);
  await settleTo(code);
});

it("a data deletion whose messages are lost has one run: a message of an earlier one, however late, does nothing", async () => {
  const account = await fixture.connect("one", [user]);
  await fixture.receive(account, "100");
  const code = await request();
  testEnv.advance(MINUTE);
  await fixture.sweep();
  const [late] = (await receiveAllMessages(testEnv.eventSource, fixture.queues.accounts)).filter(({ body }) =>
    body.includes("erase_conversations"),
  );
  testEnv.advance(DATA_DELETION_OVERDUE);
  await fixture.sweep();
  await fixture.loseTasks();
  await openQueue(fixture.queues.accounts, testEnv.eventSource).send({ body: late?.body ?? "" });
  await fixture.runTasks();
  expect(await queueDepth(testEnv.eventSource, fixture.queues.accounts)).toBe(0);
  expect(testEnv.lines).toContainEqual(expect.objectContaining({ event: "record.dropped", reason: "stale" }));
  testEnv.advance(DATA_DELETION_OVERDUE);
  await settleTo(code);
});

it("a data deletion is not done while an earlier run still erases a conversation in the background", async () => {
  const account = await fixture.connect("one", [user]);
  await fixture.receive(account, "100");
  const conversationId = fixture.conversation(account, "100");
  const code = await request();
  for (let step = 0; step < 2; step++) {
    testEnv.advance(MINUTE);
    await fixture.runTasks();
  }
  testEnv.advance(3 * MINUTE);
  const ports = fixture.ports();
  const { tenant } = fixture;
  // The earlier run has named the conversation, and starts its erasure only when this run has read that it has not.
  const pending = await ports.dataDeletions.getAccount({ code, tenant, account });
  if (!pending?.goneAt) throw new Error("The account was not seen disconnected.");
  let inboxReads = 0;
  await ports.dataDeletions.recordErasure(pending, deriveErasureId(conversationId));
  const conversations = {
    ...ports.conversations,
    inbox: async (...query: Parameters<typeof ports.conversations.inbox>) => {
      inboxReads++;
      const erasure = { tenant, conversationId, now: testEnv.now(), time: testEnv };
      expect(await ports.eraseConversation(erasure, () => false)).toMatchObject({ done: false });
      return ports.conversations.inbox(...query);
    },
  };
  const task = { op: "erase_conversations", tenant, account, code, after: null, erased: false } as const;
  const run = pending.run ?? undefined;
  const time = { now: testEnv.now, endsAt: testEnv.now() + MINUTE };
  await eraseAccountConversations({ ...ports, conversations }, { ...task, run }, time);
  expect([inboxReads, await read(code)]).toMatchObject([1, { status: "running" }]);
  await fixture.settle();
  expect([await fixture.rowsNaming(user), await read(code)]).toMatchObject([[], { status: "done" }]);
});

it.each([20, 300])(
  "a data deletion in an outage of %i minutes of the table right after its request ends when the outage has ended",
  async (minutes) => {
    const account = await fixture.connect("one", [user]);
    await fixture.receive(account, "100");
    const code = await request();
    testEnv.advance(MINUTE);
    await fixture.sweep();
    const endOutage = injectFaults(testEnv.client, () => "fail");
    for (let minute = 0; minute < minutes; minute++) {
      await expect(fixture.sweep()).rejects.toThrow("injected: failed before");
      await invokeWorker(testEnv.eventSource, fixture.queues.accounts, fixture.newWorker());
      testEnv.advance(MINUTE);
    }
    endOutage();
    expect(await read(code)).toMatchObject({ status: "running" });
    expect(await fixture.rowsNaming(user)).not.toEqual([]);
    await fixture.settle();
    expect([await fixture.rowsNaming(user), await read(code)]).toMatchObject([[], { status: "done" }]);
  },
);

const isErasureNoted = async () => (await fixture.auditActions()).includes("platform.data_deletion");

it("a data deletion whose request dies ends, although another login connects one of two accounts that it noted before the request is repeated", async () => {
  const [taken, own] = [await fixture.connect("taken", [user]), await fixture.connect("own", [user])];
  for (const account of [taken, own]) await fixture.receive(account, "100");
  const ports = fixture.ports();
  const crash = () => Promise.reject(new Crash("after both accounts"));
  const dataDeletions = { ...ports.dataDeletions, start: crash };
  const died = deleteData({ ...ports, dataDeletions }, { platformUserId: user, now: testEnv.now() });
  await expect(died).rejects.toThrow(Crash);
  testEnv.advance(SECOND);
  await fixture.connect("taken", ["55"]);
  const code = await request();
  await fixture.settle();
  expect(await read(code)).toMatchObject({ status: "done" });
  expect(await fixture.inbox()).toEqual([fixture.conversation(taken, "100")]);
  expect(await fixture.stores.authorizations.list(user)).toEqual([]);
});

it.each(faultPoints)(
  "a data deletion whose request dies (%s) at any call after it noted the account is completed without a repetition",
  async (point) => {
    for (let call = firstFault(point), isReached = true; isReached; call += FAULT_STEP) {
      ({ fixture, user } = await openLogin(testEnv));
      const account = await fixture.connect("one", [user]);
      await fixture.receive(account, "100");
      const fault = injectIntoProcesses(testEnv.clients, point, call);
      const answer = await fault.run(request).finally(fault.remove);
      isReached = fault.reached();
      const code = confirmationCode(await fixture.ports().dataDeletionKeys(), user);
      const [isNoted, isStarted] = [await isErasureNoted(), (await read(code)) !== null];
      await fixture.settle();
      expect([call, (await fixture.rowsNaming(user)).length > 0]).toEqual([call, !isNoted]);
      expect([call, (await read(code))?.status]).toEqual([call, isStarted ? "done" : undefined]);
      if (answer !== null) expect([answer, isNoted, isStarted]).toEqual([code, true, true]);
    }
  },
);

it("a data deletion whose request dies ends where the request freezes at any call and continues when the erasing has ended", async () => {
  const calls = await forEachFreezePoint(async (point) => {
    ({ fixture, user } = await openLogin(testEnv));
    const account = await fixture.connect("one", [user]);
    await fixture.receive(account, "100");
    const { journal, accounts, authorizations, dataDeletions, accountWork, dataDeletionKeys } = fixture.ports();
    const now = testEnv.now();
    const run = await runFrozen(
      { journal, accounts, authorizations, dataDeletions, accountWork, dataDeletionKeys },
      point,
      {
        work: (ports) => deleteData(ports, { platformUserId: user, now }),
        whileFrozen: async () => {
          testEnv.advance(MINUTE);
          await fixture.settle();
        },
      },
    );
    const code = confirmationCode(await dataDeletionKeys(), user);
    expect(run.result).toEqual({ status: "fulfilled", value: code });
    await fixture.settle();
    const left = [await fixture.rowsNaming(user), (await read(code))?.status];
    expect([point, left]).toEqual([point, [[], "done"]]);
    return run;
  });
  expect(calls).toBeGreaterThan(6);
});
