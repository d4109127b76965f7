import { beforeEach, describe, expect, it } from "vitest";
import { startRequestTime } from "#base/kernel/request-time.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { DAY, HOUR, MINUTE, SECOND } from "#base/kernel/time.ts";
import { noRemovals } from "#features/erasure/rules/erasures.ts";
import { headAttributes } from "#features/inbox/store/attributes.ts";
import { messageStore } from "#features/inbox/store/messages.ts";
import { sendReply } from "#features/sending/flows/reply.ts";
import type { Platform } from "#platforms/graph/platform.ts";
import { allRows, putEndpointRow, tenantCaller } from "../../../support/flows/data-subject.ts";
import {
  editEvent,
  ingestEvents,
  type PlatformEvent,
  reactionEvent,
  renderEventMessages,
  textEvent,
  unsendEvent,
} from "../../../support/flows/platform-events.ts";
import { forEachFreezePoint, runFrozen } from "../../../support/processes/frozen-process.ts";
import { sampleMessage } from "../../../support/stores/samples.ts";
import { recordAttempt, useConversation } from "./support/erased-conversations.ts";

const { drain, eraseNow, expectErased, partition, queues, sortKeyKinds, testEnv, world } = useConversation();
let tenant: TenantId;
let account: string;
let conversation: string;
beforeEach(() => {
  ({ tenant, account, conversation } = world);
});

/** Ingests webhooks in a new process. @returns the types of the queued events */
async function ingestAndRender(...platformEvents: PlatformEvent[]): Promise<string[]> {
  const { events: queuedEvents } = await ingestEvents(
    testEnv.ingestPorts(queues),
    account,
    platformEvents,
    testEnv.now(),
  );
  return (await renderEventMessages(testEnv, tenant, queuedEvents)).map(({ type }) => type);
}

const rowsContaining = async (text: string) =>
  (await allRows(testEnv)).filter((row) => JSON.stringify(row).includes(tenant) && JSON.stringify(row).includes(text));

const changeEvents: Record<string, (mid: string, at: number) => PlatformEvent> = {
  edit: (mid, at) => editEvent(mid, "canary", 1, at),
  unsending: (mid, at) => unsendEvent(mid, at),
  reaction: (mid, at) => reactionEvent(mid, "react", at),
};

describe.each(Object.entries(changeEvents))(
  "the %s, after the erasure, of a message from before it",
  (_kind, change) => {
    it("a change is dropped during the erasure, before and after its message is removed", async () => {
      await ingestAndRender(textEvent("m1", "before", testEnv.now()));
      expect(await ingestAndRender(change("m1", testEnv.now()))).toHaveLength(1);
      testEnv.advance(SECOND);
      expect(await eraseNow(0)).toMatchObject({ done: false });
      testEnv.advance(SECOND);
      expect(await ingestAndRender(change("m1", testEnv.now()))).toEqual([]);
      await eraseNow();
      expect(await ingestAndRender(change("m1", testEnv.now()))).toEqual([]);
      expect((await partition()).map(({ SK }) => SK)).toEqual(["~HEAD"]);
      await expectErased();
    });

    it("a change is dropped after the erasure while the marker exists, in both directions", async () => {
      await ingestAndRender(
        textEvent("m1", "before", testEnv.now()),
        textEvent("e1", "ours", testEnv.now(), { fromAccount: true }),
      );
      await eraseNow();
      const erasedAt = testEnv.now();
      await drain();
      for (const at of [testEnv.now(), erasedAt + 7 * DAY + HOUR - 1]) {
        testEnv.advance(at - testEnv.now());
        expect(await ingestAndRender(change("m1", at), change("e1", at))).toEqual([]);
        expect(await partition()).toEqual([]);
      }
    });

    it("an old change is dropped after a new conversation has started, whose messages may still change", async () => {
      await ingestAndRender(textEvent("m1", "before", testEnv.now()));
      await eraseNow();
      testEnv.advance(SECOND);
      await ingestAndRender(textEvent("m2", "after", testEnv.now()));
      expect(await ingestAndRender(change("m1", testEnv.now()), change("m2", testEnv.now()))).toHaveLength(1);
      await drain();
      expect(await ingestAndRender(change("m1", testEnv.now() + 1), change("m2", testEnv.now() + 1))).toHaveLength(1);
    });
  },
);

