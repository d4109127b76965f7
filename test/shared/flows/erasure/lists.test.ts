import { afterAll, beforeAll, expect, it } from "vitest";
import { listMessages, openConversation, readMessage } from "../../../../shared/flows/inbox/read-inbox.ts";
import { conversationStore } from "../../../../shared/stores/inbox/conversations.ts";
import { newTenant } from "../../stores/support/samples.ts";
import { erase, live, untilErased } from "../support/erasing.ts";
import { type House, openHouse } from "../support/house.ts";

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

it("an erasure that goes on in the background has ended the conversation, and its messages go page by page", async () => {
  const tenant = newTenant();
  const lane = await house.newLane();
  const life = await live(house, tenant, [], { messages: 150 });
  house.turn(1);
  const ports = house.apiPorts(lane);
  const page = { before: null, limit: 100, includeTest: false };
  const opened = () => openConversation(ports, tenant, { ...page, conversationId: life.conversation }, house.now());
  const feedOf = async (conversationId: string | null) => {
    const listed = await listMessages(ports, tenant, { ...page, conversationId, direction: null }, house.now());
    return "rows" in listed ? listed.rows.map(({ message }) => message.id) : listed.refused;
  };
  const inbox = async () =>
    (await conversationStore(house.table).inbox(tenant, { before: null, limit: 9, now: house.now() })).heads;
  expect(await inbox()).toHaveLength(1);

  expect(await erase(house, lane, life, 1)).toMatchObject({ done: false });
  expect(await inbox()).toEqual([]);
  expect(await opened()).toMatchObject({ refused: "conversation_not_found" });
  expect(await feedOf(life.conversation)).toBe("conversation_not_found");
  const left = await feedOf(null);
  expect(left.length).toBeGreaterThan(0);
  const read = () => readMessage(ports, tenant, { messageId: left[0] ?? "", includeTest: false }, house.now());
  expect(await read()).toMatchObject({ id: left[0] });

  await untilErased(house, lane);
  expect(await feedOf(null)).toEqual([]);
  expect(await read()).toMatchObject({ refused: "message_not_found" });
});
