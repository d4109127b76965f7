import { beforeEach, expect, it } from "vitest";
import { SECOND } from "#base/kernel/time.ts";
import type { IngestPorts } from "#features/inbox/ports.ts";
import { currentText } from "#features/inbox/rules/messages.ts";
import { type Fault, injectFaults } from "../../../../support/faults.ts";
import { type ChangeFixture, openChangeFixture } from "../../../../support/flows/change-fixture.ts";
import { strikeEachCall } from "../../../../support/flows/fault-injection.ts";
import {
  editEvent,
  listFeed,
  type PlatformEvent,
  reactionEvent,
  textEvent,
  unsendEvent,
} from "../../../../support/flows/platform-events.ts";
import { openTestEnv } from "../../../../support/flows/test-env.ts";
import { openedOnce } from "../../../../support/opened.ts";

const testEnv = openedOnce(openTestEnv);
const queues = openedOnce(() => testEnv.newQueues());

let fixture: ChangeFixture;
let at: number;
const setUp = async () => {
  fixture = await openChangeFixture(testEnv, queues);
  ({ at } = fixture);
};
beforeEach(setUp);

const ingestChanges = (events: readonly PlatformEvent[], ports: IngestPorts = testEnv.ingestPorts(queues)) =>
  fixture.ingestWith(ports, ...events);
async function readSnapshot() {
  const { conversation, inboxPorts } = fixture;
  const head = await fixture.head();
  return {
    text: head?.lastMessageText,
    pendingMessages: (await inboxPorts.conversations.snapshots([conversation])).get(conversation)?.pendingMessageIds
      .size,
  };
}
const texts = async () => (await listFeed(testEnv, fixture.tenant)).map(currentText);

/** Ports that run an action between the write of the message's row and the write of the head. */
function pausingPorts(before: (apply: () => Promise<unknown>) => Promise<unknown>): IngestPorts {
  const ports = testEnv.ingestPorts(queues);
  const apply: typeof ports.conversations.advanceHead = async (...message) => {
    const pendingApply: { answer?: ReturnType<typeof ports.conversations.advanceHead> } = {};
    const go = () => {
      pendingApply.answer ??= ports.conversations.advanceHead(...message);
      return pendingApply.answer;
    };
    await before(go);
    return go();
  };
  return { ...ports, conversations: { ...ports.conversations, advanceHead: apply } };
}

it("a message whose row is stored before its head is advanced shows no text when it is unsent in between", async () => {
  await ingestChanges(
    [textEvent("m1", "secret", at)],
    pausingPorts(() => ingestChanges([unsendEvent("m1", at + 1)])),
  );
  expect([await texts(), await readSnapshot()]).toEqual([[], { text: "", pendingMessages: 0 }]);
});

it("a message whose row is stored before its head is advanced shows the edit when it is edited in between", async () => {
  await ingestChanges(
    [textEvent("m1", "zzz", at)],
    pausingPorts(() => ingestChanges([editEvent("m1", "aaa", 1, at + 1)])),
  );
  expect([await texts(), await readSnapshot()]).toEqual([["aaa"], { text: "aaa", pendingMessages: 0 }]);
});

it("a message whose row is stored before its head is advanced shows the later of two edits that arrive in between and overlap", async () => {
  const crossing = pausingPorts((applyFirst) => {
    // The first edit updates the head just before the second does.
    const second = pausingPorts(() => applyFirst());
    return ingestChanges([editEvent("m1", "two", 2, at + 2)], second);
  });
  await ingestChanges(
    [textEvent("m1", "zero", at)],
    pausingPorts(() => ingestChanges([editEvent("m1", "one", 1, at + 1)], crossing)),
  );
  expect([await texts(), await readSnapshot()]).toEqual([["two"], { text: "two", pendingMessages: 0 }]);
});

const changes = {
  unsending: { of: () => unsendEvent("m1", at + 1), texts: [], text: "" },
  edit: { of: () => editEvent("m1", "aaa", 1, at + 1), texts: ["aaa"], text: "aaa" },
};
const cases = (["unsending", "edit"] as const).flatMap((change) =>
  (["message", "change"] as const).flatMap((outer) => [false, true].map((lagging) => ({ change, outer, lagging }))),
);