describe.each(Object.entries(changeEvents))(
  "the %s of a message from before the erasure that arrived after it",
  (_kind, change) => {
    it.each([
      ["during the erasure", false],
      ["when the erasure is over", true],
    ])("a change is dropped like its late message, %s", async (_when, over) => {
      await ingestAndRender(textEvent("m1", "before", testEnv.now()));
      const writtenAt = testEnv.now() + 1;
      testEnv.advance(SECOND);
      await eraseNow();
      if (over) await drain();
      const late = [textEvent("m2", "canary", writtenAt), textEvent("e2", "canary", writtenAt, { fromAccount: true })];
      expect(await ingestAndRender(...late)).toEqual([]);
      testEnv.advance(MINUTE);
      expect(await ingestAndRender(change("m2", testEnv.now()), change("e2", testEnv.now()))).toEqual([]);
      expect(await rowsContaining("canary")).toEqual([]);
      await drain();
      testEnv.advance(7 * DAY);
      expect(await ingestAndRender(change("m2", testEnv.now()), change("e2", testEnv.now()))).toEqual([]);
      expect(await partition()).toEqual([]);
    });
  },
);

it.each(Object.entries(changeEvents))(
  "the %s of a stored message is erased with it, when the platform's clock is ahead of ours",
  async (_kind, change) => {
    await ingestAndRender(textEvent("m1", "before", testEnv.now()), change("m1", testEnv.now() + 2 * SECOND));
    testEnv.advance(1);
    expect(await eraseNow()).toMatchObject({ done: true, removed: { markers: 1 } });
    expect((await partition()).map(({ SK }) => SK)).toEqual(["~HEAD"]);
    expect((await allRows(testEnv)).filter(({ PK }) => PK.startsWith(`E#${tenant}`))).toEqual([]);
  },
);

const removed = { ...noRemovals, markers: 2, deliveries: 1 };

/** @returns the conversation's rows without its head */
async function strange(): Promise<string[]> {
  const { events: queuedEvents } = await ingestEvents(
    testEnv.ingestPorts(queues),
    account,
    [editEvent("m-never", "canary", 1, testEnv.now())],
    testEnv.now(),
  );
  const [rendered] = await renderEventMessages(testEnv, tenant, queuedEvents);
  const endpointId = await putEndpointRow(testEnv, tenant, "one");
  await recordAttempt(testEnv, { tenant, endpointId, eventUlid: rendered?.ulid ?? "" }, "message.edited");
  expect(await rowsContaining("canary")).toHaveLength(2);
  return sortKeyKinds();
}

it("the change of a message that never arrived is erased and counted without a conversation, and nothing is left", async () => {
  expect(await strange()).toEqual(["C#", "E#", "~H"]);
  testEnv.advance(SECOND);
  expect(await eraseNow()).toEqual({ done: true, removed });
  expect(await rowsContaining("canary")).toEqual([]);
  expect(await eraseNow()).toEqual({ done: true, removed: noRemovals });
  await expectErased();
  const deliveries = (await allRows(testEnv)).filter(({ PK }) => PK.startsWith(`D#${tenant}`));
  expect(deliveries).toEqual([]);
  expect(await eraseNow()).toEqual({ done: true, removed: noRemovals });
  await drain();
  testEnv.advance(7 * DAY + HOUR + SECOND);
  expect(await eraseNow()).toMatchObject({ refused: "conversation_not_found" });
});

it.each([
  ["before its last pass", false],
  ["when it is over", true],
])("the change of a message that never arrived is erased after an earlier erasure too, %s", async (_when, over) => {
  await ingestAndRender(textEvent("m1", "before", testEnv.now()));
  await eraseNow();
  if (over) await drain();
  else testEnv.advance(2 * MINUTE);
  await strange();
  expect(await eraseNow()).toEqual({ done: true, removed });
  expect(await rowsContaining("canary")).toEqual([]);
  await expectErased();
});

it("the change of a message that never arrived is not counted by a repeated call, and the last pass removes late rows", async () => {
  const at = testEnv.now();
  await ingestAndRender(textEvent("m1", "before", at));
  await eraseNow();
  await messageStore(testEnv.table).record(
    tenant,
    sampleMessage(tenant, { id: "late", conversationId: conversation, sentAt: at }),
    at,
  );
  expect(await eraseNow()).toEqual({ done: true, removed: noRemovals });
  await expectErased();
});

it("the change of a message that never arrived is erased too when it is stamped ahead of our clock", async () => {
  await ingestAndRender(editEvent("m-never", "canary", 1, testEnv.now() + MINUTE));
  expect(await eraseNow()).toMatchObject({ removed: { markers: 2 } });
  expect(await rowsContaining("canary")).toEqual([]);
});

it("the change of a message that never arrived is erased after its 7 days while the table still stores it, and not found once it is gone", async () => {
  await strange();
  testEnv.advance(7 * DAY + SECOND);
  expect(await eraseNow()).toMatchObject({ done: true, removed: { conversation: 0 } });
  expect(await rowsContaining("canary")).toEqual([]);
  await drain();
  testEnv.advance(7 * DAY + HOUR + SECOND);
  expect(await eraseNow()).toMatchObject({ refused: "conversation_not_found" });
});

