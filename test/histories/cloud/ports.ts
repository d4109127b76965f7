import type { Log } from "#base/aws/log.ts";
import type { Mailer } from "#base/aws/mail.ts";
import { openConnections } from "#base/aws/realtime.ts";
import { openStoredSecret } from "#base/aws/secret-values.ts";
import { newUlid } from "#base/kernel/ids.ts";
import { clockNow } from "#base/kernel/time.ts";
import { createGate } from "#base/net/egress-gate.ts";
import type { WebhookClient } from "#base/net/webhook-client.ts";
import { scanRotationRows } from "#features/access/store/rotation-leftovers.ts";
import type { AccountPlatform } from "#platforms/graph/account-platform.ts";
import { mockPlatform } from "#platforms/graph/mock.ts";
import type { Platform } from "#platforms/graph/platform.ts";
import { redriveSelection } from "../../../functions/admin/redrive-ports.ts";
import { compose } from "../../../functions/compose.ts";
import { composeAll } from "../../../functions/compose-all.ts";
import type { Host } from "../../../functions/host.ts";
import { accountPlatformFor } from "../../../functions/ports/account-platforms.ts";
import { connectingPorts } from "../../../functions/ports/connecting.ts";
import { journal, uploadObjects } from "../../../functions/ports/files.ts";
import { addressKeys, peppers, sessionKeys, vault } from "../../../functions/ports/keys.ts";
import { log } from "../../../functions/ports/process.ts";
import { accountWork, events, realtime } from "../../../functions/ports/queues.ts";
import { table } from "../../../functions/ports/table.ts";
import { CHALLENGE_KEYS } from "../../support/flows/hold-fixture.ts";
import { testHost } from "../../support/host/test-host.ts";
import { openStores } from "../../support/stores/open-stores.ts";
import type { Aws } from "./aws.ts";
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
  const host = testHost({
    table: aws.table,
    keyId: "key",
    queueUrl: aws.url,
    baseUrl: ORIGIN,
    clients: {
      sqs: aws.sqs,
      s3: aws.s3,
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
  });
  const functions = composeAll(host);
  return {
    ...functions,
    log,
    // A person solves its challenges without a browser.
    "check-page": () => ({ ...functions["check-page"](), challengeKeys: async () => CHALLENGE_KEYS }),
    // Its mails are no part of a history.
    deliver: () => ({ ...functions.deliver(), mails: { send: async () => {} } }),
    connecting: () => compose(host, connectingPorts),
    operator: () => operatorPorts(host, aws),
  };
}

/** What the operator's commands use. */
function operatorPorts(host: Host, aws: Aws) {
  const { table: opened, ...others } = compose(host, {
    ...{ table, log, vault, realtime, events, accountWork, uploadFiles: uploadObjects, journal, accountPlatformFor },
    ...{ peppers, addressKeys, sessionKeys },
  });
  const common = { ...openStores(opened), ...others };
  return {
    admin: common,
    rotation: {
      ...common,
      rootSecret: openStoredSecret("root", aws.secrets),
      rotationRows: () => scanRotationRows(opened),
    },
    redrive: { ...common, ...compose(host, redriveSelection) },
  };
}

export type ProcessPorts = ReturnType<typeof processPorts>;
