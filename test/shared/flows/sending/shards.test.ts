import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, expect, it } from "vitest";
import { MINUTE, SECOND } from "../../../../shared/kernel/time.ts";
import { tenantStateStore } from "../../../../shared/stores/access/tenant-states.ts";
import { feedShard, headKey, inboxFeed, messageFeed, messageKey } from "../../../../shared/stores/keys.ts";
import { injectFaultAt } from "../support/fault-injection.ts";
import { openReplyFixture } from "../support/reply-fixture.ts";
import { openTestEnv, type TestEnv } from "../support/test-env.ts";

let testEnv: TestEnv;
beforeAll(async () => {
  testEnv = await openTestEnv();
});
afterAll(() => testEnv.close());

/** A conversation that lies in another shard than the first, now that its tenant's feeds have several. */
async function openShardedFixture() {
  const fixture = await openReplyFixture(testEnv);
  const { tenant, id } = fixture;
  const shards = [2, 3, 5, 7, 11, 13].find((count) => feedShard(id, count) > 0) ?? 0;
  await tenantStateStore(testEnv.table).growShards(tenant, 1, shards);
  const shard = feedShard(id, shards);
  expect(shard).toBeGreaterThan(0);
  const feedOf = async (Key: object) =>
    (await testEnv.table.client.send(new GetCommand({ TableName: testEnv.table.name, Key, ConsistentRead: true }))).Item
      ?.F;
  return {
    ...fixture,
    shard,
    inboxOf: () => feedOf(headKey(id)),
    feedsOf: async () => {
      const outbound = (await fixture.messageRows()).filter(({ message }) => message.direction === "outbound");
      return Promise.all(outbound.map(({ position: place }) => feedOf(messageKey(id, place))));
    },
  };
}

it("a reply and its conversation's head go to their shard of the tenant's feeds", async () => {
  const { tenant, shard, inboxOf, feedsOf, sendReply: reply } = await openShardedFixture();
  expect(await inboxOf()).toBe(inboxFeed(tenant, 0));
  testEnv.advance(1);
  expect(await reply()).toMatchObject({ messageId: expect.any(String) });
  expect(await inboxOf()).toBe(inboxFeed(tenant, shard));
  expect(await feedsOf()).toEqual([messageFeed(tenant, "live", shard)]);
});

it("so they do when the sweep ends what a sender that died left, whatever it died at", async () => {
  for (let k = 0, remaining = 0; ; k++) {
    const { tenant, shard, inboxOf, feedsOf, sendReply: reply, sweepSends: settle } = await openShardedFixture();
    testEnv.advance(1);
    const injection = injectFaultAt(testEnv.clients, "before", k);
    await reply().catch(() => {});
    injection.remove();
    const before = await feedsOf();
    testEnv.advance(MINUTE + SECOND);
    await settle();
    const after = await feedsOf();
    if (before.length === 0 && after.length > 0) remaining++;
    if (after.length > 0) {
      expect(after, `call ${k}`).toEqual([messageFeed(tenant, "live", shard)]);
      expect(await inboxOf(), `call ${k}`).toBe(inboxFeed(tenant, shard));
    }
    if (!injection.reached()) {
      expect(remaining).toBeGreaterThan(0);
      return;
    }
  }
});
