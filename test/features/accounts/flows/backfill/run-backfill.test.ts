import { expect, it } from "vitest";
import { DAY, HOUR, MINUTE, SECOND } from "#base/kernel/time.ts";
import { runBackfill } from "#features/accounts/flows/backfill/run-backfill.ts";
import { conversationId } from "#features/inbox/rules/messages.ts";
import { readRestoredTable } from "#features/recovery/flows/read-table.ts";
import { journalSubject } from "#features/recovery/journal.ts";
import { restoredErasureStore } from "#features/recovery/store/restored-erasures.ts";
import { restoredRowStore } from "#features/recovery/store/restored-rows.ts";
import { receiveCount } from "../../../../../functions/worker/redelivery.ts";
import { injectFaults } from "../../../../support/faults.ts";
import { runErasure } from "../../../../support/flows/data-subject.ts";
import { FAULT_STEP, faultPoints, firstFault, injectFaultAt } from "../../../../support/flows/fault-injection.ts";
import { openTestEnv } from "../../../../support/flows/test-env.ts";
import { openedEach, openedOnce } from "../../../../support/opened.ts";
import { messageId, openBackfillFixture } from "./backfill-fixture.ts";
import type { HistoryMessage } from "./fake-history.ts";

const testEnv = openedOnce(openTestEnv);
const fixture = openedEach(() => openBackfillFixture(testEnv));

const person = (index: number) => `6000000000000${String(index).padStart(3, "0")}`;

/** Messages of one person, one after the other from `at` on. */
function thread(index: number, count: number, at: number, step = 400): HistoryMessage[] {
  return Array.from({ length: count }, (_, number) => ({
    id: messageId(fixture.tenant, index, number, at),
    person: person(index),
    at: at + number * step,
    text: `${index}-${at}-${number}`,
  }));
}

const textsOf = (messages: readonly HistoryMessage[]) => messages.map(({ text }) => text);

it("300 messages of 40 threads that no webhook brought are stored once each, in order, with one event each, while new ones arrive", async () => {
  const { history, since } = fixture;
  const before = Array.from({ length: 40 }, (_, index) => thread(index, 1, since - HOUR + index * SECOND));
  const missing = Array.from({ length: 40 }, (_, index) => thread(index, index % 2 ? 7 : 8, since + index * MINUTE));
  await fixture.received(...before.flat());
  await fixture.drainInbound();
  fixture.missed(...missing.flat());
  // Every few calls a person whose thread was not read yet writes, and the thread moves to the front.
  const arriving: HistoryMessage[][] = Array.from({ length: 40 }, () => []);
  const webhooks: HistoryMessage[] = [];
  history.onCall = (_path, index) => {
    if (index % 4 === 3 && index < 60) {
      const oldest = Math.floor(index / 4);
      const message = thread(oldest, 1, testEnv.now());
      arriving[oldest]?.push(...message);
      history.messages.push(...message);
      webhooks.push(...message);
    }
    return undefined;
  };
  await fixture.start();
  await fixture.run(() => async (event, invocation) => {
    const result = await fixture.backfillWorker()(event, invocation);
    if (webhooks.length > 0) await fixture.queueWebhook(...webhooks.splice(0));
    return result;
  });
  for (let index = 0; index < 40; index++) {
    const expected = [before[index], missing[index], arriving[index]].flatMap((messages) => textsOf(messages ?? []));
    expect(await fixture.texts(person(index))).toEqual(expected);
  }
  const total = 40 + 300 + arriving.flat().length;
  expect(missing.flat()).toHaveLength(300);
  expect(arriving.flat().length).toBeGreaterThan(10);
  expect(await fixture.events()).toEqual({ messages: total, eventIds: total });
  const backfills = history.calls.slice(1).map(({ at }, index) => at - (history.calls[index]?.at ?? 0));
  expect(Math.min(...backfills)).toBeGreaterThanOrEqual(500);
  expect(history.calls.length).toBeLessThan(110);
});

