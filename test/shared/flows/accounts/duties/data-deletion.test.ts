import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { accountsWorker } from "../../../../../functions/accounts/worker.ts";
import { ingestWorker } from "../../../../../functions/ingest/worker.ts";
import { openQueue } from "../../../../../shared/aws/queues.ts";
import { deriveErasureId } from "../../../../../shared/domain/erasure/erasures.ts";
import { DATA_DELETION_OVERDUE } from "../../../../../shared/domain/limits.ts";
import { confirmationCode } from "../../../../../shared/flows/accounts/duties/confirmation-codes.ts";
import { deauthorize } from "../../../../../shared/flows/accounts/duties/deauthorize.ts";
import { deleteData } from "../../../../../shared/flows/accounts/duties/delete-data.ts";
import { eraseAccountConversations } from "../../../../../shared/flows/accounts/duties/erase-conversations.ts";
import { readDataDeletion } from "../../../../../shared/flows/accounts/duties/read-deletion.ts";
import { DAY, MINUTE, SECOND } from "../../../../../shared/kernel/time.ts";
import type { Erasure } from "../../../../../shared/stores/erasure/erasure-items.ts";
import { Crash, injectFaults } from "../../../../support/faults.ts";
import { forEachFreezePoint, runFrozen } from "../../../../support/processes/frozen-process.ts";
import { keyVersion } from "../../../../support/world/key-rings.ts";
import { allRows } from "../../support/data-subject.ts";
import {
  FAULT_STEP,
  faultPoints,
  firstFault,
  injectFaultAt,
  injectIntoProcesses,
} from "../../support/fault-injection.ts";
import { inboundBody, instagramWebhook } from "../../support/inbound-webhooks.ts";
import { invokeWorker, queueDepth, receiveAllMessages } from "../../support/queue-worker.ts";
import { openTestEnv, type TestEnv } from "../../support/test-env.ts";
import { noGapPorts } from "../support/no-gap.ts";
import { type LoginFixture, openLoginFixture } from "./support/login-fixture.ts";

let testEnv: TestEnv;
let fixture: LoginFixture;
let users = 0;
/** The two ids of a person who logs in with Instagram. */
let [user, otherId] = ["", ""];
beforeAll(async () => {
  testEnv = await openTestEnv();
});
afterAll(() => testEnv.close());
beforeEach(async () => {
  fixture = await openLoginFixture(testEnv);
  users += 1;
  [user, otherId] = [`1784140000${users}7`, `99000${users}1`];
});

const request = (platformUserId = user) => deleteData(fixture.ports(), { platformUserId, now: testEnv.now() });
const read = (code: string) => readDataDeletion(fixture.ports(), code, testEnv.now());

