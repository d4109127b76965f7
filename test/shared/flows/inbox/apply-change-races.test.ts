import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { shownText } from "../../../../shared/domain/inbox/messages.ts";
import type { IngestPorts } from "../../../../shared/flows/ports.ts";
import type { TenantId } from "../../../../shared/kernel/tenant.ts";
import { MINUTE, SECOND } from "../../../../shared/kernel/time.ts";
import { conversationStore } from "../../../../shared/stores/inbox/conversations.ts";
import { type Fault, injectFaults } from "../../../support/faults.ts";
import {
  edited,
  feedOf,
  type Happening,
  ingestOf,
  reacted,
  said,
  type Told,
  toldIn,
  unsent,
} from "../support/changes.ts";
import { type House, type Lane, openHouse } from "../support/house.ts";
import { newConversation } from "../support/new-conversation.ts";
import { strikeAt } from "../support/strikes.ts";

let house: House;
let lane: Lane;
beforeAll(async () => {
  house = await openHouse();
  lane = await house.newLane();
});
afterAll(() => house.close());

let tenant: TenantId;
let account: string;
let conversation: string;
let at: number;
const begin = async () => {
  ({ tenant, account, conversation } = await newConversation(house));
  at = house.now() - MINUTE;
};
beforeEach(begin);

async function take(happenings: readonly Happening[], ports: IngestPorts = house.ingestPorts(lane)): Promise<Told[]> {
  const { announcements } = await ingestOf(ports, account, happenings, house.now());
  return toldIn(house, tenant, announcements);
}
async function glimpse() {
  const conversations = conversationStore(house.table);
  const head = await conversations.get(tenant, conversation, house.now());
  return {
    text: head?.lastMessageText,
    awaited: (await conversations.peek([conversation])).get(conversation)?.awaited.size,
  };
}
const texts = async () => (await feedOf(house, tenant)).map(shownText);

/** Ports that do something between the message's row and its conversation's head. */
function pausing(before: (apply: () => Promise<unknown>) => Promise<unknown>): IngestPorts {
  const ports = house.ingestPorts(lane);
  const apply: typeof ports.conversations.apply = async (...message) => {
    const held: { answer?: ReturnType<typeof ports.conversations.apply> } = {};
    const go = () => {
      held.answer ??= ports.conversations.apply(...message);
      return held.answer;
    };
    await before(go);
    return go();
  };
  return { ...ports, conversations: { ...ports.conversations, apply } };
}

describe("a message whose row is there while its head is still to come", () => {
  it("shows nothing when it is unsent in between", async () => {
    await take(
      [said("m1", "secret", at)],
      pausing(() => take([unsent("m1", at + 1)])),
    );
    expect([await texts(), await glimpse()]).toEqual([[], { text: "", awaited: 0 }]);
  });

  it("shows its edit when it is edited in between", async () => {
    await take(
      [said("m1", "zzz", at)],
      pausing(() => take([edited("m1", "aaa", 1, at + 1)])),
    );
    expect([await texts(), await glimpse()]).toEqual([["aaa"], { text: "aaa", awaited: 0 }]);
  });

  it("shows the later of two edits that both come in between, and cross each other", async () => {
    const crossing = pausing((applyFirst) => {
      // The second is about to bring the head up to its text, when the first does with its own.
      const second = pausing(() => applyFirst());
      return take([edited("m1", "two", 2, at + 2)], second);
    });
    await take(
      [said("m1", "zero", at)],
      pausing(() => take([edited("m1", "one", 1, at + 1)], crossing)),
    );
    expect([await texts(), await glimpse()]).toEqual([["two"], { text: "two", awaited: 0 }]);
  });
});