it("300 messages of 40 threads that no webhook brought keep the order of one second, behind a stored one of the same second", async () => {
  const second = Math.floor(fixture.until / SECOND) * SECOND - HOUR;
  const [first, ...others] = thread(0, 6, second + 300, 100);
  if (first) await fixture.received(first);
  await fixture.drainInbound();
  fixture.missed(...others);
  await fixture.backfill();
  expect(await fixture.texts(person(0))).toEqual(textsOf([...(first ? [first] : []), ...others]));
});

/** Runs a backfill over one missed message. @returns the message */
async function fillOne(): Promise<HistoryMessage> {
  const [message] = thread(0, 1, fixture.until - HOUR + 734);
  if (!message) throw new Error("There is no message.");
  fixture.missed(message);
  await fixture.backfill();
  return message;
}

it("a message of the history has one row when its webhook comes at last", async () => {
  const message = await fillOne();
  for (let time = 0; time < 2; time++) {
    await fixture.queueWebhook(message);
    await fixture.drainInbound();
  }
  expect(await fixture.texts(person(0))).toEqual([message.text]);
  expect(await fixture.events()).toEqual({ messages: 1, eventIds: 1 });
});

it("a message of the history has one row when its webhook waits in the queue at the same time", async () => {
  const [message] = thread(0, 1, fixture.until - HOUR + 734);
  if (!message) return;
  await fixture.received(message);
  await fixture.backfill();
  expect(await fixture.texts(person(0))).toEqual([message.text]);
  expect(await fixture.events()).toEqual({ messages: 1, eventIds: 1 });
});

it("a message of the history has one row when two backfills read it before it is stored", async () => {
  fixture.missed(...thread(0, 5, fixture.until - HOUR));
  await fixture.start();
  await fixture.backfill();
  expect(await fixture.texts(person(0))).toEqual(textsOf(thread(0, 5, fixture.until - HOUR)));
  expect(await fixture.events()).toEqual({ messages: 5, eventIds: 5 });
});

it("a message of the history is an echo where the account sent it", async () => {
  const at = fixture.until - HOUR;
  fixture.missed(...thread(0, 2, at).map((message, index) => ({ ...message, isEcho: index === 1 })));
  await fixture.backfill();
  expect(await fixture.texts(person(0))).toHaveLength(2);
  const { rows } = await fixture.feed();
  expect(rows.map(({ message }) => message.direction)).toEqual(["echo", "inbound"]);
});

it("nothing is queued from before or after the time of the backfill", async () => {
  const { since, until } = fixture;
  const inTime = [...thread(0, 1, since + 300), ...thread(0, 1, until - SECOND)];
  fixture.missed(...thread(0, 2, since - HOUR), ...inTime, ...thread(0, 2, until + SECOND));
  fixture.missed(...thread(1, 2, since - HOUR));
  await fixture.backfill();
  expect(await fixture.texts(person(0))).toEqual(textsOf(inTime));
  expect(await fixture.texts(person(1))).toEqual([]);
});

it("nothing is queued from before an erasure", async () => {
  const { tenant, history } = fixture;
  await fixture.received(...thread(0, 2, fixture.until - 2 * HOUR));
  fixture.missed(...thread(0, 1, fixture.until - HOUR));
  await fixture.drainInbound();
  await runErasure(testEnv, fixture.queues, { tenant, conversation: fixture.conversation(person(0)) });
  await fixture.backfill();
  expect(history.calls.map(({ path }) => path)).toContain(`t_${person(0)}`);
  expect(await fixture.texts(person(0))).toEqual([]);
});

it("nothing is queued that is stored", async () => {
  await fixture.received(...thread(0, 3, fixture.until - HOUR));
  await fixture.drainInbound();
  await fixture.backfill();
  expect(testEnv.lines).toContainEqual(
    expect.objectContaining({ event: "gap.read", tenant: fixture.tenant, threads: 1, messages: 0 }),
  );
});

