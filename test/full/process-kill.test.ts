import { beforeAll, describe, expect, it } from "vitest";
import { failsFirst, type KillResult, missingFrom, runKillRounds } from "../e2e/support/kill-rounds.ts";

describe("a message whose webhook was answered with 200", () => {
  let survived: KillResult;

  beforeAll(async () => {
    survived = await runKillRounds({
      rounds: 6,
      respond: ({ data }, nth) => ({ status: nth === 1 && failsFirst(data.message.id) ? 500 : 200 }),
    });
    // A start more than kills. On a busy machine a start can take more than ten seconds.
  }, 240_000);

  it("a message whose webhook was answered with 200 is listed once after the stack was killed with SIGKILL at any time", () => {
    const { acceptedIds: accepted, listedIds: listed } = survived;
    expect(accepted.size).toBeGreaterThan(6);
    expect(missingFrom(new Set(listed), accepted)).toEqual([]);
    expect(new Set(listed).size).toBe(listed.length);
  });

  it("a message whose webhook was answered with 200 is delivered, also when a retry was pending during the kill", () => {
    const refused = [...survived.acceptedIds].filter(failsFirst);
    expect(refused.length).toBeGreaterThan(0);
    expect(missingFrom(new Set(survived.deliveriesByMessage.keys()), survived.acceptedIds)).toEqual([]);
    for (const mid of refused) {
      const statuses = survived.deliveriesByMessage.get(mid)?.map(({ status }) => status);
      expect(statuses?.[0], mid).toBe(500);
      expect(statuses, mid).toContain(200);
    }
  });

  it("a message whose webhook was answered with 200 is delivered again only with the same event id and body", () => {
    for (const [mid, deliveries] of survived.deliveriesByMessage) {
      expect(new Set(deliveries.map(({ event }) => event.id)).size, mid).toBe(1);
      expect(new Set(deliveries.map(({ raw }) => raw.toString("utf8"))).size, mid).toBe(1);
    }
  });

  it("a message whose webhook was answered with 200 leaves no failed record and no dead letter", () => {
    expect(survived.failures).toEqual([]);
  });
});
