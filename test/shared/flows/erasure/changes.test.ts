import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { nothingRemoved } from "../../../../shared/domain/erasure/erasures.ts";
import { sendReply } from "../../../../shared/flows/sending/reply.ts";
import type { TenantId } from "../../../../shared/kernel/tenant.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../../../../shared/kernel/time.ts";
import type { Platform } from "../../../../shared/platforms/platform.ts";
import { deliveryStore } from "../../../../shared/stores/delivery/deliveries.ts";
import { messageStore } from "../../../../shared/stores/inbox/messages.ts";
import { messageOf } from "../../stores/support/samples.ts";
import { edited, type Happening, ingestOf, reacted, said, toldIn, unsent } from "../support/changes.ts";
import { allRows, callerOf, endpointRow, erase, untilErased } from "../support/erasing.ts";
import { type House, type Lane, openHouse } from "../support/house.ts";
import { newConversation } from "../support/new-conversation.ts";

let house: House;
let lane: Lane;
let tenant: TenantId;
let account: string;
let conversation: string;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());
beforeEach(async () => {
  lane = await house.newLane();
  ({ tenant, account, conversation } = await newConversation(house));
});

/** Takes webhooks as a process of its own would. @returns the types of what is to be announced */
async function comes(...happenings: Happening[]): Promise<string[]> {
  const { announcements } = await ingestOf(house.ingestPorts(lane), account, happenings, house.now());
  return (await toldIn(house, tenant, announcements)).map(({ type }) => type);
}

const eraseNow = (pages?: number) => erase(house, lane, { tenant, conversation }, pages);
const partition = async () => (await allRows(house)).filter(({ PK }) => PK === conversation);
const tellingOf = async (text: string) =>
  (await allRows(house)).filter((row) => JSON.stringify(row).includes(tenant) && JSON.stringify(row).includes(text));

const changes: Record<string, (mid: string, at: number) => Happening> = {
  edit: (mid, at) => edited(mid, "canary", 1, at),
  unsending: (mid, at) => unsent(mid, at),
  reaction: (mid, at) => reacted(mid, "react", at),
};

describe.each(Object.entries(changes))("the %s, after the erasure, of a message from before it", (_kind, change) => {
  it("is dropped while the erasure is under way, before its message is removed and after", async () => {
    await comes(said("m1", "before", house.now()));
    expect(await comes(change("m1", house.now()))).toHaveLength(1);
    house.turn(SECOND);
    expect(await eraseNow(0)).toMatchObject({ done: false });
    house.turn(SECOND);
    expect(await comes(change("m1", house.now()))).toEqual([]);
    await eraseNow();
    expect(await comes(change("m1", house.now()))).toEqual([]);
    expect((await partition()).map(({ SK }) => SK)).toEqual(["~HEAD"]);
    await untilErased(house, lane);
    expect(await partition()).toEqual([]);
  });

  it("is dropped when it is over, for as long as the marker lives, whoever wrote the message", async () => {
    await comes(said("m1", "before", house.now()), said("e1", "ours", house.now(), { ours: true }));
    await eraseNow();
    const erasedAt = house.now();
    await untilErased(house, lane);
    for (const at of [house.now(), erasedAt + 7 * DAY + HOUR - 1]) {
      house.turn(at - house.now());
      expect(await comes(change("m1", at), change("e1", at))).toEqual([]);
      expect(await partition()).toEqual([]);
    }
  });

  it("is dropped also once a new conversation has begun, whose own messages change", async () => {
    await comes(said("m1", "before", house.now()));
    await eraseNow();
    house.turn(SECOND);
    await comes(said("m2", "after", house.now()));
    expect(await comes(change("m1", house.now()), change("m2", house.now()))).toHaveLength(1);
    await untilErased(house, lane);
    expect(await comes(change("m1", house.now() + 1), change("m2", house.now() + 1))).toHaveLength(1);
  });
});

