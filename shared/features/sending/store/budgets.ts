import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { allDone } from "#base/kernel/parallel.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { DAY, type Millis } from "#base/kernel/time.ts";
import type { Table } from "#base/table/client.ts";
import { conditionalWrite } from "#base/table/conditional-write.ts";
import { absentOr, allOf, atMost, below, type Expression, equals, storedPlus } from "#base/table/expressions.ts";
import { type Key, timeToLive } from "#base/table/keys.ts";
import { type TransactItem, update } from "#base/table/writes.ts";
import type { Scope } from "#features/access/rules/scope.ts";
import type { AccountRef } from "#features/accounts/rules/accounts.ts";
import { type BudgetName, type BudgetState, type BudgetWindow, budgetWindowsFor } from "../rules/sends.ts";
import { budgetAttributes as A } from "./attributes.ts";
import { accountBudgetKey, conversationBudgetKey } from "./items.ts";

export type Budgets = ReturnType<typeof budgetStore>;

/** A send's share of the budgets, written in the transaction of its record. */
export interface Spending {
  readonly items: readonly TransactItem[];
  /** The state of the budgets after a condition failed. @param current per item, as the transaction returns it */
  readonly refreshState: (current: readonly (Record<string, unknown> | null | undefined)[]) => BudgetState;
}

/** The account and conversation whose sends are counted. Sends of test keys are counted apart. */
export interface Spender {
  readonly tenant: TenantId;
  readonly account: AccountRef;
  readonly conversationId: string;
  readonly scope: Scope;
}

/** Prefixes of a budget's two attributes: `…w` is the start of its window, `…n` the count. */
const budgetLetters: Record<BudgetName, string> = {
  conversation_burst: "b",
  conversation_day: "d",
  human_agent_day: "h",
  account_burst: "b",
};
const conversationBudgets = ["conversation_burst", "conversation_day", "human_agent_day"] as const;
const accountBudgets = ["account_burst"] as const;

type PauseAttribute = typeof A.accountPausedUntil | typeof A.humanAgentPausedUntil;

/** No window and no pause is longer than a day. */
const ITEM_TTL: Millis = 2 * DAY;

/**
 * Send counts. One item per conversation and one per account hold the current window of each budget and the pauses that
 * the platform asked for, so that a send updates both in the transaction of its record.
 * @param random a draw from [0, 1): the jitter of retries after a transaction conflict
 */
