import { readFileSync } from "node:fs";
import type { Millis } from "#base/kernel/time.ts";
import type { Connection, PlatformName } from "#features/accounts/rules/accounts.ts";
import { writeFileAtomic } from "#local-aws/support/atomic-write.ts";

export const DEMO_TENANT = "demo";

/** An account connected without OAuth. The simulator has the same account and token. */
export interface SeedAccount {
  readonly connection: Connection;
  readonly externalId: string;
  readonly pageId: string | null;
  readonly handle: string;
  readonly displayName: string;
  readonly token: string;
  /** The platform's ids of the person who connected the account, so that the simulator's callbacks about them find it. */
  readonly authorizedBy: readonly string[];
  /** How long ago the account was connected. Default: now. */
  readonly connectedAgo?: Millis;
  /** The address of its profile picture. Default: none, and the first check reads it. */
  readonly pictureUrl?: string;
  /** Instagram Login: the account's id in the eyes of the app. */
  readonly appScopedId?: string;
}

/** The first Facebook user of the simulator. */
export const PAGE_OWNER = "10150000000000001";

/** One account of each connection. The last two share one Facebook Page, as is common. */
export const demoAccounts: readonly SeedAccount[] = [
  {
    connection: "instagram_login",
    externalId: "17841400000000001",
    pageId: null,
    handle: "parley_studio",
    displayName: "Parley Studio",
    token: "IGAA-local-parley-studio",
    appScopedId: "24107650000000001",
    authorizedBy: ["24107650000000001", "17841400000000001"],
  },
  {
    connection: "instagram_page",
    externalId: "17841400000000002",
    pageId: "100000000000001",
    handle: "parley_shop",
    displayName: "Parley Shop",
    token: "EAA-local-parley-shop",
    authorizedBy: [PAGE_OWNER],
  },
  {
    connection: "messenger",
    externalId: "100000000000001",
    pageId: "100000000000001",
    handle: "parleyshop",
    displayName: "Parley Shop",
    token: "EAA-local-parley-shop",
    authorizedBy: [PAGE_OWNER],
  },
];

/** The use cases that create the demo workspace. Creating a tenant or connecting an account is idempotent. */
export interface SeedPorts {
  /** @returns the URL of a link that signs in this address. Default: the owner of the demo tenant */
  createSignInLink(address?: string): Promise<string>;
  createTenant(slug: string): Promise<void>;
  createKey(tenant: string, scope: "live" | "test"): Promise<{ secret: string }>;
  createOperatorKey(tenants: readonly string[]): Promise<{ secret: string }>;
  connectAccount(tenant: string, account: SeedAccount): Promise<void>;
}

/** The created workspace, stored in the data folder because a key's secret is returned only once. */
export interface SeedState {
  readonly tenant?: string;
  readonly live_key?: string;
  readonly test_key?: string;
  readonly operator_key?: string;
  /** External ids by connection, such as `messenger 100000000000001`. */
  readonly accounts?: readonly string[];
}

/**
 * Creates the demo tenant, its keys and these accounts. Each completed step is saved, so that a
 * later start creates only what is missing.
 */
export async function seed(file: string, ports: SeedPorts, accounts: readonly SeedAccount[]): Promise<SeedState> {
  let state = readSeedState(file);
  const saveStep = (step: SeedState): void => {
    state = { ...state, ...step };
    writeFileAtomic(file, JSON.stringify(state, null, 2));
  };
  if (!state.tenant) {
    await ports.createTenant(DEMO_TENANT);
    saveStep({ tenant: DEMO_TENANT });
  }
  if (!state.live_key) saveStep({ live_key: (await ports.createKey(DEMO_TENANT, "live")).secret });
  if (!state.test_key) saveStep({ test_key: (await ports.createKey(DEMO_TENANT, "test")).secret });
  if (!state.operator_key) saveStep({ operator_key: (await ports.createOperatorKey([DEMO_TENANT])).secret });
  for (const account of accounts) {
    const name = accountLabel(account);
    if (state.accounts?.includes(name)) continue;
    await ports.connectAccount(DEMO_TENANT, account);
    saveStep({ accounts: [...(state.accounts ?? []), name] });
  }
  return state;
}

export function accountPlatform({ connection }: Pick<SeedAccount, "connection">): PlatformName {
  return connection === "messenger" ? "messenger" : "instagram";
}

/** Those of these accounts that have been connected. */
export function seededAccounts(seedState: SeedState, accounts: readonly SeedAccount[]): readonly SeedAccount[] {
  return accounts.filter((account) => seedState.accounts?.includes(accountLabel(account)));
}

function accountLabel({ connection, externalId }: SeedAccount): string {
  return `${connection} ${externalId}`;
}

function readSeedState(file: string): SeedState {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as SeedState;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return {};
    throw error;
  }
}
