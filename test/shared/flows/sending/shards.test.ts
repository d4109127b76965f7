import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, expect, it } from "vitest";
import { MINUTE, SECOND } from "../../../../shared/kernel/time.ts";
import { tenantStateStore } from "../../../../shared/stores/access/tenant-states.ts";
import { headKey, inboxFeed, messageFeed, messageKey, shardOf } from "../../../../shared/stores/keys.ts";
import { type House, openHouse } from "../support/house.ts";
import { openOutbox } from "../support/outbox.ts";
import { strikeAt } from "../support/strikes.ts";

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

/** A conversation that lies in another shard than the first, now that its tenant's feeds have several. */
async function sharded() {
  const outbox = await openOutbox(house);
  const { tenant, id } = outbox;
  const shards = [2, 3, 5, 7, 11, 13].find((count) => shardOf(id, count) > 0) ?? 0;
  await tenantStateStore(house.table).growShards(tenant, 1, shards);
  const shard = shardOf(id, shards);
  expect(shard).toBeGreaterThan(0);
  const feedOf = async (Key: object) =>
    (await house.table.client.send(new GetCommand({ TableName: house.table.name, Key, ConsistentRead: true }))).Item?.F;
  return {
    ...outbox,
    shard,
    inboxOf: () => feedOf(headKey(id)),
    feedsOf: async () => {
      const ours = (await outbox.rows()).filter(({ message }) => message.direction === "outbound");
      return Promise.all(ours.map(({ place }) => feedOf(messageKey(id, place))));
    },
  };
}

it("a reply and its conversation's head go to their shard of the tenant's feeds", async () => {
  const { tenant, shard, inboxOf, feedsOf, reply } = await sharded();
  expect(await inboxOf()).toBe(inboxFeed(tenant, 0));
  house.turn(1);
  expect(await reply()).toMatchObject({ messageId: expect.any(String) });
  expect(await inboxOf()).toBe(inboxFeed(tenant, shard));
  expect(await feedsOf()).toEqual([messageFeed(tenant, "live", shard)]);
});

it("so they do when the sweep ends what a sender that died left, whatever it died at", async () => {
  for (let k = 0, left = 0; ; k++) {
    const { tenant, shard, inboxOf, feedsOf, reply, settle } = await sharded();
    house.turn(1);
    const struck = strikeAt(house.clients, "before", k);
    await reply().catch(() => {});
    struck.end();
    const before = await feedsOf();
    house.turn(MINUTE + SECOND);
    await settle();
    const after = await feedsOf();
    if (before.length === 0 && after.length > 0) left++;
    if (after.length > 0) {
      expect(after, `call ${k}`).toEqual([messageFeed(tenant, "live", shard)]);
      expect(await inboxOf(), `call ${k}`).toBe(inboxFeed(tenant, shard));
    }
    if (!struck.reached()) {
      expect(left).toBeGreaterThan(0);
      return;
    }
  }
});