it.each(cases)(
  "a message and its change end as if ingested one after the other: $change, within the $outer, the index lagging: $lagging",
  async (one) => {
    const change = changes[one.change];
    for (let k = 0; ; k++) {
      await setUp();
      const ports = testEnv.ingestPorts(queues);
      const changePorts = one.lagging
        ? { ...ports, messageChanges: { ...ports.messageChanges, find: async () => null } }
        : ports;
      const ingestMessage = () => ingestChanges([textEvent("m1", "zzz", at)]);
      const ingestChange = () => ingestChanges([change.of()], changePorts);
      const [outer, inner] = one.outer === "message" ? [ingestMessage, ingestChange] : [ingestChange, ingestMessage];
      let calls = 0;
      let reached = false;
      const end = injectFaults(testEnv.client, async (): Promise<Fault> => {
        if (calls++ !== k) return "pass";
        reached = true;
        await inner();
        return "pass";
      });
      await outer();
      end();
      if (!reached) await inner();
      expect([await texts(), await readSnapshot()]).toEqual([change.texts, { text: change.text, pendingMessages: 0 }]);
      if (!reached) return;
    }
  },
);

it("the head shows one of two messages with the same timestamp, and does not switch when that one is unsent", async () => {
  const both = [textEvent("m1", "one", at), textEvent("m2", "two", at)];
  await ingestChanges(both);
  const { text } = await readSnapshot();
  await ingestChanges([unsendEvent(text === "one" ? "m1" : "m2", at + 1)]);
  expect((await readSnapshot()).text).toBe("");
  await ingestChanges(both);
  expect((await readSnapshot()).text).toBe("");
});

const messageEvents = () => [
  textEvent("m1", "one", at),
  textEvent("m2", "two", at + 1),
  textEvent("m3", "three", at + 2),
];
const scenes = {
  "changes of known messages": {
    before: messageEvents,
    struck: () => [editEvent("m1", "one!", 1, at + 3), unsendEvent("m3", at + 4), reactionEvent("m2", "react", at + 5)],
    eventTypes: ["message.deleted", "message.edited", "message.reaction"],
    texts: ["two", "one!"],
    calls: 12,
  },
  "changes that come before their messages": {
    before: () => [textEvent("m1", "one", at)],
    struck: () => [editEvent("m2", "two!", 1, at + 3), unsendEvent("m3", at + 4)],
    after: messageEvents,
    eventTypes: ["message.deleted", "message.edited"],
    texts: ["two!", "one"],
    calls: 12,
  },
  "messages whose changes wait": {
    before: () => [editEvent("m2", "two!", 1, at + 3), unsendEvent("m3", at + 4)],
    struck: messageEvents,
    eventTypes: ["message.received", "message.received"],
    texts: ["two!", "one"],
    calls: 14,
  },
  "an unsending of what was edited": {
    before: () => [...messageEvents(), editEvent("m3", "three!", 1, at + 3)],
    struck: () => [unsendEvent("m3", at + 4)],
    eventTypes: ["message.deleted"],
    texts: ["two", "one"],
    calls: 8,
  },
} as const;

it.each(
  (["before", "lost"] as const).flatMap((faultPoint) => Object.keys(scenes).map((name) => [name, faultPoint] as const)),
)("%s, struck at any call, are complete after their webhook is redelivered (%s)", async (name, faultPoint) => {
  const scene = scenes[name as keyof typeof scenes];
  const calls = await strikeEachCall(testEnv, faultPoint, async (strike) => {
    await setUp();
    await ingestChanges(scene.before());
    const first = await strike.during(() => ingestChanges(scene.struck()).catch(() => []));
    testEnv.advance(SECOND);
    const again = await ingestChanges(scene.struck());
    if ("after" in scene) await ingestChanges(scene.after());
    expect(again.map(({ type }) => type).sort()).toEqual([...scene.eventTypes]);
    if (first.length > 0) expect(again.map(({ ulid }) => ulid)).toEqual(first.map(({ ulid }) => ulid));
    expect(again.every(({ body }) => body !== null)).toBe(true);
    expect(await texts()).toEqual(scene.texts);
    expect(await readSnapshot()).toEqual({ text: "", pendingMessages: 0 });
  });
  expect(calls).toBeGreaterThanOrEqual(scene.calls);
});
