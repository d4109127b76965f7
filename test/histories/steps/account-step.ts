import type { Millis } from "#base/kernel/time.ts";
import type { PlatformName } from "#features/accounts/rules/accounts.ts";
import type { OutService } from "../world/outages.ts";

// The steps of a history of accounts. Numbers name accounts, tenants, logins and customers of the cast.

export type AccountStep =
  /** A customer, or an account's native app, writes. */
  | { readonly do: "customerWrites" | "accountWrites"; readonly customer: number }
  /** The webhook of what a customer wrote a while ago comes now. */
  | { readonly do: "lateWebhook"; readonly customer: number; readonly age: Millis }
  /** One webhook brings a message of each customer of a platform. */
  | { readonly do: "manyWrite"; readonly platform: PlatformName; readonly isFirstUnstorable: boolean }
  | { readonly do: "connectAccount"; readonly account: number; readonly tenant: number; readonly login: number }
  | { readonly do: "disconnectAccount"; readonly account: number }
  /** The platform reports that a person removed the app, or requests the deletion of their data. */
  | { readonly do: "deauthorize" | "deleteData"; readonly login: number }
  /** The platform ends the subscription that an account uses. */
  | { readonly do: "loseSubscription"; readonly account: number }
  /** The platform refuses reads of its history, because there were too many. */
  | { readonly do: "limitHistory"; readonly millis: Millis }
  /** Every call of a service fails for a while. */
  | { readonly do: "outage"; readonly service: OutService; readonly millis: Millis }
  | { readonly do: "eraseCustomer"; readonly customer: number };

const names: Readonly<Record<AccountStep["do"], true>> = {
  customerWrites: true,
  accountWrites: true,
  lateWebhook: true,
  manyWrite: true,
  connectAccount: true,
  disconnectAccount: true,
  deauthorize: true,
  deleteData: true,
  loseSubscription: true,
  limitHistory: true,
  outage: true,
  eraseCustomer: true,
};

export function isAccountStep(step: { readonly do: string }): step is AccountStep {
  return step.do in names;
}
