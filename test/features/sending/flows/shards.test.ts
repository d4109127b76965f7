import { expect, it } from "vitest";
import { MINUTE, SECOND } from "#base/kernel/time.ts";
import { feedShard, headKey, inboxFeed, messageFeed, messageKey } from "#features/inbox/store/items.ts";
import { tenantStateStore } from "#features/tenants/store/tenant-states.ts";
import { injectFaultAt } from "../../../support/flows/fault-injection.ts";
import { openReplyFixture } from "../../../support/flows/reply-fixture.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedOnce } from "../../../support/opened.ts";
import { readItem } from "../../../support/stores/items.ts";

const testEnv = openedOnce(openTestEnv);

/** A conversation outside the first shard, after its tenant's feeds have grown to several shards. */
async function openShardedFixture() {
  const fixture = await openReplyFixture(testEnv);
  const { tenant, id } = fixture;
  const shards = [2, 3, 5, 7, 11, 13].find((count) => feedShard(id, count) > 0) ?? 0;
  await tenantStateStore(testEnv.table).growShards(tenant, 1, shards);
  const shard = feedShard(id, shards);
  expect(shard).toBeGreaterThan(0);
  const feedAt = async (key: Parameters<typeof readItem>[1]) => (await readItem(testEnv.table, key))?.F;
  return {
    ...fixture,
    shard,
    inboxFeedNow: () => feedAt(headKey(id)),
    messageFeeds: async () => {
      const outbound = (await fixture.messageRows()).filter(({ message }) => message.direction === "outbound");
      return Promise.all(outbound.map(({ position }) => feedAt(messageKey(id, position))));
    },
  };
}

it("a reply and its conversation's head are written to their shard of the tenant's feeds", async () => {
  const { tenant, shard, inboxFeedNow, messageFeeds, sendReply: reply } = await openShardedFixture();
  expect(await inboxFeedNow()).toBe(inboxFeed(tenant, 0));
  testEnv.advance(1);
  expect(await reply()).toMatchObject({ messageId: expect.any(String) });
  expect(await inboxFeedNow()).toBe(inboxFeed(tenant, shard));
  expect(await messageFeeds()).toEqual([messageFeed(tenant, "live", shard)]);
});

it("the sweep writes them to the same shard after the sender died at any call", async () => {
  for (let k = 0, remaining = 0; ; k++) {
    const {
      tenant,
      shard,
      inboxFeedNow,
      messageFeeds,
      sendReply: reply,
      sweepSends: settle,
    } = await openShardedFixture();
    testEnv.advance(1);
    const injection = injectFaultAt(testEnv.clients, "before", k);
    await reply().catch(() => {});
    injection.remove();
    const before = await messageFeeds();
    testEnv.advance(MINUTE + SECOND);
    await settle();
    const after = await messageFeeds();
    if (before.length === 0 && after.length > 0) remaining++;
    if (after.length > 0) {
      expect(after, `call ${k}`).toEqual([messageFeed(tenant, "live", shard)]);
      expect(await inboxFeedNow(), `call ${k}`).toBe(inboxFeed(tenant, shard));
    }
    if (!injection.reached()) {
      expect(remaining).toBeGreaterThan(0);
      return;
    }
  }
});