it("nothing is queued of the second in which its conversation was erased, which may be from before it", async () => {
  const { tenant, history } = fixture;
  const second = Math.ceil(testEnv.now() / SECOND) * SECOND + HOUR;
  testEnv.advance(second - testEnv.now());
  const messages = thread(0, 4, second, 0);
  await fixture.received(...messages);
  await fixture.drainInbound();
  testEnv.advance(second + 1 - testEnv.now());
  await runErasure(testEnv, fixture.queues, { tenant, conversation: fixture.conversation(person(0)) });
  await fixture.start({ until: testEnv.now() });
  testEnv.advance(13 * MINUTE);
  await fixture.run();
  expect(history.calls.map(({ path }) => path)).toContain(`t_${person(0)}`);
  expect(await fixture.texts(person(0))).toEqual([]);
});

it("nothing is queued from longer ago than a message is stored", async () => {
  const now = testEnv.now();
  const young = thread(0, 1, now - 7 * DAY + 10 * MINUTE);
  fixture.missed(...thread(0, 1, now - 7 * DAY - 1), ...young, ...thread(1, 2, now - 8 * DAY));
  await fixture.backfill({ since: now - 30 * DAY });
  expect(await fixture.texts(person(0))).toEqual(textsOf(young));
  expect(fixture.history.calls.map(({ path }) => path)).not.toContain(`t_${person(1)}`);
});

it("nothing is queued before its messages are twelve minutes old", async () => {
  const until = testEnv.now() + HOUR;
  const task = fixture.task({ until });
  const time = { now: testEnv.now, endsAt: testEnv.now() + MINUTE };
  expect(await runBackfill(fixture.ports(), task, time)).toEqual({
    end: "retry",
    cause: "history_too_young",
    after: 15 * MINUTE,
  });
  expect(fixture.history.calls).toEqual([]);
});

it("nothing is queued for an account that is disconnected", async () => {
  fixture.missed(...thread(0, 1, fixture.until - HOUR));
  await testEnv.disconnect(fixture.tenant, fixture.account);
  await fixture.backfill();
  expect(fixture.history.calls).toEqual([]);
  expect(await fixture.texts(person(0))).toEqual([]);
});

it("a backfill continues under a later connection of the same account", async () => {
  fixture.missed(...thread(0, 1, fixture.until - HOUR));
  await fixture.backfill({ connectionId: "01J00000000000000000000000" });
  expect(await fixture.texts(person(0))).toHaveLength(1);
});

const open = async () => {
  const { tenant, account } = fixture;
  const { accountChecks } = fixture.ports();
  const check = {
    tenant,
    account,
    connectionId: "",
    authorizedBy: [],
    formerLogins: [],
    dueAt: 0,
    subscribedAt: null,
    heldSince: null,
    backfill: { since: fixture.since, until: fixture.until },
    picture: null,
  };
  const ofConnecting = await accountChecks.get(tenant, account);
  if (ofConnecting) await accountChecks.remove(ofConnecting);
  await accountChecks.add(check);
  const readBackfill = async () => (await accountChecks.get(tenant, account))?.backfill ?? null;
  return { check, accountChecks, readBackfill };
};

it("the note of a backfill goes when its last page was read, not before", async () => {
  const { check, readBackfill } = await open();
  for (let index = 0; index < 12; index++) fixture.missed(...thread(index, 1, fixture.since + HOUR + index));
  await fixture.start();
  testEnv.advance(31 * SECOND);
  await fixture.runOnce(fixture.backfillWorker());
  expect(await readBackfill()).toEqual(check.backfill);
  await fixture.run();
  expect(await readBackfill()).toBeNull();
});

it("the note of a backfill stays where the platform refuses the token", async () => {
  const { check, readBackfill } = await open();
  fixture.missed(...thread(0, 1, fixture.since + HOUR));
  fixture.history.onCall = () => ({ status: 400, body: { error: { message: "No", code: 190, error_subcode: 460 } } });
  await fixture.backfill();
  expect(await readBackfill()).toEqual(check.backfill);
});

