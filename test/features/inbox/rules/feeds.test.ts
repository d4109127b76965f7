import { expect, test } from "vitest";
import { FEED_SHARDS_MAX, feedShardsFor } from "#features/inbox/rules/messages.ts";

test("a feed has one shard until its tenant stores more than 150 messages a second for an hour", () => {
  expect(feedShardsFor(0)).toBe(1);
  expect(feedShardsFor(540_000)).toBe(1);
  expect(feedShardsFor(540_001)).toBe(2);
});

test("shards double, up to 32", () => {
  expect(feedShardsFor(2 * 540_000)).toBe(2);
  expect(feedShardsFor(2 * 540_000 + 1)).toBe(4);
  expect(feedShardsFor(18_000_000)).toBe(FEED_SHARDS_MAX);
  expect(feedShardsFor(Number.MAX_SAFE_INTEGER)).toBe(FEED_SHARDS_MAX);
});