describe("a data deletion", () => {
  it("lets the accounts of the login go, erases their conversations, and leaves no row that names the person", async () => {
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

  it("erases what is stored in the two minutes in which workers still know the account", async () => {
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
  ])("is not undone by a late webhook from before it, where the account %s", async (_name, connectedAgain) => {
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
  });

  it("leaves the other accounts of the tenant as they are", async () => {
    const [own, foreign] = [await fixture.connect("own", [user]), await fixture.connect("foreign", ["55"])];
    await fixture.receive(own, "100");
    await fixture.receive(foreign, "100");
    await request();
    await fixture.settle();
    expect(await fixture.inbox()).toEqual([fixture.conversation(foreign, "100")]);
    expect(await fixture.stores.accounts.get(fixture.tenant, foreign)).not.toBeNull();
    expect(await fixture.stores.authorizations.list("55")).toHaveLength(1);
  });

  it("leaves an account and its conversations that another login of the tenant connects by now", async () => {
    const account = await fixture.connect("one", [user]);
    await fixture.receive(account, "100");
    testEnv.advance(SECOND);
    await fixture.connect("one", ["55"]);
    const code = await request();
    expect(await read(code)).toMatchObject({ status: "done" });
    await fixture.settle();
    expect(await fixture.inbox()).toHaveLength(1);
    expect(await fixture.stores.accounts.get(fixture.tenant, account)).toMatchObject({ authorizedBy: ["55"] });
    expect(await fixture.stores.authorizations.list(user)).toEqual([]);
  });

  it("leaves an account that another login connects before its conversations are erased", async () => {
    const account = await fixture.connect("one", [user]);
    await fixture.receive(account, "100");
    const code = await request();
    await fixture.runTasks();
    testEnv.advance(SECOND);
    await fixture.connect("one", ["55"]);
    await fixture.settle();
    expect(await read(code)).toMatchObject({ status: "done" });
    expect(await fixture.inbox()).toHaveLength(1);
    expect(await fixture.stores.accounts.get(fixture.tenant, account)).not.toBeNull();
  });

  it("erases the earlier conversations of an account that the same login connects again, and no later ones", async () => {
    const account = await fixture.connect("one", [user]);
    await fixture.receive(account, "100");
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

  it("leaves the login of an account that is connected again while it is found gone", async () => {
    const account = await fixture.connect("one", [user]);
    const code = await request();
    await fixture.runTasks();
    testEnv.advance(15 * SECOND);
    const ports = fixture.ports();
    let accountRead: Promise<unknown> = Promise.resolve();
    const accounts = {
      ...ports.accounts,
      get: (...query: Parameters<typeof ports.accounts.get>) => {
        const read = ports.accounts.get(...query);
        accountRead = read;
        return read;
      },
    };
    const accountChecks = {
      ...ports.accountChecks,
      get: async (...query: Parameters<typeof ports.accountChecks.get>) => {
        await accountRead;
        await fixture.connect("one", ["56"]);
        return ports.accountChecks.get(...query);
      },
    };
    const task = {
      op: "erase_conversations",
      tenant: fixture.tenant,
      account,
      code,
      after: null,
      erased: false,
    } as const;
    const time = { now: testEnv.now, endsAt: testEnv.now() + MINUTE };
    await eraseAccountConversations({ ...ports, accounts, accountChecks }, task, time);
    expect(await fixture.stores.authorizations.list("56")).toHaveLength(1);
    expect(await fixture.stores.accountChecks.get(fixture.tenant, account)).toMatchObject({ authorizedBy: ["56"] });
    await fixture.settle();
    expect(await read(code)).toMatchObject({ status: "done" });
  });

  it("erases the conversations of an account that an admin let go days before", async () => {
    const account = await fixture.connect("one", [user]);
    await fixture.receive(account, "100");
    await fixture.disconnect(account);
    testEnv.advance(2 * DAY);
    expect(await fixture.inbox()).toHaveLength(1);
    const code = await request();
    await fixture.settle();
    expect(await fixture.rowsNaming(user)).toEqual([]);
    expect(await read(code)).toMatchObject({ status: "done" });
  });

  it("erases nothing for a login whose row has ended and is still stored, and removes the row", async () => {
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

  it("leaves no other id of a person whose account was disconnected days before", async () => {
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

  it("of a person without data is done at once, with a code of their own", async () => {
    const codes = [await request("1"), await request("2")];
    for (const code of codes) {
      expect(await read(code)).toMatchObject({ status: "done", requestedAt: testEnv.now(), doneAt: testEnv.now() });
      expect(code).toMatch(/^[0-9a-f]{32}$/);
    }
    expect(new Set(codes).size).toBe(2);
    await fixture.settle();
  });

  it("that is repeated has the same code, and changes nothing once it is done", async () => {
    const account = await fixture.connect("one", [user]);
    await fixture.receive(account, "100");
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

  it("has the same code after a rotation of the root secret", async () => {
    const ports = fixture.ports();
    const code = await request();
    const { current } = await ports.dataDeletionKeys();
    const dataDeletionKeys = async () => ({ current: keyVersion(Buffer.alloc(32, 10)), previous: current, next: null });
    const rotated = { ...ports, dataDeletionKeys };
    expect(await deleteData(rotated, { platformUserId: user, now: testEnv.now() })).toBe(code);
  });

  it("lets an account go whose first task was lost", async () => {
    const account = await fixture.connect("one", [user]);
    await fixture.receive(account, "100");
    const ports = fixture.ports();
    const isLetGo = ({ body }: { readonly body: string }) => body.includes("let_go");
    const accountWork = {
      ...ports.accountWork,
      send: async (message: Parameters<typeof ports.accountWork.send>[0]) => {
        if (!isLetGo(message)) await ports.accountWork.send(message);
      },
    };
    const code = await deleteData({ ...ports, accountWork }, { platformUserId: user, now: testEnv.now() });
    await fixture.settle();
    expect(await fixture.rowsNaming(user)).toEqual([]);
    expect(await read(code)).toMatchObject({ status: "done" });
  });

  it("continues where the time of an invocation ended", async () => {
    const account = await fixture.connect("one", [user]);
    for (let i = 0; i < 30; i++) await fixture.receive(account, `${100 + i}`);
    const code = await request();
    await fixture.settle({ stepTime: SECOND });
    expect([await fixture.rowsNaming(user), await fixture.inbox()]).toEqual([[], []]);
    expect(await read(code)).toMatchObject({ status: "done" });
  });

  it.each(faultPoints)("that crashes (%s) at any call of its request is completed by its repetition", async (point) => {
    for (let call = firstFault(point), isReached = true; isReached; call += FAULT_STEP) {
      fixture = await openLoginFixture(testEnv);
      user = `user-${call}-${users++}`;
      const account = await fixture.connect("one", [user]);
      await fixture.receive(account, "100");
      const fault = injectFaultAt(testEnv.clients, point, call);
      await request().catch((error: unknown) => {
        if (!(error instanceof Crash)) throw error;
      });
      fault.remove();
      isReached = fault.reached();
      const code = await request();
      await fixture.settle();
      expect([call, await fixture.rowsNaming(user)]).toEqual([call, []]);
      expect(await read(code)).toMatchObject({ status: "done" });
      const actions = await fixture.auditActions();
      expect(actions.filter((action) => action === "platform.data_deletion")).toHaveLength(1);
    }
  });

  it.each(faultPoints)("that crashes (%s) at any call of its sweeps and tasks ends all the same", async (point) => {
    for (let call = firstFault(point), isReached = true; isReached; call += FAULT_STEP) {
      fixture = await openLoginFixture(testEnv);
      user = `user-${call}-${users++}`;
      const account = await fixture.connect("one", [user]);
      await fixture.receive(account, "100");
      const code = await request();
      const fault = injectIntoProcesses(testEnv.clients, point, call);
      const runSweep = async () => void (await fault.run(fixture.sweep));
      await fixture.settle({ wrap: fault.worker, runSweep }).finally(fault.remove);
      isReached = fault.reached();
      expect([call, await fixture.rowsNaming(user)]).toEqual([call, []]);
      expect([call, await read(code)]).toMatchObject([call, { status: "done" }]);
    }
  });
});

describe("a data deletion whose messages are lost", () => {
  const settleTo = async (code: string) => {
    await fixture.settle();
    expect([await fixture.rowsNaming(user), await read(code)]).toMatchObject([[], { status: "done" }]);
  };

  it("is continued by a sweep half an hour later, without a repeated request", async () => {
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

  it("begins again at once when the request is repeated, although no row of the login is left", async () => {
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

  it("is not queued again while a run works on it for longer than half an hour", async () => {
    const account = await fixture.connect("one", [user]);
    await fixture.receive(account, "100");
    const code = await request();
    // A background erasure that lasts: the run looks at it again each minute.
    const ports = fixture.ports();
    const erasures = { ...ports.erasures, get: async () => ({ phase: "first" }) as Erasure };
    const worker = () => accountsWorker({ ...noGapPorts, ...ports, erasures }, testEnv.now);
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

  it("has one run: a message of an earlier one, however late, does nothing", async () => {
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

describe("a data deletion in an outage", () => {
  it.each([20, 300])(
    "of %i minutes of the table right after its request ends when the outage has ended",
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
});

describe("a data deletion whose request dies", () => {
  const isErasureNoted = async () => (await fixture.auditActions()).includes("platform.data_deletion");

  it("ends, although another login connects one of two accounts that it noted before the request is repeated", async () => {
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
    "(%s) at any call after it noted the account is completed without a repetition",
    async (point) => {
      for (let call = firstFault(point), isReached = true; isReached; call += FAULT_STEP) {
        fixture = await openLoginFixture(testEnv);
        user = `user-${call}-${users++}`;
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

  it("ends where the request freezes at any call and continues when the erasing has ended", async () => {
    const calls = await forEachFreezePoint(async (point) => {
      fixture = await openLoginFixture(testEnv);
      user = `user-${point.call}-${users++}`;
      const account = await fixture.connect("one", [user]);
      await fixture.receive(account, "100");
      const { accounts, authorizations, dataDeletions, accountWork, dataDeletionKeys } = fixture.ports();
      const now = testEnv.now();
      const run = await runFrozen({ accounts, authorizations, dataDeletions, accountWork, dataDeletionKeys }, point, {
        work: (ports) => deleteData(ports, { platformUserId: user, now }),
        whileFrozen: async () => {
          testEnv.advance(MINUTE);
          await fixture.settle();
        },
      });
      const code = confirmationCode(await dataDeletionKeys(), user);
      expect(run.result).toEqual({ status: "fulfilled", value: code });
      await fixture.settle();
      const left = [await fixture.rowsNaming(user), (await read(code))?.status];
      expect([point, left]).toEqual([point, [[], "done"]]);
      return run;
    });
    expect(calls).toBeGreaterThan(6);
  });
});

describe("a data deletion that comes after its account was connected again", () => {
  const requestOf = (issuedAt: number) =>
    deleteData(fixture.ports(), { platformUserId: user, now: testEnv.now(), issuedAt });

  it.each([
    ["is connected", false],
    ["was disconnected again", true],
  ])("erases what is older than the request, and nothing newer, where the account %s", async (_name, isGone) => {
    const account = await fixture.connect("one", [user, otherId]);
    await fixture.receive(account, "old");
    await fixture.receive(account, "both");
    const issuedAt = testEnv.now();
    testEnv.advance(3 * MINUTE);
    await fixture.connect("one", [user, otherId]);
    await fixture.receive(account, "new");
    await fixture.receive(account, "both");
    if (isGone) await fixture.disconnect(account);
    const code = await requestOf(issuedAt);
    await fixture.settle();
    expect(await read(code)).toMatchObject({ status: "done", requestedAt: issuedAt });
    const both = fixture.conversation(account, "both");
    expect((await fixture.inbox()).toSorted()).toEqual([fixture.conversation(account, "new"), both].toSorted());
    // Of a conversation that goes on, what is older is erased, too.
    const messages = (await allRows(testEnv)).filter(({ PK, SK }) => PK === both && String(SK).startsWith("M#"));
    expect(messages.map(({ SK }) => Number(String(SK).split("#")[1]) > issuedAt)).toEqual([true]);
    expect((await fixture.stores.accounts.get(fixture.tenant, account)) === null).toBe(isGone);
    expect(await fixture.stores.authorizations.list(user)).toHaveLength(1);
    expect(await fixture.stores.authorizations.list(otherId)).toHaveLength(1);
  });

  it("erases nothing when it is repeated, and has the same code", async () => {
    const account = await fixture.connect("one", [user]);
    await fixture.receive(account, "100");
    const issuedAt = testEnv.now();
    const code = await requestOf(issuedAt);
    await fixture.settle();
    const deletion = await read(code);
    testEnv.advance(3 * MINUTE);
    await fixture.connect("one", [user]);
    await fixture.receive(account, "100");
    expect(await requestOf(issuedAt)).toBe(code);
    expect(await requestOf(issuedAt - SECOND)).toBe(code);
    await fixture.settle();
    expect(await read(code)).toEqual(deletion);
    expect(await fixture.inbox()).toEqual([fixture.conversation(account, "100")]);
    expect(await fixture.stores.accounts.get(fixture.tenant, account)).not.toBeNull();
    const actions = await fixture.auditActions();
    expect(actions.filter((action) => action === "platform.data_deletion")).toHaveLength(1);
    testEnv.advance(SECOND);
    expect(await requestOf(testEnv.now())).toBe(code);
    await fixture.settle();
    expect(await fixture.inbox()).toEqual([]);
  });

  it("continues when it is repeated while it is running", async () => {
    const account = await fixture.connect("one", [user]);
    await fixture.receive(account, "100");
    const issuedAt = testEnv.now();
    const code = await requestOf(issuedAt);
    await fixture.runTasks();
    testEnv.advance(MINUTE);
    await fixture.runTasks();
    await fixture.loseTasks();
    const before = await fixture.stores.dataDeletions.getAccount({ code, tenant: fixture.tenant, account });
    await requestOf(issuedAt);
    const after = await fixture.stores.dataDeletions.getAccount({ code, tenant: fixture.tenant, account });
    expect(after).toEqual({ ...before, dueAt: testEnv.now() + 30 * SECOND });
    await fixture.settle();
    expect(await read(code)).toMatchObject({ status: "done", requestedAt: issuedAt });
    expect(await fixture.rowsNaming(user)).toEqual([]);
  });
});

describe("the removal of the app on the platform", () => {
  it.each([
    ["before", -1, true],
    ["at", 0, false],
    ["after", 1, false],
  ])("that was issued %s the account was connected again", async (_name, difference, stays) => {
    const account = await fixture.connect("one", [user]);
    testEnv.advance(MINUTE);
    await fixture.connect("one", [user]);
    const issuedAt = testEnv.now() + difference;
    testEnv.advance(MINUTE);
    for (let times = 0; times < 2; times++) {
      await deauthorize(fixture.ports(), { platformUserId: user, now: testEnv.now(), issuedAt });
    }
    await fixture.settle();
    expect((await fixture.stores.accounts.get(fixture.tenant, account)) !== null).toBe(stays);
    // A replay does not let a later connection go.
    testEnv.advance(3 * MINUTE);
    await fixture.connect("one", [user]);
    await deauthorize(fixture.ports(), { platformUserId: user, now: testEnv.now(), issuedAt });
    await fixture.settle();
    expect(await fixture.stores.accounts.get(fixture.tenant, account)).not.toBeNull();
  });

  it("lets the accounts go that the login connects, and no other; its conversations stay", async () => {
    const own = await fixture.connect("own", [user]);
    const other = await fixture.connect("other", ["55"]);
    await fixture.connect("taken", [user]);
    testEnv.advance(SECOND);
    const taken = await fixture.connect("taken", ["55"]);
    await fixture.receive(own, "100");
    await deauthorize(fixture.ports(), { platformUserId: user, now: testEnv.now() });
    await deauthorize(fixture.ports(), { platformUserId: user, now: testEnv.now() });
    await fixture.settle();
    const accounts = [own, other, taken].map((account) => fixture.stores.accounts.get(fixture.tenant, account));
    expect((await Promise.all(accounts)).map((account) => account !== null)).toEqual([false, true, true]);
    expect(await fixture.inbox()).toHaveLength(1);
    expect((await fixture.auditActions()).filter((action) => action === "platform.deauthorize")).toHaveLength(1);
  });

  it("before a data deletion leaves its data to be found", async () => {
    const account = await fixture.connect("one", [user]);
    await fixture.receive(account, "100");
    await deauthorize(fixture.ports(), { platformUserId: user, now: testEnv.now() });
    await fixture.settle();
    await request();
    await fixture.settle();
    expect(await fixture.rowsNaming(user)).toEqual([]);
  });

  it("of an unknown person does nothing", async () => {
    await deauthorize(fixture.ports(), { platformUserId: "1", now: testEnv.now() });
    await fixture.settle();
  });
});
