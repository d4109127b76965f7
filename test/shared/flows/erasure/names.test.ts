import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { keepSent } from "../../../../shared/flows/sending/complete.ts";
import { newUlid } from "../../../../shared/kernel/ids.ts";
import type { TenantId } from "../../../../shared/kernel/tenant.ts";
import { MINUTE, SECOND } from "../../../../shared/kernel/time.ts";
import { conversationStore } from "../../../../shared/stores/inbox/conversations.ts";
import { messageStore } from "../../../../shared/stores/inbox/messages.ts";
import { profileStore } from "../../../../shared/stores/inbox/profiles.ts";
import { ingestOf, said } from "../support/changes.ts";
import { erase } from "../support/erasing.ts";
import { type House, type Lane, openHouse } from "../support/house.ts";
import { newConversation } from "../support/new-conversation.ts";

// What was learned of a person before an erasure is on no message from after it, whoever had looked just before.

let house: House;
let lane: Lane;
let tenant: TenantId;
let account: string;
let conversation: string;
beforeAll(async () => {
  house = await openHouse();
  lane = await house.newLane();
});
afterAll(() => house.close());
beforeEach(async () => {
  ({ tenant, account, conversation } = await newConversation(house));
  await ingestOf(house.ingestPorts(lane), account, [said("m1", "before", house.now())], house.now());
  const profile = { state: "complete", handle: "Ada", username: "ada", picture: null } as const;
  await profileStore(house.table).keep(conversation, profile, house.now());
  house.turn(SECOND);
});

const eraseNow = () => erase(house, lane, { tenant, conversation });
const named = async (id: string) => {
  const message = await messageStore(house.table).byId(tenant, id, house.now());
  return message && [message.participant.handle, message.participant.username];
};

it("names it as long as nothing is erased", async () => {
  await ingestOf(house.ingestPorts(lane), account, [said("m2", "again", house.now())], house.now());
  expect(await named("m2")).toEqual(["Ada", "ada"]);
});

it("a message that comes with the erasure, also where its worker dies at first", async () => {
  const ports = house.ingestPorts(lane);
  const { peek } = ports.conversations;
  const late = {
    ...ports.conversations,
    peek: async (...of: Parameters<typeof peek>) => {
      const glimpses = await peek(...of);
      await eraseNow();
      house.turn(SECOND);
      return glimpses;
    },
  };
  const dying = { ...late, apply: () => Promise.reject(new Error("died")) };
  const at = house.now() + MINUTE;
  const come = (id: string, conversations = ports.conversations, sentAt = at) =>
    ingestOf({ ...ports, conversations }, account, [said(id, "after", sentAt)], house.now());
  await expect(come("m2", dying as never)).rejects.toThrow("died");
  expect(await named("m2")).toEqual(["Ada", "ada"]);
  await come("m2");
  expect(await named("m2")).toEqual([null, null]);
  // The erasure is as new as the newest message that it found.
  await come("m3", late, at + SECOND);
  expect(await named("m3")).toEqual([null, null]);
});

it("a reply that was planned before it", async () => {
  const head = await conversationStore(house.table).get(tenant, conversation, house.now());
  if (!head) throw new Error("There is no head.");
  expect(head.participantHandle).toBe("Ada");
  await eraseNow();
  house.turn(SECOND);
  await ingestOf(house.ingestPorts(lane), account, [said("m2", "after", house.now())], house.now());
  house.turn(SECOND);
  const ports = house.apiPorts(lane);
  const begunAt = house.now();
  const send = {
    id: newUlid(begunAt),
    content: "hash",
    via: "api_in_window",
    actorId: null,
    holdId: null,
    replyTo: null,
    scope: "live",
  } as const;
  await ports.sendRecords.begin(conversation, send, begunAt);
  const content = { kind: "text", text: "yes" } as const;
  await keepSent(ports, { tenant, head, send, content, begunAt, shards: 1 }, "m3");
  expect(await named("m3")).toEqual([null, null]);
});