describe("a message and its change, of which one is taken whole at any moment of the other", () => {
  const changes = {
    unsending: { of: () => unsent("m1", at + 1), texts: [], text: "" },
    edit: { of: () => edited("m1", "aaa", 1, at + 1), texts: ["aaa"], text: "aaa" },
  };
  const cases = (["unsending", "edit"] as const).flatMap((change) =>
    (["message", "change"] as const).flatMap((outer) => [false, true].map((lagging) => ({ change, outer, lagging }))),
  );

  it.each(cases)("end as one after the other: $change, within the $outer, the index lagging: $lagging", async (one) => {
    const change = changes[one.change];
    for (let k = 0; ; k++) {
      await begin();
      const ports = house.ingestPorts(lane);
      const changePorts = one.lagging
        ? { ...ports, messageChanges: { ...ports.messageChanges, find: async () => null } }
        : ports;
      const takeMessage = () => take([said("m1", "zzz", at)]);
      const takeChange = () => take([change.of()], changePorts);
      const [outer, inner] = one.outer === "message" ? [takeMessage, takeChange] : [takeChange, takeMessage];
      let calls = 0;
      let reached = false;
      const end = injectFaults(house.client, async (): Promise<Fault> => {
        if (calls++ !== k) return "pass";
        reached = true;
        await inner();
        return "pass";
      });
      await outer();
      end();
      if (!reached) await inner();
      expect([await texts(), await glimpse()], `call ${k}`).toEqual([change.texts, { text: change.text, awaited: 0 }]);
      if (!reached) return;
    }
  });
});

it("the head shows one of two messages of one instant, and not the other when that one is unsent", async () => {
  const both = [said("m1", "one", at), said("m2", "two", at)];
  await take(both);
  const { text } = await glimpse();
  await take([unsent(text === "one" ? "m1" : "m2", at + 1)]);
  expect((await glimpse()).text).toBe("");
  await take(both);
  expect((await glimpse()).text).toBe("");
});

describe("struck at any call", () => {
  const known = () => [said("m1", "one", at), said("m2", "two", at + 1), said("m3", "three", at + 2)];
  const scenes = {
    "changes of known messages": {
      before: known,
      struck: () => [edited("m1", "one!", 1, at + 3), unsent("m3", at + 4), reacted("m2", "react", at + 5)],
      tells: ["message.deleted", "message.edited", "message.reaction"],
      texts: ["two", "one!"],
      calls: 12,
    },
    "changes that come before their messages": {
      before: () => [said("m1", "one", at)],
      struck: () => [edited("m2", "two!", 1, at + 3), unsent("m3", at + 4)],
      after: known,
      tells: ["message.deleted", "message.edited"],
      texts: ["two!", "one"],
      calls: 12,
    },
    "messages whose changes wait": {
      before: () => [edited("m2", "two!", 1, at + 3), unsent("m3", at + 4)],
      struck: known,
      tells: ["message.received", "message.received"],
      texts: ["two!", "one"],
      calls: 14,
    },
    "an unsending of what was edited": {
      before: () => [...known(), edited("m3", "three!", 1, at + 3)],
      struck: () => [unsent("m3", at + 4)],
      tells: ["message.deleted"],
      texts: ["two", "one"],
      calls: 8,
    },
  } as const;

  it.each(
    (["before", "lost"] as const).flatMap((strike) => Object.keys(scenes).map((name) => [name, strike] as const)),
  )("%s end whole when their webhook comes again (%s)", async (name, strike) => {
    const scene = scenes[name as keyof typeof scenes];
    for (let k = 0; ; k++) {
      await begin();
      await take(scene.before());
      const struck = strikeAt(house.clients, strike, k);
      const first = await take(scene.struck()).catch(() => []);
      struck.end();
      house.turn(SECOND);
      const again = await take(scene.struck());
      if ("after" in scene) await take(scene.after());
      expect(again.map(({ type }) => type).sort(), `call ${k}`).toEqual([...scene.tells]);
      if (first.length > 0) expect(again.map(({ ulid }) => ulid)).toEqual(first.map(({ ulid }) => ulid));
      expect(again.every(({ body }) => body !== null)).toBe(true);
      expect(await texts(), `call ${k}`).toEqual(scene.texts);
      expect(await glimpse(), `call ${k}`).toEqual({ text: "", awaited: 0 });
      if (!struck.reached()) {
        expect(k).toBeGreaterThanOrEqual(scene.calls);
        return;
      }
    }
  });
});