it("the note of a backfill stays for a later backfill that was noted in the meantime", async () => {
  const { check, accountChecks, readBackfill } = await open();
  const until = fixture.until + MINUTE;
  await accountChecks.noteBackfill(check, { since: fixture.until, until }, 0);
  await fixture.backfill();
  expect(await readBackfill()).toEqual({ since: fixture.since, until });
  await fixture.backfill({ until });
  expect(await readBackfill()).toBeNull();
});

const refusal = (code: number, error_subcode?: number) => ({
  status: 400,
  body: { error: { message: "No", code, error_subcode } },
});

it.each([
  ["is asked too often", refusal(613)],
  ["has trouble", { status: 500, body: {} }],
  ["is unsure", refusal(2)],
])("the platform that %s in the middle is asked again, and nothing is missing", async (_name, answer) => {
  for (let index = 0; index < 12; index++) fixture.missed(...thread(index, 2, fixture.since + HOUR + index));
  fixture.history.onCall = (_path, index) => (index === 5 || index === 13 ? answer : undefined);
  await fixture.backfill();
  for (let index = 0; index < 12; index++) expect(await fixture.texts(person(index))).toHaveLength(2);
});

it("the platform that is asked too often for thirty minutes is asked again until nothing is missing, with five receives at most", async () => {
  fixture.missed(...thread(0, 2, fixture.since + HOUR));
  const limitEndsAt = testEnv.now() + 30 * MINUTE;
  fixture.history.onCall = () => (testEnv.now() < limitEndsAt ? refusal(613) : undefined);
  await fixture.start();
  let receives = 0;
  while (testEnv.now() < limitEndsAt + 16 * MINUTE) {
    const { records } = await fixture.runOnce(fixture.backfillWorker());
    receives = Math.max(receives, ...records.map(receiveCount));
    testEnv.advance(5 * SECOND);
  }
  expect(receives).toBe(5);
  await fixture.run();
  expect(await fixture.texts(person(0))).toHaveLength(2);
});

it("the platform that refuses one thread shows the others", async () => {
  for (let index = 0; index < 3; index++) fixture.missed(...thread(index, 1, fixture.since + HOUR + index));
  fixture.history.onCall = (path) => (path === `t_${person(1)}` ? refusal(100, 33) : undefined);
  await fixture.backfill();
  expect(await fixture.texts(person(0))).toHaveLength(1);
  expect(await fixture.texts(person(1))).toHaveLength(0);
  expect(await fixture.texts(person(2))).toHaveLength(1);
});

it.each([
  [190, 460],
  [10, undefined],
  [10, 1893063],
])("the platform that refuses the account with %s/%s is asked no more", async (code, subcode) => {
  for (let index = 0; index < 3; index++) fixture.missed(...thread(index, 1, fixture.since + HOUR + index));
  fixture.history.onCall = (_path, index) => (index === 2 ? refusal(code, subcode) : undefined);
  await fixture.backfill();
  expect(fixture.history.calls).toHaveLength(3);
  expect(testEnv.lines).toContainEqual(expect.objectContaining({ event: "gap.refused", tenant: fixture.tenant, code }));
});

it("the platform is asked for at most 500 threads", async () => {
  for (let index = 0; index < 520; index++) fixture.missed(...thread(index, 1, fixture.since + HOUR + index));
  await fixture.backfill({ done: 470 });
  expect(fixture.history.calls.filter(({ path }) => path.startsWith("t_"))).toHaveLength(30);
});

it.each(faultPoints)(
  "a process that dies %s any of its calls leaves a backfill that brings each message once",
  async (faultPoint) => {
    const threads = Array.from({ length: 11 }, (_, index) => index);
    let isReached = true;
    let cases = 0;
    for (let call = firstFault(faultPoint); isReached; call += FAULT_STEP) {
      const fixture = await openBackfillFixture(testEnv);
      for (const index of threads) fixture.missed(...thread(index, 1, fixture.since + HOUR + index));
      await fixture.start();
      testEnv.advance(31 * SECOND);
      const fault = injectFaultAt(testEnv.clients, faultPoint, call);
      await fixture.runOnce(fault.crashable(fixture.backfillWorker()));
      isReached = fault.reached();
      fault.remove();
      await fixture.run();
      for (const index of threads) expect(await fixture.texts(person(index))).toHaveLength(1);
      expect(await fixture.events()).toEqual({ messages: 11, eventIds: 11 });
      cases++;
    }
    expect(cases * FAULT_STEP).toBeGreaterThan(30);
  },
);

