import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { TenantId } from "../../../shared/kernel/tenant.ts";
import { HOUR, MINUTE } from "../../../shared/kernel/time.ts";
import { accountStore } from "../../../shared/table/accounts.ts";
import { accountItemKey } from "../../../shared/table/keys.ts";
import { injectFaults } from "../../support/faults.ts";
import { newTenant } from "../table/support/samples.ts";
import { dataOf, type Happening, ingestOf, ruled, toldIn } from "./support/changes.ts";
import { type House, type Lane, openHouse } from "./support/house.ts";

let house: House;
let lane: Lane;
beforeAll(async () => {
  house = await openHouse();
  lane = await house.newLane();
});
afterAll(() => house.close());

let tenant: TenantId;
let account: string;
let at: number;
beforeEach(async () => {
  tenant = newTenant();
  account = await house.connect(tenant);
  at = house.now() - MINUTE;
});

const ref = () => ({ platform: "instagram", externalId: account }) as const;
const take = async (...happenings: Happening[]) => {
  const { announcements } = await ingestOf(house.ingestPorts(lane), account, happenings, house.now());
  return toldIn(house, tenant, announcements);
};
const status = async () => (await accountStore(house.table).get(tenant, ref()))?.status;
const setStatus = (st: string) =>
  house.table.client.send(
    new UpdateCommand({
      TableName: house.table.name,
      Key: accountItemKey(tenant, ref()),
      UpdateExpression: "SET st = :st",
      ExpressionAttributeValues: { ":st": st },
    }),
  );

describe("what the platform decides of an account", () => {
  it("restricts it and is announced, until the platform lifts it", async () => {
    const [restricted, ...more] = await take(ruled("block", at));
    expect(more).toEqual([]);
    expect(restricted?.type).toBe("account.restricted");
    const shown = {
      account_key: `instagram#${account}`,
      platform: "instagram",
      external_id: account,
      handle: "@shop",
      display_name: "Shop",
      page_id: null,
    };
    expect(dataOf(restricted ?? fail())).toEqual({ account: { ...shown, status: "restricted" }, reason: "policy" });
    expect(await status()).toBe("restricted");

    const [recovered] = await take(ruled("unblock", at + 1));
    expect(recovered?.type).toBe("account.recovered");
    expect(dataOf(recovered ?? fail())).toEqual({ account: { ...shown, status: "active" }, reason: "policy" });
    expect(await status()).toBe("active");
  });

  it("is one event, with the same id and body, however often it is told", async () => {
    const first = await take(ruled("block", at), ruled("block", at));
    house.turn(HOUR);
    const again = await take(ruled("block", at));
    expect(first).toHaveLength(1);
    expect(again).toEqual(first);
  });

  it("changes nothing when it is a warning, but leaves a line in the log", async () => {
    const before = house.lines.length;
    expect(await take(ruled("warning", at))).toEqual([]);
    expect(await status()).toBe("active");
    expect(house.lines.slice(before)).toEqual([{ event: "policy", action: "warning", platform: "instagram" }]);
  });

  it("does not override what it decided later", async () => {
    await take(ruled("block", at), ruled("unblock", at + 5));
    expect(await take(ruled("block", at + 4))).toEqual([]);
    expect(await status()).toBe("active");
  });

  it("announces no recovery of an account that was not restricted", async () => {
    expect(await take(ruled("unblock", at))).toEqual([]);
    expect(await take(ruled("unblock", at))).toEqual([]);
    expect(await status()).toBe("active");
  });

  it("brings no dead token back to life, and a token that comes back lifts no block", async () => {
    await take(ruled("block", at));
    await setStatus("needs_reauth");
    expect(await status()).toBe("needs_reauth");
    expect(await take(ruled("unblock", at + 1))).toEqual([]);
    expect(await status()).toBe("needs_reauth");
    await take(ruled("block", at + 2));
    await setStatus("active");
    expect(await status()).toBe("restricted");
  });

  it("lifts a restriction that was met otherwise", async () => {
    await setStatus("restricted");
    expect((await take(ruled("unblock", at))).map(({ type }) => type)).toEqual(["account.recovered"]);
    expect(await status()).toBe("active");
  });

  it("survives a lost answer and a death at any call: the repeat announces the same", async () => {
    for (const fault of ["lost", "crash"] as const) {
      for (let k = 0; ; k++) {
        tenant = newTenant();
        account = await house.connect(tenant);
        let reached = false;
        const end = injectFaults(house.client, ({ index }) => {
          if (index < k || (fault === "lost" && index > k)) return "pass";
          reached = true;
          return fault;
        });
        const first = await take(ruled("block", at)).catch(() => []);
        end();
        const again = await take(ruled("block", at));
        expect(again.map(({ type }) => type)).toEqual(["account.restricted"]);
        if (first.length > 0) expect(again).toEqual(first);
        expect(await status()).toBe("restricted");
        if (!reached) {
          expect(k).toBeGreaterThanOrEqual(5);
          break;
        }
      }
    }
  });

  it("ends at the newest decision, whatever order they come in, also all at once", async () => {
    const decisions = fc.array(
      fc.record({ action: fc.constantFrom("block", "unblock", "warning"), after: fc.nat({ max: 6 }) }),
      { minLength: 1, maxLength: 6 },
    );
    await fc.assert(
      fc.asyncProperty(decisions, fc.boolean(), async (drawn, atOnce) => {
        tenant = newTenant();
        account = await house.connect(tenant);
        const each = drawn.map(({ action, after }) => ruled(action, at + after));
        // Some lose the race at every try and are told of again, as their queue would.
        const settled = atOnce ? await Promise.allSettled(each.map((one) => take(one))) : [];
        for (const [i, one] of each.entries()) if (settled[i]?.status !== "fulfilled") await take(one);
        const rank = ({ action, after }: (typeof drawn)[number]) => after * 2 + (action === "unblock" ? 1 : 0);
        const [newest] = drawn.filter(({ action }) => action !== "warning").sort((a, b) => rank(b) - rank(a));
        expect(await status()).toBe(newest?.action === "block" ? "restricted" : "active");
      }),
      { numRuns: 30 },
    );
  });
});

function fail(): never {
  throw new Error("Nothing was announced.");
}
