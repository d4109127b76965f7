import { beforeEach, describe, expect, it } from "vitest";
import type { TenantId } from "#base/kernel/tenant.ts";
import { MINUTE, SECOND } from "#base/kernel/time.ts";
import type { IngestPorts } from "#features/inbox/ports.ts";
import { currentText } from "#features/inbox/rules/messages.ts";
import { conversationStore } from "#features/inbox/store/conversations.ts";
import { type Fault, injectFaults } from "../../../../support/faults.ts";
import { FAULT_STEP, firstFault, injectFaultAt } from "../../../../support/flows/fault-injection.ts";
import { newConversation } from "../../../../support/flows/new-conversation.ts";
import {
  editEvent,
  ingestEvents,
  listFeed,
  type PlatformEvent,
  type PublishedEvent,
  reactionEvent,
  renderEventMessages,
  textEvent,
  unsendEvent,
} from "../../../../support/flows/platform-events.ts";
import { openTestEnv } from "../../../../support/flows/test-env.ts";
import { openedOnce } from "../../../../support/opened.ts";

const testEnv = openedOnce(openTestEnv);
const queues = openedOnce(() => testEnv.newQueues());

let tenant: TenantId;
let account: string;
let conversation: string;
let at: number;
const setUp = async () => {
  ({ tenant, account, conversation } = await newConversation(testEnv));
  at = testEnv.now() - MINUTE;
};
beforeEach(setUp);

async function ingestChanges(
  platformEvents: readonly PlatformEvent[],
  ports: IngestPorts = testEnv.ingestPorts(queues),
): Promise<PublishedEvent[]> {
  const { events: queuedEvents } = await ingestEvents(ports, account, platformEvents, testEnv.now());
  return renderEventMessages(testEnv, tenant, queuedEvents);
}
async function readSnapshot() {
  const conversations = conversationStore(testEnv.table);
  const head = await conversations.get(tenant, conversation, testEnv.now());
  return {
    text: head?.lastMessageText,
    pendingMessages: (await conversations.snapshots([conversation])).get(conversation)?.pendingMessageIds.size,
  };
}
const texts = async () => (await listFeed(testEnv, tenant)).map(currentText);

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

describe("a message whose row is stored before its head is advanced", () => {
  it("shows no text when it is unsent in between", async () => {
    await ingestChanges(
      [textEvent("m1", "secret", at)],
      pausingPorts(() => ingestChanges([unsendEvent("m1", at + 1)])),
    );
    expect([await texts(), await readSnapshot()]).toEqual([[], { text: "", pendingMessages: 0 }]);
  });

  it("shows the edit when it is edited in between", async () => {
    await ingestChanges(
      [textEvent("m1", "zzz", at)],
      pausingPorts(() => ingestChanges([editEvent("m1", "aaa", 1, at + 1)])),
    );
    expect([await texts(), await readSnapshot()]).toEqual([["aaa"], { text: "aaa", pendingMessages: 0 }]);
  });

  it("shows the later of two edits that arrive in between and overlap", async () => {
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
});

describe("a message and its change, where one is ingested at any point of the other", () => {
  const changes = {
    unsending: { of: () => unsendEvent("m1", at + 1), texts: [], text: "" },
    edit: { of: () => editEvent("m1", "aaa", 1, at + 1), texts: ["aaa"], text: "aaa" },
  };
  const cases = (["unsending", "edit"] as const).flatMap((change) =>
    (["message", "change"] as const).flatMap((outer) => [false, true].map((lagging) => ({ change, outer, lagging }))),
  );

  it.each(cases)(
    "end as if ingested one after the other: $change, within the $outer, the index lagging: $lagging",
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
        expect([await texts(), await readSnapshot()], `call ${k}`).toEqual([
          change.texts,
          { text: change.text, pendingMessages: 0 },
        ]);
        if (!reached) return;
      }
    },
  );
});

it("the head shows one of two messages with the same timestamp, and does not switch when that one is unsent", async () => {
  const both = [textEvent("m1", "one", at), textEvent("m2", "two", at)];
  await ingestChanges(both);
  const { text } = await readSnapshot();
  await ingestChanges([unsendEvent(text === "one" ? "m1" : "m2", at + 1)]);
  expect((await readSnapshot()).text).toBe("");
  await ingestChanges(both);
  expect((await readSnapshot()).text).toBe("");
});

describe("struck at any call", () => {
  const messageEvents = () => [
    textEvent("m1", "one", at),
    textEvent("m2", "two", at + 1),
    textEvent("m3", "three", at + 2),
  ];
  const scenes = {
    "changes of known messages": {
      before: messageEvents,
      struck: () => [
        editEvent("m1", "one!", 1, at + 3),
        unsendEvent("m3", at + 4),
        reactionEvent("m2", "react", at + 5),
      ],
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
    (["before", "lost"] as const).flatMap((faultPoint) =>
      Object.keys(scenes).map((name) => [name, faultPoint] as const),
    ),
  )("%s are complete after their webhook is redelivered (%s)", async (name, faultPoint) => {
    const fixture = scenes[name as keyof typeof scenes];
    for (let k = firstFault(faultPoint); ; k += FAULT_STEP) {
      await setUp();
      await ingestChanges(fixture.before());
      const injection = injectFaultAt(testEnv.clients, faultPoint, k);
      const first = await ingestChanges(fixture.struck()).catch(() => []);
      injection.remove();
      testEnv.advance(SECOND);
      const again = await ingestChanges(fixture.struck());
      if ("after" in fixture) await ingestChanges(fixture.after());
      expect(again.map(({ type }) => type).sort(), `call ${k}`).toEqual([...fixture.eventTypes]);
      if (first.length > 0) expect(again.map(({ ulid }) => ulid)).toEqual(first.map(({ ulid }) => ulid));
      expect(again.every(({ body }) => body !== null)).toBe(true);
      expect(await texts(), `call ${k}`).toEqual(fixture.texts);
      expect(await readSnapshot(), `call ${k}`).toEqual({ text: "", pendingMessages: 0 });
      if (!injection.reached()) {
        expect(k).toBeGreaterThanOrEqual(fixture.calls);
        return;
      }
    }
  });
});