it("a conversation that the journal says is erased, and that the restored table does not have, is fetched from its erasure on", async () => {
  const { tenant, account, since, until } = fixture;
  const rows = restoredRowStore(testEnv.table);
  const conversation = conversationId({ tenant, account, participantId: person(1) });
  const subject = journalSubject({ kind: "conversation.erase", conversationId: conversation, upTo: 0 });
  await restoredErasureStore(testEnv.table).note(subject, since + HOUR, testEnv.now());
  await restoredErasureStore(testEnv.table).note(subject, since, testEnv.now());
  fixture.missed(...thread(1, 2, since + MINUTE), ...thread(1, 1, since + 2 * HOUR), ...thread(2, 1, since + MINUTE));
  await rows.stopSends(tenant, account, since);
  await fixture.backfill();
  expect(await fixture.texts(person(1))).toEqual(textsOf(thread(1, 1, since + 2 * HOUR)));
  expect(await fixture.texts(person(2))).toEqual(textsOf(thread(2, 1, since + MINUTE)));
  // At any other time nothing of it is read.
  await rows.resumeSends(tenant, account, { from: since, until, isUnread: false });
  testEnv.advance(8 * DAY);
  const reads: string[] = [];
  const end = injectFaults(testEnv.table.client as never, ({ input }) => {
    reads.push(JSON.stringify(input));
    return "pass";
  });
  fixture.missed(...thread(3, 1, testEnv.now() - HOUR));
  await fixture.backfill({ since: testEnv.now() - 2 * HOUR, until: testEnv.now() - 30 * MINUTE });
  end();
  expect(reads.filter((input) => input.includes("RX#"))).toEqual([]);
  expect(await fixture.texts(person(3))).toHaveLength(1);
});

it("a conversation of which the platform shows only a part is noted on the day after a restore, and no other", async () => {
  const { tenant, account, since, until } = fixture;
  const rows = restoredRowStore(testEnv.table);
  const noted = async (...indexes: readonly number[]) => {
    const ids = indexes.map((index) => conversationId({ tenant, account, participantId: person(index) }));
    const subjects = ids.map((id) => journalSubject({ kind: "conversation.erase", conversationId: id, upTo: 0 }));
    const read = await Promise.all(subjects.map((subject) => restoredErasureStore(testEnv.table).get(subject)));
    return read.map(({ isPartlyRead }) => isPartlyRead);
  };
  // The platform shows 20 messages. Those of the second thread reach back to before the restored time.
  fixture.missed(...thread(1, 21, since + HOUR), ...thread(2, 19, since + HOUR));
  fixture.missed(...thread(2, 2, since - HOUR), ...thread(3, 19, since + HOUR));
  await fixture.backfill();
  expect(await noted(1, 2, 3)).toEqual([false, false, false]);
  await rows.stopSends(tenant, account, since);
  const countPartlyRead = async () => (await readRestoredTable({ restoredRows: rows }, { last: new Map() })).partlyRead;
  const before = await countPartlyRead();
  await fixture.backfill();
  expect(await noted(1, 2, 3)).toEqual([true, false, false]);
  expect(await countPartlyRead()).toBe(before + 1);
  await rows.resumeSends(tenant, account, { from: since, until, isUnread: false });
  testEnv.advance(2 * DAY);
  const later = testEnv.now() - HOUR;
  fixture.missed(...thread(4, 21, later));
  await fixture.backfill({ since: later - MINUTE, until: testEnv.now() - 30 * MINUTE });
  expect([await noted(4), (await fixture.texts(person(4))).length]).toEqual([[false], 20]);
});
