import * as z from "zod/mini";
import type { EventDefinition } from "#base/events/event-definition.ts";
import { type EventType, type RenderedEvent, renderEvent } from "#base/events/events.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { sampleAccount, sampleTenant, sampleUlid } from "#features/inbox/events/samples.ts";
import { type Account, accountKey, platforms } from "./rules/accounts.ts";

const dataSchema = () =>
  z.object({
    account: z.object({
      account_key: z.string(),
      platform: z.enum(platforms),
      external_id: z.string(),
      handle: z.string(),
      display_name: z.string(),
      page_id: z.nullable(z.string()),
      status: z.enum(["active", "refresh_failing", "needs_reauth", "restricted"]),
    }),
    reason: z.enum(["user", "platform_deauthorized", "token_invalid", "policy"]),
  });
type AccountData = z.infer<ReturnType<typeof dataSchema>>;

export type AccountEventType = Extract<EventType, `account.${string}`>;

export interface AccountEvent {
  readonly eventUlid: string;
  readonly type: AccountEventType;
  readonly account: Account;
  readonly reason: AccountData["reason"];
}

export function renderAccountEvent(
  tenant: TenantId,
  { eventUlid, type, account, reason }: AccountEvent,
): RenderedEvent {
  const data: AccountData = {
    account: {
      account_key: accountKey(account),
      platform: account.platform,
      external_id: account.externalId,
      handle: account.handle,
      display_name: account.displayName,
      page_id: account.pageId,
      status: account.status,
    },
    reason,
  };
  return renderEvent(tenant, eventUlid, type, data);
}

export const accountEvents: Readonly<Record<AccountEventType, EventDefinition>> = {
  "account.connected": {
    description: "An account was connected.",
    dataSchema,
    example: () => example("account.connected", "user"),
  },
  "account.reconnected": {
    description: "A previously connected account was connected again.",
    dataSchema,
    example: () => example("account.reconnected", "user"),
  },
  "account.disconnected": {
    description: "An account was disconnected.",
    dataSchema,
    example: () => example("account.disconnected", "user"),
  },
  "account.refresh_failing": {
    description: "The access token of an account could not be refreshed. The account works until the token expires.",
    dataSchema,
    example: () => example("account.refresh_failing", "token_invalid", "refresh_failing"),
  },
  "account.needs_reauth": {
    description: "Parley can no longer access an account. Connect the account again.",
    dataSchema,
    example: () => example("account.needs_reauth", "token_invalid", "needs_reauth"),
  },
  "account.restricted": {
    description: "The platform restricted an account.",
    dataSchema,
    example: () => example("account.restricted", "policy", "restricted"),
  },
  "account.recovered": {
    description: "An account is active again.",
    dataSchema,
    example: () => example("account.recovered", "policy"),
  },
};

function example(type: AccountEventType, reason: AccountData["reason"], status?: Account["status"]): RenderedEvent {
  return renderAccountEvent(sampleTenant(), {
    eventUlid: sampleUlid(type),
    type,
    account: sampleAccount(status),
    reason,
  });
}
