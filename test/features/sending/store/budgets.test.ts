import fc from "fast-check";
import { beforeAll, expect, it } from "vitest";
import { deriveUlid } from "#base/kernel/ids.ts";
import { DAY, type Millis, SECOND } from "#base/kernel/time.ts";
import { openTable } from "#base/table/client.ts";
import { type BudgetName, judgeSend, type NewSend } from "#features/sending/rules/sends.ts";
import { type Budgets, budgetStore } from "#features/sending/store/budgets.ts";
import { type SendRecords, sendRecordStore } from "#features/sending/store/send-records.ts";
import { startTestTable } from "../../../support/dynamodb.ts";
import { openedOnce } from "../../../support/opened.ts";
import { repetitions } from "../../../support/sampling.ts";
import { ACCOUNT, NOW, newTenant, sampleConversationId } from "../../../support/stores/samples.ts";

let budgets: Budgets;
let records: SendRecords;
const table = openedOnce(startTestTable);
beforeAll(async () => {
  const tableHandle = openTable(table.tableName, table.client);
  budgets = budgetStore(tableHandle);
  records = sendRecordStore(tableHandle, () => 0);
});

const limits: Record<BudgetName, { window: Millis; sends: number }> = {
  conversation_burst: { window: 10 * SECOND, sends: 10 },
  conversation_day: { window: DAY, sends: 200 },
  account_burst: { window: 10 * SECOND, sends: 100 },
  human_agent_day: { window: DAY, sends: 20 },
};

const send = (id: string): NewSend => ({
  id,
  content: "c",
  via: "api_in_window",
  actorId: null,
  holdId: null,
  replyTo: null,
  scope: "live",
});

// Seconds between sends, mostly few, so that windows fill. A sender's clock may be behind.
const attempts = fc.array(
  fc.record({
    after: fc.constantFrom(0, 0, 0, 0, 1, 3, 11, 86_400),
    behind: fc.constantFrom(0, 0, 0, 7),
    humanAgent: fc.boolean(),
  }),
  { minLength: 20, maxLength: 60 },
);

it("a budget counts a send if and only if every window allows it", async () => {
  await fc.assert(
    fc.asyncProperty(attempts, async (attempts) => {
      const tenant = newTenant();
      const spender = {
        tenant,
        account: ACCOUNT,
        conversationId: sampleConversationId(tenant),
        scope: "live",
      } as const;
      const spent: Record<BudgetName, Map<Millis, number>> = {
        conversation_burst: new Map(),
        conversation_day: new Map(),
        account_burst: new Map(),
        human_agent_day: new Map(),
      };
      let at = NOW;
      for (const [i, { after, behind, humanAgent }] of attempts.entries()) {
        at += after * SECOND;
        const now = at - behind * SECOND;
        const names = (Object.keys(limits) as BudgetName[]).filter((name) => humanAgent || name !== "human_agent_day");
        // A window that another clock started counts for every sender.
        const windows = names.map((name) => {
          const windowStart = now - (now % limits[name].window);
          return [name, Math.max(windowStart, ...spent[name].keys())] as const;
        });
        const free = windows.every(([name, start]) => (spent[name].get(start) ?? 0) < limits[name].sends);

        const state = await budgets.get(spender);
        expect(judgeSend(state, now, humanAgent).allowed).toBe(free);
        const { items } = budgets.spending(spender, state, now, humanAgent);
        const started = await records.start(
          spender.conversationId,
          send(deriveUlid(now, `${tenant} ${i}`)),
          now,
          items,
        );
        expect(started.outcome).toBe(free ? "started" : "budget_changed");
        if (free) for (const [name, start] of windows) spent[name].set(start, (spent[name].get(start) ?? 0) + 1);
      }
    }),
    { numRuns: repetitions({ whole: 15, sample: 6 }) },
  );
});

it("a budget returns the stored state to a send that starts with an outdated one, and starts it with that state", async () => {
  const tenant = newTenant();
  const spender = { tenant, account: ACCOUNT, conversationId: sampleConversationId(tenant), scope: "live" } as const;
  const stale = await budgets.get(spender);
  const startSpending = (id: string, state: typeof stale) => {
    const spending = budgets.spending(spender, state, NOW, false);
    return records
      .start(spender.conversationId, send(id), NOW, spending.items)
      .then((started) => ({ started, spending }));
  };
  expect((await startSpending(deriveUlid(NOW, "one"), stale)).started).toEqual({ outcome: "started" });
  const { started, spending } = await startSpending(deriveUlid(NOW, "two"), stale);
  if (started.outcome !== "budget_changed") throw new Error(started.outcome);
  const refreshed = spending.refreshState(started.current);
  expect(refreshed).toEqual(await budgets.get(spender));
  expect((await startSpending(deriveUlid(NOW, "two"), refreshed)).started).toEqual({ outcome: "started" });
  // Repeating the same send counts nothing.
  expect((await startSpending(deriveUlid(NOW, "two"), refreshed)).started).toMatchObject({
    outcome: "existing",
    record: { state: "sending" },
  });
  expect((await budgets.get(spender)).usage.conversation_day?.count).toBe(2);
});
