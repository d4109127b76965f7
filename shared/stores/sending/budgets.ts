import { GetCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import type { AccountRef } from "../../domain/accounts/accounts.ts";
import type { Scope } from "../../domain/inbox/messages.ts";
import {
  type BudgetName,
  type BudgetState,
  type BudgetWindow,
  budgetWindowsFor,
} from "../../domain/sending/budgets.ts";
import type { TenantId } from "../../kernel/tenant.ts";
import { DAY, type Millis } from "../../kernel/time.ts";
import type { Table } from "../client.ts";
import { conditionalWrite } from "../conditional-write.ts";
import { accountBudgetKey, conversationBudgetKey, type Key, timeToLive } from "../keys.ts";
import { type TransactItem, writeWithRetry } from "../transaction-retry.ts";

export type Budgets = ReturnType<typeof budgetStore>;

/** A send's part in the budgets, to be written together with its record. */
export interface Spending {
  readonly items: readonly TransactItem[];
  /** What is known once its conditions failed. @param current for each item, as the transaction tells it */
  readonly refreshState: (current: readonly (Record<string, unknown> | null | undefined)[]) => BudgetState;
}

/** Whose sends are counted. A test key's are counted apart. */
export interface Spender {
  readonly tenant: TenantId;
  readonly account: AccountRef;
  readonly conversationId: string;
  readonly scope: Scope;
}

/** The letter that a budget's window and count have in their item. */
const attributeLetters: Record<BudgetName, string> = {
  conversation_burst: "b",
  conversation_day: "d",
  human_agent_day: "h",
  account_burst: "b",
};
const conversationBudgets = ["conversation_burst", "conversation_day", "human_agent_day"] as const;
const accountBudgets = ["account_burst"] as const;

/** No count and no pause is longer than a day. */
const ITEM_TTL: Millis = 2 * DAY;

/**
 * How much was sent: one item for a conversation, one for an account, each with the last window of its budgets, so that
 * a send writes both in one transaction with its record. What the platform asked for lies beside the counts.
 * @param random a draw from [0, 1): how long a write that met a transaction waits
 */
export function budgetStore({ client, name: TableName }: Table, random: () => number = Math.random) {
  return {
    /** What is known of both; it may be a moment old. */
    async get({ tenant, account, conversationId, scope }: Spender): Promise<BudgetState> {
      const [conversationItem, accountItem] = await Promise.all(
        [conversationBudgetKey(conversationId, scope), accountBudgetKey(tenant, account, scope)].map(
          async (Key) => (await client.send(new GetCommand({ TableName, Key }))).Item as BudgetItem | undefined,
        ),
      );
      return toBudgetState(conversationItem, accountItem);
    },

    /**
     * One more send in all its windows. It fails where a window is full or the platform asked for a pause, and where
     * another one has begun a window since `state` was read: then go on from what it learned.
     */
    spending(spender: Spender, state: BudgetState, now: Millis, humanAgent: boolean): Spending {
      const { tenant, account, conversationId, scope } = spender;
      const windows = budgetWindowsFor(state, now, humanAgent);
      const windowsOf = (subject: BudgetWindow["of"]) => windows.filter((window) => window.of === subject);
      const spend = (key: Key, ownWindows: readonly BudgetWindow[], pause: "hp" | "cd" | null): TransactItem => ({
        Update: {
          TableName,
          Key: key,
          ...spendUpdate(ownWindows, state, pause, now),
          ReturnValuesOnConditionCheckFailure: "ALL_OLD",
        },
      });
      return {
        items: [
          spend(conversationBudgetKey(conversationId, scope), windowsOf("conversation"), humanAgent ? "hp" : null),
          spend(accountBudgetKey(tenant, account, scope), windowsOf("account"), "cd"),
        ],
        refreshState: ([conversationItem, accountItem]) => {
          const currentState = toBudgetState(conversationItem as BudgetItem | null, accountItem as BudgetItem | null);
          const spentIn = (item: unknown, names: readonly BudgetName[]) =>
            Object.fromEntries(names.map((name) => [name, (item === undefined ? state : currentState).usage[name]]));
          return {
            usage: { ...spentIn(conversationItem, conversationBudgets), ...spentIn(accountItem, accountBudgets) },
            slowDown: {
              account: (accountItem === undefined ? state : currentState).slowDown.account,
              humanAgent: (conversationItem === undefined ? state : currentState).slowDown.humanAgent,
            },
          };
        },
      };
    },

    /** The account is to send nothing until then. A shorter pause never ends a longer one. */
    pauseAccount(tenant: TenantId, account: AccountRef, until: Millis): Promise<void> {
      return pause(accountBudgetKey(tenant, account, "live"), "cd", until);
    },

    /** The person is to get nothing of a human agent until then. */
    pauseHumanAgent(conversationId: string, until: Millis): Promise<void> {
      return pause(conversationBudgetKey(conversationId, "live"), "hp", until);
    },
  };

  async function pause(key: Key, name: "cd" | "hp", until: Millis): Promise<void> {
    const write = new UpdateCommand({
      TableName,
      Key: key,
      UpdateExpression: `SET ${name} = :until, x = :x`,
      ConditionExpression: `attribute_not_exists(${name}) OR ${name} < :until`,
      ExpressionAttributeValues: { ":until": until, ":x": timeToLive(until + ITEM_TTL) },
    });
    await writeWithRetry(() => conditionalWrite(() => client.send(write)), random);
  }
}

/** A budget item as it lies in the table: for each letter `…w` a window's start and `…n` its count. */
interface BudgetItem extends Key {
  /** Until when the account is to send nothing. */
  readonly cd?: Millis;
  /** Until when the person is to get nothing of a human agent. */
  readonly hp?: Millis;
  readonly [attribute: string]: unknown;
}

function toBudgetState(conversation?: BudgetItem | null, account?: BudgetItem | null): BudgetState {
  const spent = (item: BudgetItem | null | undefined, names: readonly BudgetName[]) =>
    names.flatMap((name) => {
      const [start, count] = [item?.[`${attributeLetters[name]}w`], item?.[`${attributeLetters[name]}n`]];
      return typeof start === "number" && typeof count === "number" ? [[name, { start, count }] as const] : [];
    });
  return {
    usage: Object.fromEntries([...spent(conversation, conversationBudgets), ...spent(account, accountBudgets)]),
    slowDown: { account: account?.cd ?? null, humanAgent: conversation?.hp ?? null },
  };
}

function spendUpdate(windows: readonly BudgetWindow[], state: BudgetState, pause: "hp" | "cd" | null, now: Millis) {
  const set: string[] = ["x = :x", "#at = :now"];
  const conditions: string[] = pause ? [`(attribute_not_exists(${pause}) OR ${pause} <= :now)`] : [];
  const values: Record<string, unknown> = { ":x": timeToLive(now + ITEM_TTL), ":now": now, ":one": 1 };
  for (const { budget, start, limit } of windows) {
    const letter = attributeLetters[budget];
    const [window, count] = [`${letter}w`, `${letter}n`];
    values[`:${window}`] = start;
    if (state.usage[budget]?.start === start) {
      set.push(`${count} = ${count} + :one`);
      conditions.push(`${window} = :${window} AND ${count} < :${count}`);
      values[`:${count}`] = limit;
    } else {
      set.push(`${window} = :${window}`, `${count} = :one`);
      conditions.push(`(attribute_not_exists(${window}) OR ${window} < :${window})`);
    }
  }
  return {
    UpdateExpression: `SET ${set.join(", ")}`,
    ConditionExpression: conditions.join(" AND "),
    ExpressionAttributeNames: { "#at": "at" },
    ExpressionAttributeValues: values,
  };
}
