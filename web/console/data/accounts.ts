import type { Account } from "#client";
import { printableText } from "../../../packages/client/src/printable.ts";

/** How an account is called: its name, or else its handle or its id at the platform. */
export function accountName({
  display_name,
  handle,
  external_id,
}: Pick<Account, "display_name" | "handle" | "external_id">): string {
  return printableText(display_name).trim() || printableText(handle).trim() || printableText(external_id);
}

/** What its picture shows of an account. */
export function faceOf(account: Account): {
  readonly name: string;
  readonly id: string;
  readonly platform: Account["platform"];
  readonly picture: string | null;
} {
  const { account_key: id, platform, picture } = account;
  return { name: accountName(account), id, platform, picture };
}

/** An account that receives messages and cannot send any: its access ended, or the platform restricts it. */
export type BlockedAccount = Account & { readonly status: "needs_reauth" | "restricted" };

/** The accounts that cannot send. */
export function blockedAccounts(accounts: readonly Account[]): readonly BlockedAccount[] {
  return accounts.filter(
    (account): account is BlockedAccount => account.status === "needs_reauth" || account.status === "restricted",
  );
}
