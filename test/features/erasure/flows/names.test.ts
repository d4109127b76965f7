import { beforeEach, expect, it } from "vitest";
import { newUlid } from "#base/kernel/ids.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { MINUTE, SECOND } from "#base/kernel/time.ts";
import { conversationStore } from "#features/inbox/store/conversations.ts";
import { messageStore } from "#features/inbox/store/messages.ts";
import { profileStore } from "#features/inbox/store/profiles.ts";
import { completeSend } from "#features/sending/flows/settle.ts";
import { ingestEvents, textEvent } from "../../../support/flows/platform-events.ts";
import { useConversation } from "./support/erased-conversations.ts";

// No message from after an erasure has names that were read before it.

const { eraseNow, queues, testEnv, world } = useConversation();
let tenant: TenantId;
let account: string;
let conversation: string;
beforeEach(async () => {
  ({ tenant, account, conversation } = world);
  await ingestEvents(testEnv.ingestPorts(queues), account, [textEvent("m1", "before", testEnv.now())], testEnv.now());
  const profile = { state: "complete", handle: "Ada", username: "ada", name: null, picture: null } as const;
  await profileStore(testEnv.table).save(conversation, profile, testEnv.now());
  testEnv.advance(SECOND);
});

const messageNames = async (id: string) => {
  const message = await messageStore(testEnv.table).getById(tenant, id, testEnv.now());
  return message && [message.participant.handle, message.participant.username];
};

it("a conversation has the person's name as long as nothing is erased", async () => {
  await ingestEvents(testEnv.ingestPorts(queues), account, [textEvent("m2", "again", testEnv.now())], testEnv.now());
  expect(await messageNames("m2")).toEqual(["Ada", "ada"]);
});

it("a message that arrives during the erasure has no name from before, even when its worker crashes first", async () => {
  const ports = testEnv.ingestPorts(queues);
  const { snapshots } = ports.conversations;
  const late = {
    ...ports.conversations,
    snapshots: async (...args: Parameters<typeof snapshots>) => {
      const before = await snapshots(...args);
      await eraseNow();
      testEnv.advance(SECOND);
      return before;
    },
  };
  const dying = { ...late, advanceHead: () => Promise.reject(new Error("died")) };
  const at = testEnv.now() + MINUTE;
  const ingestMessage = (id: string, conversations = ports.conversations, sentAt = at) =>
    ingestEvents({ ...ports, conversations }, account, [textEvent(id, "after", sentAt)], testEnv.now());
  await expect(ingestMessage("m2", dying as never)).rejects.toThrow("died");
  expect(await messageNames("m2")).toEqual(["Ada", "ada"]);
  await ingestMessage("m2");
  expect(await messageNames("m2")).toEqual([null, null]);
  // The erasure's time is that of the newest message it found.
  await ingestMessage("m3", late, at + SECOND);
  expect(await messageNames("m3")).toEqual([null, null]);
});

it("a reply that was planned before the erasure has no name from before", async () => {
  const head = await conversationStore(testEnv.table).get(tenant, conversation, testEnv.now());
  if (!head) throw new Error("There is no head.");
  expect(head.participantHandle).toBe("Ada");
  await eraseNow();
  testEnv.advance(SECOND);
  await ingestEvents(testEnv.ingestPorts(queues), account, [textEvent("m2", "after", testEnv.now())], testEnv.now());
  testEnv.advance(SECOND);
  const ports = testEnv.apiPorts(queues);
  const startedAt = testEnv.now();
  const send = {
    id: newUlid(startedAt),
    content: "hash",
    via: "api_in_window",
    actorId: null,
    holdId: null,
    replyTo: null,
    scope: "live",
  } as const;
  await ports.sendRecords.start(conversation, send, startedAt);
  const content = { kind: "text", text: "yes" } as const;
  await completeSend(ports, { tenant, head, send, content, startedAt, shards: 1 }, "m3");
  expect(await messageNames("m3")).toEqual([null, null]);
});
