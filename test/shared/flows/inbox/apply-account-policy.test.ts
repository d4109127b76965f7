import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ulidOf } from "../../../../shared/kernel/ids.ts";
import type { TenantId } from "../../../../shared/kernel/tenant.ts";
import { HOUR, MINUTE } from "../../../../shared/kernel/time.ts";
import { accountStore } from "../../../../shared/stores/accounts/accounts.ts";
import { accountItemKey } from "../../../../shared/stores/keys.ts";
import { type Fault, injectFaults } from "../../../support/faults.ts";
import { newTenant } from "../../stores/support/samples.ts";
import { dataOf, type Happening, ingestOf, ruled, toldIn } from "../support/changes.ts";
import { type House, type Lane, openHouse } from "../support/house.ts";

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

  it("is told by its first body, whatever became of the account since", async () => {
    const first = await take(ruled("block", at));
    await house.table.client.send(
      new UpdateCommand({
        TableName: house.table.name,
        Key: accountItemKey(tenant, ref()),
        UpdateExpression: "SET h = :renamed, n = :renamed, st = :st",
        ExpressionAttributeValues: { ":renamed": "@renamed", ":st": "needs_reauth" },
      }),
    );
    expect(await take(ruled("block", at))).toEqual(first);
    expect(first[0]?.body).toContain('"handle":"@shop"');
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

  it("is not announced where the account shows the same as before: once it is restricted, and while its token is dead", async () => {
    await take(ruled("block", at));
    expect(await take(ruled("block", at + 1))).toEqual([]);
    expect((await take(ruled("unblock", at + 2))).map(({ type }) => type)).toEqual(["account.recovered"]);
    await setStatus("needs_reauth");
    expect(await take(ruled("block", at + 3), ruled("unblock", at + 4))).toEqual([]);
    await setStatus("restricted");
    expect(await take(ruled("block", at + 5))).toEqual([]);
  });

  it("is judged by what is known when it is noted, not when it was read", async () => {
    let struck = false;
    const end = injectFaults(house.client, async ({ command, input }): Promise<Fault> => {
      if (command !== "UpdateItem" || struck || !JSON.stringify(input).includes("po = :po")) return "pass";
      struck = true;
      await setStatus("needs_reauth");
      return "pass";
    });
    expect(await take(ruled("block", at))).toEqual([]);
    end();
    expect(struck).toBe(true);
  });

  it("leaves a receiver, with what refused sends tell, knowing what the account shows, in any order and however often", async () => {
    const decided = fc.record({
      kind: fc.constantFrom("block" as const, "unblock" as const),
      after: fc.nat({ max: 5 }),
    });
    const refused = fc.record({
      kind: fc.constantFrom("needs_reauth" as const, "restricted" as const),
      after: fc.nat({ max: 5 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(decided, refused), { minLength: 1, maxLength: 8 }), async (steps) => {
        tenant = newTenant();
        account = await house.connect(tenant);
        const store = accountStore(house.table);
        const heard = new Set<string>();
        let known: string | undefined = "active";
        for (const { kind, after } of [...steps, ...steps.slice(0, 3)]) {
          const eventUlid = ulidOf(at, `${kind} ${after}`);
          const told: [string, string][] = [];
          if (kind === "block" || kind === "unblock") {
            for (const { ulid, type, body } of await take(ruled(kind, at + after))) {
              told.push([ulid, type]);
              expect(JSON.parse(body ?? "").data.account.status).toBe(
                type === "account.restricted" ? "restricted" : "active",
              );
            }
          } else if (await store.setStatus(tenant, ref(), { status: kind, error: "", asOf: at, eventUlid })) {
            told.push([eventUlid, `account.${kind}`]);
          }
          for (const [ulid, type] of told) {
            if (heard.has(ulid)) continue;
            heard.add(ulid);
            const shown = type === "account.recovered" ? "active" : type.slice("account.".length);
            expect(shown).not.toBe(known);
            known = shown;
          }
          expect(known).toBe(await status());
        }
      }),
      { numRuns: 60 },
    );
  }, 30_000);

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
