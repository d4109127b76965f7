import type { AccountRef, Connection } from "#features/accounts/rules/accounts.ts";
import { NEIGHBOUR, TENANT } from "./people.ts";

// Who takes part in a history of accounts: two tenants that connect the same accounts by turns, three people who log in
// for them, and customers. Two of the accounts use one page.

export const holders = [TENANT, NEIGHBOUR] as const;

/** An account that either tenant may connect. */
export interface CastAccount extends AccountRef {
  readonly connection: Connection;
  readonly pageId: string | null;
}

const PAGE = "100000000000009";

const page: CastAccount = { platform: "messenger", externalId: PAGE, connection: "messenger", pageId: PAGE };
const ofPage: CastAccount = {
  platform: "instagram",
  externalId: "17841400000000008",
  connection: "instagram_page",
  pageId: PAGE,
};
const alone: CastAccount = {
  platform: "instagram",
  externalId: "17841400000000009",
  connection: "instagram_login",
  pageId: null,
};
export const castAccounts = [page, ofPage, alone] as const;

/** The platform's ids of the people who log in. */
export const logins = ["70000000000001", "70000000000002", "70000000000003"] as const;

/** Somebody who writes to an account. */
export interface Customer {
  readonly id: string;
  readonly account: CastAccount;
  /** Whether the platform posts no webhook for their messages, as for some threads that an ad began. */
  readonly isSkipped: boolean;
}

export const customers: readonly Customer[] = [
  { id: "customer-0", account: page, isSkipped: false },
  { id: "customer-1", account: page, isSkipped: true },
  { id: "customer-2", account: ofPage, isSkipped: false },
  { id: "customer-3", account: alone, isSkipped: false },
  { id: "customer-4", account: alone, isSkipped: true },
];