describe("the change of a message that never came", () => {
  const removed = { ...nothingRemoved, markers: 2, deliveries: 1 };

  /** @returns what lies there of it besides the head */
  async function strange(): Promise<string[]> {
    const { announcements } = await ingestOf(
      house.ingestPorts(lane),
      account,
      [edited("m-never", "canary", 1, house.now())],
      house.now(),
    );
    const [told] = await toldIn(house, tenant, announcements);
    await deliveryStore(house.table).recordFirst(
      tenant,
      {
        endpointId: await endpointRow(house, tenant, "one"),
        eventUlid: told?.ulid ?? "",
        eventType: "message.edited",
        source: null,
      },
      { status: "delivered" },
      { kind: "answered", status: 200, retryAfter: null, durationMs: 1 },
      house.now(),
    );
    expect(await tellingOf("canary")).toHaveLength(2);
    return (await partition()).map(({ SK }) => SK.slice(0, 2));
  }

  it("is erased and counted where there is no conversation; then nothing is left", async () => {
    expect(await strange()).toEqual(["C#", "E#", "~H"]);
    house.turn(SECOND);
    expect(await eraseNow()).toEqual({ done: true, removed });
    expect(await tellingOf("canary")).toEqual([]);
    expect(await eraseNow()).toEqual({ done: true, removed: nothingRemoved });
    await untilErased(house, lane);
    expect(await partition()).toEqual([]);
    const deliveries = (await allRows(house)).filter(({ PK }) => PK.startsWith(`D#${tenant}`));
    expect(deliveries).toEqual([]);
    expect(await eraseNow()).toEqual({ done: true, removed: nothingRemoved });
    house.turn(7 * DAY + HOUR + SECOND);
    expect(await eraseNow()).toMatchObject({ refused: "conversation_not_found" });
  });

  it.each([
    ["before its last pass", false],
    ["when it is over", true],
  ])("is erased also after an erasure, %s", async (_when, over) => {
    await comes(said("m1", "before", house.now()));
    await eraseNow();
    if (over) await untilErased(house, lane);
    else house.turn(2 * MINUTE);
    await strange();
    expect(await eraseNow()).toEqual({ done: true, removed });
    expect(await tellingOf("canary")).toEqual([]);
    await untilErased(house, lane);
    expect(await partition()).toEqual([]);
  });

  it("is not counted by a call that repeats its erasure, whose last pass removes what came late", async () => {
    const at = house.now();
    await comes(said("m1", "before", at));
    await eraseNow();
    await messageStore(house.table).record(
      tenant,
      messageOf(tenant, { id: "late", conversationId: conversation, sentAt: at }),
      at,
    );
    expect(await eraseNow()).toEqual({ done: true, removed: nothingRemoved });
    await untilErased(house, lane);
    expect(await partition()).toEqual([]);
  });

  it("by a clock ahead of ours is erased, too", async () => {
    await comes(edited("m-never", "canary", 1, house.now() + MINUTE));
    expect(await eraseNow()).toMatchObject({ removed: { markers: 2 } });
    expect(await tellingOf("canary")).toEqual([]);
  });

  it("past the end of its life is nobody's", async () => {
    await strange();
    house.turn(7 * DAY + SECOND);
    expect(await eraseNow()).toMatchObject({ refused: "conversation_not_found" });
  });

  it("waits for its message as before, also after an erasure", async () => {
    await comes(said("m1", "before", house.now()));
    await eraseNow();
    await untilErased(house, lane);
    expect(await comes(edited("m2", "canary", 1, house.now()))).toEqual(["message.edited"]);
    await comes(said("m2", "first words", house.now() - 1));
    const [message] = (await partition()).filter(({ SK }) => SK.startsWith("M#"));
    expect(message).toMatchObject({ t: "first words", et: "canary" });
  });
});

describe("a reply that began before the erasure, on Instagram, whose echo is stamped after it", () => {
  /** Erases while the platform is called. @param echoed whether the echo comes before the answer */
  async function reply(echoed: boolean): Promise<void> {
    await comes(said("m1", "before", house.now()));
    house.turn(SECOND);
    const begunAt = house.now();
    const platform = {
      textTooLong: () => false,
      send: async () => {
        house.turn(SECOND);
        await eraseNow();
        house.turn(SECOND);
        if (echoed) await comes(said("r1", "canary", house.now(), { ours: true }));
        return { kind: "accepted", messageId: "r1" };
      },
    } as unknown as Platform;
    const ports = { ...house.apiPorts(lane), platformOf: () => platform };
    const wanted = { conversationId: conversation, text: "canary", replyTo: null };
    expect(await sendReply(ports, callerOf(tenant), wanted, () => begunAt)).toMatchObject({ messageId: "r1" });
  }

  it("leaves nothing where the answer comes first", async () => {
    await reply(false);
    expect(await comes(said("r1", "canary", house.now(), { ours: true }))).toEqual([]);
    await untilErased(house, lane);
    expect(await partition()).toEqual([]);
  });

  it("begins a new conversation where the echo comes first, which the same call erases", async () => {
    await reply(true);
    expect(await tellingOf("canary")).not.toEqual([]);
    expect(await eraseNow()).toMatchObject({ done: true, removed: { conversation: 1, messages: 1 } });
    expect(await tellingOf("canary")).toEqual([]);
  });
});
