import type { EncryptionContext, Vault } from "#base/aws/vault.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { type AccountRef, accountKey } from "./rules/accounts.ts";

/**
 * Opens the access token of an account.
 * @param account with the token that it has now, or that one of its connections had
 * @throws InvalidCiphertextException when the token was sealed for another tenant or account
 */
export function accountToken(
  vault: Pick<Vault, "open">,
  tenant: TenantId,
  account: AccountRef & { readonly sealedToken: Uint8Array },
): Promise<string> {
  return vault.open(account.sealedToken, tokenContext(tenant, account));
}

/** Encrypts an access token, so that it opens for this tenant and account alone. */
export function sealAccountToken(
  vault: Pick<Vault, "seal">,
  tenant: TenantId,
  account: AccountRef & { readonly token: string },
): Promise<Uint8Array> {
  return vault.seal(account.token, tokenContext(tenant, account));
}

function tokenContext(tenant: TenantId, account: AccountRef): EncryptionContext {
  return { purpose: "account-token", tenant, owner: accountKey(account) };
}
