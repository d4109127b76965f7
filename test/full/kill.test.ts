import { expect, it } from "vitest";
import { missingFrom, surviveKills } from "../e2e/support/kill-rounds.ts";

it("thirty kills under traffic, with a receiver that fails every other time, lose nothing", async () => {
  const judge = (_: unknown, nth: number) => ({ status: nth % 2 === 1 ? 500 : 200 });
  const { accepted, listed, delivered, failures } = await surviveKills({ rounds: 30, judge });
  expect(accepted.size).toBeGreaterThan(30);
  expect(missingFrom(new Set(listed), accepted)).toEqual([]);
  expect(new Set(listed).size).toBe(listed.length);
  for (const mid of accepted) {
    expect(
      delivered.get(mid)?.map(({ status }) => status),
      mid,
    ).toContain(200);
  }
  for (const [mid, deliveries] of delivered) {
    expect(new Set(deliveries.map(({ event }) => event.id)).size, mid).toBe(1);
  }
  expect(failures).toEqual([]);
}, 600_000);
