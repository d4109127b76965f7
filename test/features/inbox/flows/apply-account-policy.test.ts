import fc from "fast-check";
import { beforeEach, expect, it } from "vitest";
import { deriveUlid } from "#base/kernel/ids.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { HOUR, MINUTE } from "#base/kernel/time.ts";
import { accountStore } from "#features/accounts/store/accounts.ts";
import { accountItemKey } from "#features/accounts/store/items.ts";
import { type Fault, injectFaults } from "../../../support/faults.ts";
import {
  eventData,
  ingestEvents,
  type PlatformEvent,
  policyEvent,
  renderEventMessages,
} from "../../../support/flows/platform-events.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedOnce } from "../../../support/opened.ts";
import { setAttributes } from "../../../support/stores/items.ts";
import { newTenant } from "../../../support/stores/samples.ts";

const testEnv = openedOnce(openTestEnv);
const queues = openedOnce(() => testEnv.newQueues());

let tenant: TenantId;
let account: string;
let at: number;
beforeEach(async () => {
  tenant = newTenant();
  account = await testEnv.connect(tenant);
  at = testEnv.now() - MINUTE;
});

const accountRef = () => ({ platform: "instagram", externalId: account }) as const;
const ingestPolicy = async (...platformEvents: PlatformEvent[]) => {
  const { events: queuedEvents } = await ingestEvents(
    testEnv.ingestPorts(queues),
    account,
    platformEvents,
    testEnv.now(),
  );
  return renderEventMessages(testEnv, tenant, queuedEvents);
};
const status = async () => (await accountStore(testEnv.table).get(tenant, accountRef()))?.status;
const setStatus = (st: string) => setAttributes(testEnv.table, accountItemKey(tenant, accountRef()), { st: st });

it("a policy action of the platform restricts the account and is published, until the platform lifts it", async () => {
  const [restricted, ...more] = await ingestPolicy(policyEvent("block", at));
  expect(more).toEqual([]);
  expect(restricted?.type).toBe("account.restricted");
  const expectedAccount = {
    account_key: `instagram#${account}`,
    platform: "instagram",
    external_id: account,
    handle: "@shop",
    display_name: "Shop",
    page_id: null,
  };
  expect(eventData(restricted ?? fail())).toEqual({
    account: { ...expectedAccount, status: "restricted" },
    reason: "policy",
  });
  expect(await status()).toBe("restricted");

  const [recovered] = await ingestPolicy(policyEvent("unblock", at + 1));
  expect(recovered?.type).toBe("account.recovered");
  expect(eventData(recovered ?? fail())).toEqual({
    account: { ...expectedAccount, status: "active" },
    reason: "policy",
  });
  expect(await status()).toBe("active");
});

it("a policy action of the platform is one event with the same id and body, however often it is delivered", async () => {
  const first = await ingestPolicy(policyEvent("block", at), policyEvent("block", at));
  testEnv.advance(HOUR);
  const again = await ingestPolicy(policyEvent("block", at));
  expect(first).toHaveLength(1);
  expect(again).toEqual(first);
});

it("a policy action of the platform keeps its first body when the account changes afterwards", async () => {
  const first = await ingestPolicy(policyEvent("block", at));
  await setAttributes(testEnv.table, accountItemKey(tenant, accountRef()), {
    h: "@renamed",
    n: "@renamed",
    st: "needs_reauth",
  });
  expect(await ingestPolicy(policyEvent("block", at))).toEqual(first);
  expect(first[0]?.body).toContain('"handle":"@shop"');
});

it("a policy action of the platform changes nothing when it is a warning, and is logged", async () => {
  const before = testEnv.lines.length;
  expect(await ingestPolicy(policyEvent("warning", at))).toEqual([]);
  expect(await status()).toBe("active");
  expect(testEnv.lines.slice(before)).toEqual([
    { event: "account.policy_applied", action: "warning", platform: "instagram" },
  ]);
});

it("a policy action of the platform does not override a later action", async () => {
  await ingestPolicy(policyEvent("block", at), policyEvent("unblock", at + 5));
  expect(await ingestPolicy(policyEvent("block", at + 4))).toEqual([]);
  expect(await status()).toBe("active");
});

it("a policy action of the platform publishes no recovery of an account that was not restricted", async () => {
  expect(await ingestPolicy(policyEvent("unblock", at))).toEqual([]);
  expect(await ingestPolicy(policyEvent("unblock", at))).toEqual([]);
  expect(await status()).toBe("active");
});

it("a policy action of the platform does not restore an invalid token, and a restored token does not lift a block", async () => {
  await ingestPolicy(policyEvent("block", at));
  await setStatus("needs_reauth");
  expect(await status()).toBe("needs_reauth");
  expect(await ingestPolicy(policyEvent("unblock", at + 1))).toEqual([]);
  expect(await status()).toBe("needs_reauth");
  await ingestPolicy(policyEvent("block", at + 2));
  await setStatus("active");
  expect(await status()).toBe("restricted");
});

it("a policy action of the platform is not published when the public status does not change: while restricted, and while the token is invalid", async () => {
  await ingestPolicy(policyEvent("block", at));
  expect(await ingestPolicy(policyEvent("block", at + 1))).toEqual([]);
  expect((await ingestPolicy(policyEvent("unblock", at + 2))).map(({ type }) => type)).toEqual(["account.recovered"]);
  await setStatus("needs_reauth");
  expect(await ingestPolicy(policyEvent("block", at + 3), policyEvent("unblock", at + 4))).toEqual([]);
  await setStatus("restricted");
  expect(await ingestPolicy(policyEvent("block", at + 5))).toEqual([]);
});

