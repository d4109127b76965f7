import { beforeEach, expect, it } from "vitest";
import { DAY, HOUR, MINUTE, type Millis, SECOND } from "#base/kernel/time.ts";
import { conversationId } from "#features/inbox/rules/messages.ts";
import { openTestEnv } from "../../../../support/flows/test-env.ts";
import { openedEach, openedOnce } from "../../../../support/opened.ts";
import { SAMPLE_INBOX, sampleMessage } from "../../../../support/stores/samples.ts";
import { openCheckFixture, refusedCall } from "./support/check-fixture.ts";

// Platforms are reported to send no webhook for some threads, although the subscription is complete.

const testEnv = openedOnce(openTestEnv);
const fixture = openedEach(() => openCheckFixture(testEnv));
beforeEach(async () => {
  await fixture.passToCheck();
  testEnv.lines.length = 0;
});

const PERSON = "5001";

/** The platform lists a thread that moved so long before the next check. */
function list(age: Millis, participantIds: readonly string[] = [PERSON]): Millis {
  const updatedAt = Math.floor((testEnv.now() - age) / SECOND) * SECOND;
  fixture.answers.listThreads = { kind: "listed", threads: [{ id: "t", updatedAt, participantIds }], next: null };
  return updatedAt;
}

/** Stores a message of the person. */
async function store(sentAt: Millis): Promise<void> {
  const { tenant, account, stores } = fixture;
  const conversation = conversationId({ tenant, account, participantId: PERSON });
  const participant = { id: PERSON, handle: null, username: null, name: null };
  const message = sampleMessage(tenant, { id: "stored", account, conversationId: conversation, participant, sentAt });
  await stores.conversations.advanceHead(tenant, message, SAMPLE_INBOX);
}

const backfills = async () => (await fixture.takeTasks()).filter(({ op }) => op === "backfill");

it("threads of which nothing is stored have their messages fetched, and the account shows since when some may be missing", async () => {
  const seenAt = (await fixture.readCheck())?.subscribedAt ?? 0;
  testEnv.advance(5 * HOUR);
  list(HOUR);
  await fixture.checkNow();
  const [backfill, ...others] = await backfills();
  const since = Math.max(seenAt - 2 * HOUR, (await fixture.readCheck())?.heldSince ?? 0);
  expect([backfill, others]).toMatchObject([{ since, account: fixture.account }, []]);
  expect((await fixture.readCheck())?.backfill?.since).toBe(since);
  const account = `instagram#${fixture.account.externalId}`;
  expect(testEnv.lines).toContainEqual({ event: "threads.ahead", tenant: fixture.tenant, account, threads: 1 });
});

it.each([
  ["older than the platform's newest message", -SECOND, 1],
  ["the platform's newest message, with its milliseconds", 999, 0],
  ["newer", MINUTE, 0],
])("threads whose newest stored message is %s: %i ms after it", async (_, after, expected) => {
  testEnv.advance(5 * HOUR);
  const updatedAt = list(HOUR);
  await store(updatedAt + after);
  await fixture.checkNow();
  expect(await backfills()).toHaveLength(expected);
});

it("threads that moved in the last minutes are left to the next check, which compares them", async () => {
  testEnv.advance(5 * HOUR);
  const updatedAt = list(11 * MINUTE);
  await fixture.checkNow();
  expect(await backfills()).toEqual([]);
  testEnv.advance(HOUR);
  await fixture.checkNow();
  const [backfill] = await backfills();
  expect(backfill).toMatchObject({ op: "backfill" });
  expect((backfill as { since: Millis }).since).toBeLessThan(updatedAt);
});

it("threads that did not move since the check before cost no read", async () => {
  testEnv.advance(3 * DAY);
  await fixture.checkNow();
  testEnv.advance(DAY);
  list(2 * DAY);
  await fixture.checkNow();
  expect(await backfills()).toEqual([]);
});

it("threads whose person the platform does not name are not fetched", async () => {
  testEnv.advance(5 * HOUR);
  list(HOUR, []);
  await fixture.checkNow();
  expect(await backfills()).toEqual([]);
});

it("threads are compared from the same time by the next check, where the platform does not answer", async () => {
  const seenAt = (await fixture.readCheck())?.subscribedAt;
  testEnv.advance(5 * HOUR);
  fixture.answers.listThreads = { kind: "unknown" };
  await fixture.checkNow();
  expect((await fixture.readCheck())?.subscribedAt).toBe(seenAt);
  list(4 * HOUR);
  await fixture.checkNow();
  expect(await backfills()).toHaveLength(1);
});

it("threads that the platform refuses to list leave the account as it is, and are compared from the same time later", async () => {
  const seenAt = (await fixture.readCheck())?.subscribedAt;
  fixture.answers.listThreads = refusedCall();
  testEnv.advance(HOUR);
  await fixture.checkNow();
  expect(await fixture.read()).toMatchObject({ status: "active" });
  expect(testEnv.lines).toContainEqual(expect.objectContaining({ event: "threads.refused", code: 100 }));
  expect(await backfills()).toEqual([]);
  expect((await fixture.readCheck())?.subscribedAt).toBe(seenAt);
});

it("threads are compared every hour where the deployment says so", async () => {
  const hourly = () => fixture.newWorker({ checkInterval: HOUR });
  await fixture.passToCheck(hourly());
  fixture.takeCalls();
  for (let hour = 0; hour < 5; hour++) await fixture.passHour(hourly());
  expect(fixture.takeCalls().filter((call) => call === "listThreads")).toHaveLength(5);
});
