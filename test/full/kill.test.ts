import { expect, it } from "vitest";
import { failsFirst, missingFrom, runKillRounds } from "../e2e/support/kill-rounds.ts";
import type { WebhookEvent } from "../e2e/support/webhook-receiver.ts";

it("thirty kills under traffic, with a receiver that refuses every other message once, lose nothing", async () => {
  // A receiver that refused every message would open the circuit and be probed for hours.
  const respond = ({ data }: WebhookEvent, nth: number) => ({
    status: nth === 1 && failsFirst(data.message.id) ? 500 : 200,
  });
  const {
    acceptedIds: accepted,
    listedIds: listed,
    deliveriesByMessage: delivered,
    failures,
  } = await runKillRounds({ rounds: 30, respond });
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
