import { openFiles } from "#base/aws/files.ts";
import type { Log } from "#base/aws/log.ts";
import type { Mailer } from "#base/aws/mail.ts";
import { openQueue } from "#base/aws/queues.ts";
import { openConnections } from "#base/aws/realtime.ts";
import { openStoredSecret } from "#base/aws/secret-values.ts";
import { serviceKeysReader } from "#base/aws/service-keys.ts";
import { openVault } from "#base/aws/vault.ts";
import { newUlid } from "#base/kernel/ids.ts";
import { clockNow } from "#base/kernel/time.ts";
import { createGate } from "#base/net/egress-gate.ts";
import type { WebhookClient } from "#base/net/webhook-client.ts";
import { openTable } from "#base/table/client.ts";
import { scanRotationRows } from "#features/access/store/rotation-leftovers.ts";
import { openJournal } from "#features/recovery/journal.ts";
import type { AccountPlatform } from "#platforms/graph/account-platform.ts";
import { mockPlatform } from "#platforms/graph/mock.ts";
import type { Platform } from "#platforms/graph/platform.ts";
import { parseUpdates } from "#platforms/platforms.ts";
import { compose } from "../../../functions/compose.ts";
import type { Host } from "../../../functions/host.ts";
import { connectingPorts } from "../../../functions/support/connecting-ports.ts";
import { CHALLENGE_KEYS } from "../../support/flows/hold-fixture.ts";
import { testSettings } from "../../support/host/settings.ts";
import { openStores } from "../../support/stores/open-stores.ts";
import type { Aws, QueueId } from "./aws.ts";

/** Where the service and its console are. */
export const ORIGIN = "https://parley.example";

/** The world outside of AWS. */
export interface Outside {
  readonly platform: Platform;
  readonly accountPlatform: AccountPlatform;
  readonly webhookClient: WebhookClient;
  readonly mailer: Mailer;
  readonly log: Log;
}

/** The ports of every function, as a new process with empty caches has them. */
export function processPorts(aws: Aws, outside: Outside) {
  const { platform, accountPlatform, webhookClient, mailer, log } = outside;
  const host: Host = {
    settings: testSettings({
      table: aws.table.tableName,
      keyId: "key",
      rawBucket: "raw",
      uploadBucket: "uploads",
      journalBucket: "journal",
      queueUrl: aws.url,
      baseUrl: ORIGIN,
    }),
    clients: {
      table: aws.table.client,
      sqs: aws.sqs,
      s3: aws.s3,
      journal: openFiles("journal", aws.s3).put,
      kms: aws.kms,
      secrets: aws.secrets,
      connections: openConnections("https://stream.example", aws.connections),
      // Every host resolves: a lookup outside of the process would decide whether there are any endpoints.
      gate: createGate({ mode: "public", resolver: async () => ["93.184.216.34"] }),
      webhookClient,
      platformFor: async (account, scope) =>
        scope === "test" ? mockPlatform(() => newUlid(clockNow()), account.platform) : platform,
      accountPlatformFor: async () => accountPlatform,
      mail: mailer,
    },
    log,
    random: () => Math.random(),
    pageFiles: new Map(),
  };
  const functions = compose(host);
  return {
    ...functions,
    log,
    // A person solves its challenges without a browser.
    "check-page": () => ({ ...functions["check-page"](), challengeKeys: async () => CHALLENGE_KEYS }),
    // Its mails are no part of a history.
    deliver: () => ({ ...functions.deliver(), mails: { send: async () => {} } }),
    connecting: () => connectingPorts(host, openTable(aws.table.tableName, aws.table.client)),
    operator: () => operatorPorts(aws, outside),
  };
}

/** What the operator's commands use. */
function operatorPorts(aws: Aws, { accountPlatform, log }: Outside) {
  const table = openTable(aws.table.tableName, aws.table.client);
  const queue = (name: QueueId) => openQueue(aws.url(name), aws.sqs);
  const readRoot = serviceKeysReader("root", aws.secrets);
  const common = {
    ...openStores(table),
    log,
    vault: openVault("key", aws.kms),
    realtime: queue("Realtime"),
    events: queue("Events"),
    accountWork: queue("Accounts"),
    uploadFiles: openFiles("uploads", aws.s3),
    journal: openJournal(openFiles("journal", aws.s3)),
    accountPlatformFor: async () => accountPlatform,
    peppers: async () => (await readRoot()).pepper,
    addressKeys: async (kid?: string) => (await readRoot(kid)).address,
    sessionKeys: async () => (await readRoot()).session,
  };
  return {
    admin: common,
    rotation: {
      ...common,
      rootSecret: openStoredSecret("root", aws.secrets),
      rotationRows: () => scanRotationRows(table),
    },
    redrive: { ...common, parseUpdates, queueFor: queue },
  };
}

export type ProcessPorts = ReturnType<typeof processPorts>;