it("the change of a message that never arrived is applied when its message arrives, after an erasure too", async () => {
  await ingestAndRender(textEvent("m1", "before", testEnv.now()));
  await eraseNow();
  await drain();
  expect(await ingestAndRender(editEvent("m2", "canary", 1, testEnv.now()))).toEqual(["message.edited"]);
  await ingestAndRender(textEvent("m2", "first words", testEnv.now() - 1));
  const [message] = (await partition()).filter(({ SK }) => SK.startsWith("M#"));
  expect(message).toMatchObject({ t: "first words", et: "canary" });
});

describe.each(Object.entries(changeEvents).filter(([kind]) => kind !== "reaction"))(
  "the %s, after the erasure, that arrived before its message",
  (kind, change) => {
    /** The erasure of a conversation with one message. @returns a time before it */
    async function eraseBefore(over: boolean): Promise<number> {
      await ingestAndRender(textEvent("m1", "before", testEnv.now()));
      const before = testEnv.now() + 1;
      testEnv.advance(SECOND);
      await eraseNow();
      if (over) await drain();
      testEnv.advance(SECOND);
      return before;
    }

    it.each([
      ["during the erasure", false],
      ["when the erasure is over", true],
    ])("an early change is removed when its message arrives and is dropped, %s", async (_when, over) => {
      const before = await eraseBefore(over);
      const at = testEnv.now();
      expect(await ingestAndRender(change("m2", at))).toHaveLength(1);
      if (kind === "edit") await ingestAndRender(editEvent("m2", "canary again", 2, at + 1));
      await ingestAndRender(change("e2", at));
      const late = [textEvent("m2", "canary", before), textEvent("e2", "canary", before, { fromAccount: true })];
      expect(await ingestAndRender(...late)).toEqual([]);
      expect((await partition()).map(({ SK }) => SK)).toEqual(["~HEAD"]);
      expect((await partition())[0]).not.toHaveProperty(headAttributes.pendingMessages);
      expect((await allRows(testEnv)).filter(({ PK }) => PK.startsWith(`E#${tenant}`))).toEqual([]);
      expect(await ingestAndRender(change("m2", at), change("e2", at))).toEqual([]);
    });

    it("an early change is removed by its own process, when its message is dropped between any two of its writes", async () => {
      const before = await eraseBefore(true);
      const at = testEnv.now();
      const eventBodies = async () => (await allRows(testEnv)).filter(({ PK }) => PK.startsWith(`E#${tenant}`));
      const calls = await forEachFreezePoint(async (point) => {
        const mid = `m-${point.call}-${point.when}`;
        const run = await runFrozen(testEnv.ingestPorts(queues), point, {
          work: (ports) => ingestEvents(ports, account, [change(mid, at)], at),
          whileFrozen: () => ingestAndRender(textEvent(mid, "canary", before)),
        });
        const left = (await partition()).filter((row) => row.SK !== "~HEAD" || headAttributes.pendingMessages in row);
        if (run.reached) expect.soft([point, await eventBodies(), left]).toEqual([point, [], []]);
        return run;
      });
      expect(calls).toBeGreaterThan(8);
    });
  },
);

/** Erases during the platform call. @param echoed whether the echo arrives before the response */
async function reply(echoed: boolean): Promise<void> {
  await ingestAndRender(textEvent("m1", "before", testEnv.now()));
  testEnv.advance(SECOND);
  const startedAt = testEnv.now();
  const platform = {
    textTooLong: () => false,
    send: async () => {
      testEnv.advance(SECOND);
      await eraseNow();
      testEnv.advance(SECOND);
      if (echoed) await ingestAndRender(textEvent("r1", "canary", testEnv.now(), { fromAccount: true }));
      return { kind: "accepted", messageId: "r1" };
    },
  } as unknown as Platform;
  const ports = { ...testEnv.apiPorts(queues), platformFor: async () => platform };
  const request = { conversationId: conversation, text: "canary", replyTo: null };
  expect(
    await sendReply(ports, { caller: tenantCaller(tenant), reply: request, time: startRequestTime(() => startedAt) }),
  ).toMatchObject({ messageId: "r1" });
}

it("an Instagram reply that started before the erasure and whose echo is stamped after it leaves nothing when the response arrives first", async () => {
  await reply(false);
  expect(await ingestAndRender(textEvent("r1", "canary", testEnv.now(), { fromAccount: true }))).toEqual([]);
  await expectErased();
});

it("an Instagram reply that started before the erasure and whose echo is stamped after it starts a new conversation when the echo arrives first, which a repeated call erases", async () => {
  await reply(true);
  expect(await rowsContaining("canary")).not.toEqual([]);
  expect(await eraseNow()).toMatchObject({ done: true, removed: { conversation: 1, messages: 1 } });
  expect(await rowsContaining("canary")).toEqual([]);
});