export function budgetStore(table: Table, random: () => number = Math.random) {
  const { client, name: TableName } = table;
  return {
    /** The state of both items, read eventually consistently. */
    async get({ tenant, account, conversationId, scope }: Spender): Promise<BudgetState> {
      const [conversationItem, accountItem] = await allDone(
        [conversationBudgetKey(conversationId, scope), accountBudgetKey(tenant, account, scope)].map(
          async (Key) => (await client.send(new GetCommand({ TableName, Key }))).Item as BudgetItem | undefined,
        ),
      );
      return toBudgetState(conversationItem, accountItem);
    },

    /**
     * Counts one more send in all its windows. The conditions fail when a window is full, when a pause is active, and
     * when another send started a window since `state` was read: then retry with `refreshState`.
     */
    spending(spender: Spender, state: BudgetState, now: Millis, humanAgent: boolean): Spending {
      const { tenant, account, conversationId, scope } = spender;
      const windows = budgetWindowsFor(state, now, humanAgent);
      const windowsFor = (subject: BudgetWindow["of"]) => windows.filter((window) => window.of === subject);
      const conversationPause = humanAgent ? A.humanAgentPausedUntil : null;
      return {
        items: [
          spend(conversationBudgetKey(conversationId, scope), {
            windows: windowsFor("conversation"),
            pauseAttribute: conversationPause,
            state,
            now,
          }),
          spend(accountBudgetKey(tenant, account, scope), {
            windows: windowsFor("account"),
            pauseAttribute: A.accountPausedUntil,
            state,
            now,
          }),
        ],
        refreshState: ([conversationItem, accountItem]) => {
          const currentState = toBudgetState(conversationItem as BudgetItem | null, accountItem as BudgetItem | null);
          // The transaction returns only the items whose condition failed. The other item is as it was read.
          const [conversationState, accountState] = [conversationItem, accountItem].map((item) =>
            item === undefined ? state : currentState,
          ) as [BudgetState, BudgetState];
          return {
            usage: {
              ...Object.fromEntries(conversationBudgets.map((name) => [name, conversationState.usage[name]])),
              ...Object.fromEntries(accountBudgets.map((name) => [name, accountState.usage[name]])),
            },
            slowDown: { account: accountState.slowDown.account, humanAgent: conversationState.slowDown.humanAgent },
          };
        },
      };
    },

    /** Pauses all sends of the account. A shorter pause never ends a longer one. */
    pauseAccount(tenant: TenantId, account: AccountRef, until: Millis): Promise<void> {
      return pause(accountBudgetKey(tenant, account, "live"), A.accountPausedUntil, until);
    },

    /** Pauses human agent sends to the person. A shorter pause never ends a longer one. */
    pauseHumanAgent(conversationId: string, until: Millis): Promise<void> {
      return pause(conversationBudgetKey(conversationId, "live"), A.humanAgentPausedUntil, until);
    },
  };

  async function pause(key: Key, attribute: PauseAttribute, until: Millis): Promise<void> {
    const set = { [attribute]: until, [A.ttl]: timeToLive(until + ITEM_TTL) };
    await conditionalWrite(table, update(key, { set }, absentOr(below, attribute, until)), { random });
  }
}

/** A budget item as stored. */
interface BudgetItem extends Key {
  readonly [A.accountPausedUntil]?: Millis;
  readonly [A.humanAgentPausedUntil]?: Millis;
  readonly [attribute: string]: unknown;
}

function windowAttribute(budget: BudgetName): string {
  return `${budgetLetters[budget]}w`;
}

function countAttribute(budget: BudgetName): string {
  return `${budgetLetters[budget]}n`;
}

function toBudgetState(conversation?: BudgetItem | null, account?: BudgetItem | null): BudgetState {
  const usage = (item: BudgetItem | null | undefined, names: readonly BudgetName[]) =>
    names.flatMap((name) => {
      const [start, count] = [item?.[windowAttribute(name)], item?.[countAttribute(name)]];
      return typeof start === "number" && typeof count === "number" ? [[name, { start, count }] as const] : [];
    });
  return {
    usage: Object.fromEntries([...usage(conversation, conversationBudgets), ...usage(account, accountBudgets)]),
    slowDown: {
      account: account?.[A.accountPausedUntil] ?? null,
      humanAgent: conversation?.[A.humanAgentPausedUntil] ?? null,
    },
  };
}

/** One more send of a conversation or an account. */
interface Spend {
  /** The windows in which it counts. */
  readonly windows: readonly BudgetWindow[];
  /** The pause that refuses it; null when none does. */
  readonly pauseAttribute: PauseAttribute | null;
  /** The budgets as they were read. */
  readonly state: BudgetState;
  readonly now: Millis;
}

function spend(key: Key, { windows, pauseAttribute, state, now }: Spend): TransactItem {
  const set: Record<string, unknown> = { [A.ttl]: timeToLive(now + ITEM_TTL), [A.spentAt]: now };
  const conditions: Expression[] = pauseAttribute ? [absentOr(atMost, pauseAttribute, now)] : [];
  for (const { budget, start, limit } of windows) {
    const [window, count] = [windowAttribute(budget), countAttribute(budget)];
    if (state.usage[budget]?.start === start) {
      set[count] = storedPlus(count, 1);
      conditions.push(equals(window, start), below(count, limit));
    } else {
      set[window] = start;
      set[count] = 1;
      conditions.push(absentOr(below, window, start));
    }
  }
  return update(key, { set }, allOf(...conditions));
}
