import { expect, it } from "vitest";
import { HOUR, SECOND } from "#base/kernel/time.ts";
import { readConversationId } from "#features/inbox/rules/messages.ts";
import { decodeRealtime, type RealtimeMessage } from "#features/realtime/queue.ts";
import { handOverWorker } from "../../../../../functions/hand-over/worker.ts";
import { faultPoints, strikeEachCall } from "../../../../support/flows/fault-injection.ts";
import { openHoldFixture } from "../../../../support/flows/hold-fixture.ts";
import { receiveAllMessages, runUntilEmpty } from "../../../../support/flows/queue-worker.ts";
import { refusedWith } from "../../../../support/flows/reply-fixture.ts";
import { openTestEnv, type TestQueues } from "../../../../support/flows/test-env.ts";
import { openedOnce } from "../../../../support/opened.ts";
import { openStores } from "../../../../support/stores/open-stores.ts";
import { openHandOverFixture } from "../../../uploads/flows/support/hand-over-fixture.ts";

// What the flows that change held messages and uploads queue for the sockets of their tenant.

const testEnv = openedOnce(openTestEnv);

const requested = async (queues: Pick<TestQueues, "realtime">): Promise<(RealtimeMessage | null)[]> =>
  (await receiveAllMessages(testEnv.eventSource, queues.realtime)).map(({ body }) => decodeRealtime(body));

it("an upload that ended is requested once its end is stored, for a tenant with sockets", async () => {
  const fixture = await openHandOverFixture(testEnv);
  const { tenant, account, queues } = fixture;
  await fixture.newUpload();
  await fixture.run();
  expect(await requested(queues)).toEqual([]);

  await fixture.accounts.markSockets(tenant, account, testEnv.now() + HOUR);
  const id = await fixture.newUpload();
  await fixture.run();
  expect(await requested(queues)).toMatchObject([{ tenant, kind: "upload", uploadId: id }]);
});

it.each(faultPoints)("an upload that ended is requested despite a fault (%s) at any call", async (faultPoint) => {
  await strikeEachCall(testEnv, faultPoint, async (strike) => {
    const fixture = await openHandOverFixture(testEnv);
    const { tenant, account, queues } = fixture;
    await fixture.accounts.markSockets(tenant, account, testEnv.now() + HOUR);
    const id = await fixture.newUpload();
    await strike.invoke(fixture.queueUrl, handOverWorker(fixture.ports(), testEnv.now), 120_000);
    await runUntilEmpty(testEnv, fixture.queueUrl, fixture.run, { wait: 721 * SECOND });
    expect(await requested(queues)).toContainEqual(expect.objectContaining({ kind: "upload", uploadId: id }));
  });
});

it("a slow failure of an upload and of a held message is requested for a socket that opened during it", async () => {
  const { accounts } = openStores(testEnv.table);
  const refused = refusedWith({ class: "permission" });
  const uploads = await openHandOverFixture(testEnv);
  uploads.setAnswer(async () => {
    testEnv.advance(3 * SECOND);
    await accounts.markSockets(uploads.tenant, uploads.account, testEnv.now() + HOUR);
    return refused;
  });
  const id = await uploads.newUpload();
  await uploads.run();
  expect(await requested(uploads.queues)).toMatchObject([{ kind: "upload", uploadId: id }]);

  const holds = await openHoldFixture(testEnv);
  const { account } = readConversationId(holds.conversation) ?? expect.unreachable();
  holds.setPlatformResponse(async () => {
    testEnv.advance(3 * SECOND);
    await accounts.markSockets(holds.tenant, account, testEnv.now() + HOUR);
    return refused;
  });
  const hold = await holds.newHold();
  await holds.complete(hold);
  expect(await requested(holds.queues)).toMatchObject([{ kind: "hold", holdId: hold.id }]);
});

it("a held message is requested when it is created, while it is sent and when it was sent or refused", async () => {
  const fixture = await openHoldFixture(testEnv);
  const { tenant, queues } = fixture;
  const { accounts } = openStores(testEnv.table);
  const { account } = readConversationId(fixture.conversation) ?? expect.unreachable();
  const unseen = await fixture.newHold();
  await fixture.complete(unseen);
  expect(await requested(queues)).toEqual([]);

  await accounts.markSockets(tenant, account, testEnv.now() + HOUR);
  const hold = await fixture.newHold();
  expect(await requested(queues)).toMatchObject([{ tenant, kind: "hold", holdId: hold.id }]);
  await fixture.complete(hold);
  expect(await requested(queues)).toMatchObject([{ holdId: hold.id }, { holdId: hold.id }]);

  const refused = await fixture.newHold();
  await requested(queues);
  const ports = fixture.checkPagePorts();
  const get: typeof ports.accounts.get = async (...values) => {
    const current = await ports.accounts.get(...values);
    return current && { ...current, status: "restricted", retryAt: testEnv.now() + HOUR };
  };
  await fixture.complete(refused, { ...ports, accounts: { ...ports.accounts, get } });
  expect(await requested(queues)).toMatchObject([{ kind: "hold", holdId: refused.id }]);
});
