import type { Vault } from "../../aws/vault.ts";
import type { Accounts } from "../../stores/accounts/accounts.ts";

export interface ConnectPorts {
  readonly accounts: Pick<Accounts, "connect">;
  readonly vault: Pick<Vault, "seal">;
}
