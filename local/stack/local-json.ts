import { accountKey, type Connection } from "#features/accounts/rules/accounts.ts";
import { writeFileAtomic } from "#local-aws/support/atomic-write.ts";
import { accountPlatform, demoAccounts, type SeedState, seededAccounts } from "./seed.ts";
import { workshopAccounts } from "./workshop.ts";

/** The platform secrets of a local stack. */
export interface PlatformSecrets {
  readonly meta: string;
  readonly instagram: string;
  readonly verify_token: string;
}

/** The content of `local.json`: what a program needs to call a running stack. A field is absent if its part is. */
export interface LocalJson {
  readonly base_url: string;
  /** The URL of the WebSocket API, as a ticket names it. */
  readonly ws_url?: string;
  readonly simulator_url?: string;
  /** The credential of `/_local`, and of `/_sim` at the simulator. */
  readonly control_token: string;
  /** Signs in to the console as the owner of the demo tenant by one press: once, within 15 minutes after the start. */
  readonly sign_in_url?: string;
  readonly tenant?: string;
  readonly live_key?: string;
  readonly test_key?: string;
  readonly operator_key?: string;
  readonly platform_secrets: PlatformSecrets;
  readonly accounts: readonly {
    readonly account_key: string;
    readonly connection: Connection;
    readonly page_id: string | null;
    readonly handle: string;
  }[];
}

export interface StackDescription {
  readonly baseUrl: string;
  readonly wsUrl: string | undefined;
  readonly simulatorUrl: string | undefined;
  readonly controlToken: string;
  readonly signInUrl: string | undefined;
  readonly seedState: SeedState;
  readonly secrets: PlatformSecrets;
}

export function describeStack({
  baseUrl,
  wsUrl,
  simulatorUrl,
  controlToken,
  signInUrl,
  seedState,
  secrets,
}: StackDescription): LocalJson {
  const { tenant, live_key, test_key, operator_key } = seedState;
  return {
    base_url: baseUrl,
    ...(wsUrl ? { ws_url: wsUrl } : {}),
    ...(simulatorUrl ? { simulator_url: simulatorUrl } : {}),
    control_token: controlToken,
    ...(signInUrl ? { sign_in_url: signInUrl } : {}),
    ...(tenant ? { tenant } : {}),
    ...(live_key ? { live_key } : {}),
    ...(test_key ? { test_key } : {}),
    ...(operator_key ? { operator_key } : {}),
    platform_secrets: secrets,
    accounts: seededAccounts(seedState, [...demoAccounts, ...workshopAccounts]).map((account) => ({
      account_key: accountKey({ platform: accountPlatform(account), externalId: account.externalId }),
      connection: account.connection,
      page_id: account.pageId,
      handle: account.handle,
    })),
  };
}

/** Writes the file atomically once the stack is ready: a program that sees the file can call the stack. */
export function writeLocalJson(file: string, description: LocalJson): void {
  writeFileAtomic(file, `${JSON.stringify(description, null, 2)}\n`);
}