it("a policy action of the platform is evaluated against the account at the time of the write", async () => {
  let injected = false;
  const end = injectFaults(testEnv.client, async ({ command, input }): Promise<Fault> => {
    if (command !== "UpdateItem" || injected || !JSON.stringify(input).includes("SET po = ")) return "pass";
    injected = true;
    await setStatus("needs_reauth");
    return "pass";
  });
  expect(await ingestPolicy(policyEvent("block", at))).toEqual([]);
  end();
  expect(injected).toBe(true);
});

it("a receiver ends with the account's status after policy actions and refused sends, in any order and with repeats", async () => {
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
      account = await testEnv.connect(tenant);
      const store = accountStore(testEnv.table);
      const eventTypes = new Set<string>();
      let lastStatus: string | undefined = "active";
      for (const { kind, after } of [...steps, ...steps.slice(0, 3)]) {
        const eventUlid = deriveUlid(at, `${kind} ${after}`);
        const statusEvents: [string, string][] = [];
        if (kind === "block" || kind === "unblock") {
          for (const { ulid, type, body } of await ingestPolicy(policyEvent(kind, at + after))) {
            statusEvents.push([ulid, type]);
            expect(JSON.parse(body ?? "").data.account.status).toBe(
              type === "account.restricted" ? "restricted" : "active",
            );
          }
        } else if (await store.setStatus(tenant, accountRef(), { status: kind, detail: "", asOf: at, at, eventUlid })) {
          statusEvents.push([eventUlid, `account.${kind}`]);
        }
        for (const [ulid, type] of statusEvents) {
          if (eventTypes.has(ulid)) continue;
          eventTypes.add(ulid);
          const expectedStatus = type === "account.recovered" ? "active" : type.slice("account.".length);
          expect(expectedStatus).not.toBe(lastStatus);
          lastStatus = expectedStatus;
        }
        expect(lastStatus).toBe(await status());
      }
    }),
    { numRuns: 60 },
  );
}, 30_000);

it("a policy action of the platform lifts a restriction that a refused send reported", async () => {
  await setStatus("restricted");
  expect((await ingestPolicy(policyEvent("unblock", at))).map(({ type }) => type)).toEqual(["account.recovered"]);
  expect(await status()).toBe("active");
});

it("a policy action of the platform survives a lost response and a crash at any call: the retry publishes the same event", async () => {
  for (const fault of ["lost", "crash"] as const) {
    for (let k = 0; ; k++) {
      tenant = newTenant();
      account = await testEnv.connect(tenant);
      let reached = false;
      const end = injectFaults(testEnv.client, ({ index }) => {
        if (index < k || (fault === "lost" && index > k)) return "pass";
        reached = true;
        return fault;
      });
      const first = await ingestPolicy(policyEvent("block", at)).catch(() => []);
      end();
      const again = await ingestPolicy(policyEvent("block", at));
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

it("a policy action of the platform is published when its webhook comes again, also after newer actions, if its process died at any call", async () => {
  const later = [policyEvent("unblock", at + 1), policyEvent("block", at + 2), policyEvent("unblock", at + 3)];
  for (const newer of [later.slice(0, 1), later]) {
    for (let k = 0; ; k++) {
      tenant = newTenant();
      account = await testEnv.connect(tenant);
      let reached = false;
      const end = injectFaults(testEnv.client, ({ index }) => {
        if (index < k) return "pass";
        reached = true;
        return "crash";
      });
      const first = await ingestPolicy(policyEvent("block", at)).catch(() => []);
      end();
      const events = [...first];
      for (const action of newer) events.push(...(await ingestPolicy(action)));
      testEnv.advance(3 * MINUTE);
      events.push(...(await ingestPolicy(policyEvent("block", at))));
      const statuses = new Map(events.map((event) => [event.ulid, eventData(event).account]));
      const count = (status: string) =>
        [...statuses.values()].filter((each) => JSON.stringify(each).includes(`"status":"${status}"`)).length;
      expect.soft([k, count("restricted")]).toEqual([k, count("active")]);
      if (!reached) break;
    }
  }
});

it("an account ends at the newest policy action in any order, and concurrently", async () => {
  const decisions = fc.array(
    fc.record({ action: fc.constantFrom("block", "unblock", "warning"), after: fc.nat({ max: 6 }) }),
    { minLength: 1, maxLength: 6 },
  );
  await fc.assert(
    fc.asyncProperty(decisions, fc.boolean(), async (actions, atOnce) => {
      tenant = newTenant();
      account = await testEnv.connect(tenant);
      const each = actions.map(({ action, after }) => policyEvent(action, at + after));
      // Some lose every race and are redelivered, as by their queue.
      const settled = atOnce ? await Promise.allSettled(each.map((one) => ingestPolicy(one))) : [];
      for (const [i, one] of each.entries()) if (settled[i]?.status !== "fulfilled") await ingestPolicy(one);
      const rank = ({ action, after }: (typeof actions)[number]) => after * 2 + (action === "unblock" ? 1 : 0);
      const [newest] = actions.filter(({ action }) => action !== "warning").sort((a, b) => rank(b) - rank(a));
      expect(await status()).toBe(newest?.action === "block" ? "restricted" : "active");
    }),
    { numRuns: 30 },
  );
});

function fail(): never {
  throw new Error("No event was published.");
}
