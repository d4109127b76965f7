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
import { whenConditionHolds } from "../conditional-write.ts";
import { accountBudgetKey, conversationBudgetKey, type Key, timeToLive } from "../keys.ts";
import { type TransactItem, writePatiently } from "../transaction-retry.ts";

export type Budgets = ReturnType<typeof budgetStore>;

/** A send's part in the budgets, to be written together with its record. */
export interface Spending {
  readonly items: readonly TransactItem[];
  /** What is known once its conditions failed. @param found for each item, as the transaction tells it */
  readonly learn: (found: readonly (Record<string, unknown> | null | undefined)[]) => BudgetState;
}

/** Whose sends are counted. A test key's are counted apart. */
export interface Spender {
  readonly tenant: TenantId;
  readonly account: AccountRef;
  readonly conversationId: string;
  readonly scope: Scope;
}

/** The letter that a budget's window and count have in their item. */
const letters: Record<BudgetName, string> = {
  conversation_burst: "b",
  conversation_day: "d",
  human_agent_day: "h",
  account_burst: "b",
};
const inConversation = ["conversation_burst", "conversation_day", "human_agent_day"] as const;
const inAccount = ["account_burst"] as const;

/** No count and no pause is longer than a day. */
const LIFE: Millis = 2 * DAY;

/**
 * How much was sent: one item for a conversation, one for an account, each with the last window of its budgets, so that
 * a send writes both in one transaction with its record. What the platform asked for lies beside the counts.
 * @param dice a draw from [0, 1): how long a write that met a transaction waits
 */
export function budgetStore({ client, name: TableName }: Table, dice: () => number = Math.random) {
  return {
    /** What is known of both; it may be a moment old. */
    async get({ tenant, account, conversationId, scope }: Spender): Promise<BudgetState> {
      const [conversation, ofAccount] = await Promise.all(
        [conversationBudgetKey(conversationId, scope), accountBudgetKey(tenant, account, scope)].map(
          async (Key) => (await client.send(new GetCommand({ TableName, Key }))).Item as BudgetItem | undefined,
        ),
      );
      return stateOf(conversation, ofAccount);
    },

    /**
     * One more send in all its windows. It fails where a window is full or the platform asked for a pause, and where
     * another one has begun a window since `state` was read: then go on from what it learned.
     */
    spending(spender: Spender, state: BudgetState, now: Millis, humanAgent: boolean): Spending {
      const { tenant, account, conversationId, scope } = spender;
      const windows = budgetWindowsFor(state, now, humanAgent);
      const of = (whose: BudgetWindow["of"]) => windows.filter((window) => window.of === whose);
      const spend = (key: Key, mine: readonly BudgetWindow[], pause: "hp" | "cd" | null): TransactItem => ({
        Update: {
          TableName,
          Key: key,
          ...spendingOf(mine, state, pause, now),
          ReturnValuesOnConditionCheckFailure: "ALL_OLD",
        },
      });
      return {
        items: [
          spend(conversationBudgetKey(conversationId, scope), of("conversation"), humanAgent ? "hp" : null),
          spend(accountBudgetKey(tenant, account, scope), of("account"), "cd"),
        ],
        learn: ([conversation, ofAccount]) => {
          const learned = stateOf(conversation as BudgetItem | null, ofAccount as BudgetItem | null);
          const known = (found: unknown, names: readonly BudgetName[]) =>
            Object.fromEntries(names.map((name) => [name, (found === undefined ? state : learned).spent[name]]));
          return {
            spent: { ...known(conversation, inConversation), ...known(ofAccount, inAccount) },
            slowDown: {
              account: (ofAccount === undefined ? state : learned).slowDown.account,
              humanAgent: (conversation === undefined ? state : learned).slowDown.humanAgent,
            },
          };
        },
      };
    },

    /** The account is to send nothing until then. A shorter pause never ends a longer one. */
    coolDown(tenant: TenantId, account: AccountRef, until: Millis): Promise<void> {
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
      ExpressionAttributeValues: { ":until": until, ":x": timeToLive(until + LIFE) },
    });
    await writePatiently(() => whenConditionHolds(() => client.send(write)), dice);
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

function stateOf(conversation?: BudgetItem | null, account?: BudgetItem | null): BudgetState {
  const spent = (item: BudgetItem | null | undefined, names: readonly BudgetName[]) =>
    names.flatMap((name) => {
      const [start, count] = [item?.[`${letters[name]}w`], item?.[`${letters[name]}n`]];
      return typeof start === "number" && typeof count === "number" ? [[name, { start, count }] as const] : [];
    });
  return {
    spent: Object.fromEntries([...spent(conversation, inConversation), ...spent(account, inAccount)]),
    slowDown: { account: account?.cd ?? null, humanAgent: conversation?.hp ?? null },
  };
}

function spendingOf(windows: readonly BudgetWindow[], state: BudgetState, pause: "hp" | "cd" | null, now: Millis) {
  const set: string[] = ["x = :x", "#at = :now"];
  const conditions: string[] = pause ? [`(attribute_not_exists(${pause}) OR ${pause} <= :now)`] : [];
  const values: Record<string, unknown> = { ":x": timeToLive(now + LIFE), ":now": now, ":one": 1 };
  for (const { budget, start, limit } of windows) {
    const letter = letters[budget];
    const [window, count] = [`${letter}w`, `${letter}n`];
    values[`:${window}`] = start;
    if (state.spent[budget]?.start === start) {
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
