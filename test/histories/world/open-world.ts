import type { LogLine } from "#base/aws/log.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { type Millis, SECOND } from "#base/kernel/time.ts";
import { openTable } from "#base/table/client.ts";
import { cursorAfter } from "#base/table/due-queue.ts";
import { dueStore } from "#features/delivery/store/due-attempts.ts";
import { dueSendStore } from "#features/sending/store/send-records.ts";
import { createTenant } from "#features/tenants/flows/tenants.ts";
import { createKey } from "../../features/access/flows/support/api-keys.ts";
import { linkTestAccount } from "../../features/accounts/flows/support/link-test-account.ts";
import { seededRandom } from "../../support/flows/races/deterministic-scheduler.ts";
import { openAws } from "../cloud/aws.ts";
import { connectEventSources } from "../cloud/event-sources.ts";
import { openGateway } from "../cloud/gateway.ts";
import { loadFunction } from "../cloud/handlers.ts";
import { Lambda } from "../cloud/lambda.ts";
import { processPorts } from "../cloud/ports.ts";
import { Engine } from "../engine/engine.ts";
import { openAccountPlatform } from "./account-platform.ts";
import { Mailbox } from "./mailbox.ts";
import { createMembers } from "./members.ts";
import { Outages } from "./outages.ts";
import { PagePlatform } from "./page-platform.ts";
import { accounts, tenants } from "./people.ts";
import { SimulatedPlatform } from "./platform.ts";
import { Receivers } from "./receivers.ts";
import { Troubles } from "./troubles.ts";

/** An instant with odd milliseconds. */
const START: Millis = 1_793_000_000_123;
const CLOCKS_DIFFER_BY: Millis = 2 * SECOND;

/** One history in so many has the daily checks of accounts that are healthy. */
const HEALTHY_CHECKED_EVERY = 8;

export type World = Awaited<ReturnType<typeof openWorld>>;

/** The keys of a tenant. */
export interface TenantKeys {
  readonly live: string;
  readonly test: string;
}

/** What differs between the worlds of the kinds of histories. */
interface WorldOptions {
  /** Whether tenants connect their accounts in the history, on a platform with a history. They have none at its start. */
  readonly isOfAccounts: boolean;
}

/** The whole service in this process, with two tenants. @param seed of all that is left to chance */
export async function openWorld(seed: number, { isOfAccounts }: WorldOptions = { isOfAccounts: false }) {
  const engine = new Engine(seed, START);
  const random = seededRandom(seed ^ 0x9e3779b9);
  const logLines: { readonly line: LogLine; readonly at: Millis }[] = [];
  let lambda: Lambda;
  const troubles = new Troubles({ engine, lambda: () => lambda });
  const outages = new Outages(engine.now);
  const gateway = openGateway({ engine, troubles, lambda: () => lambda });
  const aws = openAws({
    now: engine.now,
    connections: gateway.client,
    decide: async (operation) => {
      const fault = await troubles.decide(operation.command);
      troubles.refuseUnstorable(operation);
      return outages.includes(operation) ? "fail" : fault;
    },
  });
  const platform = new SimulatedPlatform({ engine, troubles, outages, lambda: () => lambda, random });
  const receivers = new Receivers(engine, troubles);
  const mailbox = new Mailbox({ engine, troubles });
  const log = (line: LogLine) => void logLines.push({ line, at: engine.now() });
  const pagePlatform = new PagePlatform({ engine, troubles, outages });
  const accountPlatform = isOfAccounts ? pagePlatform : openAccountPlatform(troubles);
  const outside = { platform, accountPlatform, webhookClient: receivers.client, mailer: mailbox.mailer, log };
  lambda = new Lambda({
    engine,
    load: (name) => loadFunction(name, processPorts(aws, outside)),
    // No two processes differ by more than two seconds.
    clockOffset: () => Math.floor(random() * CLOCKS_DIFFER_BY) - CLOCKS_DIFFER_BY / 2,
  });
  const checksHealthyAccounts = isOfAccounts || seed % HEALTHY_CHECKED_EVERY === 0;
  connectEventSources({ engine, aws, lambda, random, checksHealthyAccounts });
  const { admin } = processPorts(aws, outside).operator();
  const now = engine.now();
  const apiKeys = new Map<TenantId, TenantKeys>();
  for (const tenant of tenants) {
    await createTenant(admin, tenant, { name: tenant, ownerEmail: null, author: { actor: "cli" } }, now);
    const live = await createKey(admin, tenant, { scope: "live", label: "", author: { actor: "cli" } }, now);
    const test = await createKey(admin, tenant, { scope: "test", label: "", author: { actor: "cli" } }, now);
    apiKeys.set(tenant, { live: live.secret, test: test.secret });
  }
  for (const { tenant, ...ref } of isOfAccounts ? [] : accounts) {
    const isPage = ref.platform === "messenger";
    const account = {
      ...ref,
      connection: isPage ? "messenger" : "instagram_login",
      handle: "@shop",
      displayName: "Shop",
      pageId: isPage ? ref.externalId : null,
    } as const;
    await linkTestAccount(admin, { tenant, account, token: "a token", author: { actor: "cli" }, now });
  }
  const userIds = await createMembers(admin, now);
  // The sweep has always run.
  const table = openTable(aws.table.tableName, aws.table.client);
  await dueStore(table).saveCheckpoint(cursorAfter(now));
  await dueSendStore(table).saveCheckpoint(cursorAfter(now));
  troubles.isOff = false;
  const { redrive } = processPorts(aws, outside).operator();
  return {
    engine,
    aws,
    gateway,
    lambda,
    platform,
    pagePlatform,
    receivers,
    troubles,
    outages,
    /** The keys of a tenant. */
    keysOf: (tenant: TenantId) => apiKeys.get(tenant) as TenantKeys,
    mailbox,
    userIds,
    logLines,
    admin,
    /** Of an operator's rotation of the root secret: without a cache. */
    rotationPorts: () => processPorts(aws, outside).operator().rotation,
    /** Of the operator's commands. */
    redrivePorts: redrive,
    random,
    /** Decides which copies of the table are behind. */
    lagRandom: seededRandom(seed ^ 0x7f4a7c15),
  };
}
