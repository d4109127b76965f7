import { openFiles } from "#base/aws/files.ts";
import type { Log } from "#base/aws/log.ts";
import type { Mailer } from "#base/aws/mail.ts";
import { openQueue } from "#base/aws/queues.ts";
import { openConnections } from "#base/aws/realtime.ts";
import { openReceivedMessages } from "#base/aws/received-messages.ts";
import { openStoredSecret } from "#base/aws/secret-values.ts";
import { parsePlatformSecrets, secretReader } from "#base/aws/secrets.ts";
import { serviceKeysReader } from "#base/aws/service-keys.ts";
import { openUploadFiles } from "#base/aws/upload-files.ts";
import { openUploadGrants } from "#base/aws/upload-grants.ts";
import { openVault } from "#base/aws/vault.ts";
import { randomToken } from "#base/kernel/bytes.ts";
import { newUlid } from "#base/kernel/ids.ts";
import { clockNow } from "#base/kernel/time.ts";
import { createGate } from "#base/net/egress-gate.ts";
import type { WebhookClient } from "#base/net/webhook-client.ts";
import { openTable } from "#base/table/client.ts";
import type { MailPorts } from "#features/access/flows/mails/ports.ts";
import { scanRotationRows } from "#features/access/store/rotation-leftovers.ts";
import type { TaskPorts } from "#features/accounts/flows/run-task.ts";
import type { ConnectPorts } from "#features/accounts/ports.ts";
import type { DutyPorts } from "#features/accounts/routes/duties.ts";
import type { AccountRef } from "#features/accounts/rules/accounts.ts";
import { concurrencySlotStore } from "#features/delivery/store/concurrency-slots.ts";
import { eraseConversation } from "#features/erasure/flows/erase.ts";
import type { CheckPorts } from "#features/holds/ports.ts";
import { tenantShards } from "#features/inbox/flows/feed-shards.ts";
import { receiveWebhook } from "#features/inbox/flows/inbound-webhooks.ts";
import type { Scope } from "#features/inbox/rules/messages.ts";
import type { ApiPorts } from "../../../functions/api/routes.ts";
import type { ConsolePorts } from "../../../functions/console/routes.ts";
import type { WorkerPorts } from "../../../functions/worker/batch.ts";
import type { AccountPlatform } from "../../../shared/platforms/accounts/account-platform.ts";
import { toWebhookBody } from "../../../shared/platforms/accounts/history.ts";
import { mockPlatform } from "../../../shared/platforms/api/mock.ts";
import { parseUpdates } from "../../../shared/platforms/parse/parse.ts";
import { verifyHandshake, verifySignature } from "../../../shared/platforms/parse/signature.ts";
import { parseSignedRequest } from "../../../shared/platforms/parse/signed-request.ts";
import { selectUpdates } from "../../../shared/platforms/parse/webhook-events.ts";
import type { Platform } from "../../../shared/platforms/platform.ts";
import { openStores } from "../../support/stores/open-stores.ts";
import { type Aws, queueIds } from "./aws.ts";

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
export function processPorts(aws: Aws, { platform, accountPlatform, webhookClient, mailer, log }: Outside) {
  const table = openTable(aws.table.tableName, aws.table.client);
  const vault = openVault("key", aws.kms);
  const readRoot = serviceKeysReader("root", aws.secrets);
  const stores = { ...openStores(table), concurrencySlots: concurrencySlotStore(table) };
  const platformFor = async (account: AccountRef, scope?: Scope): Promise<Platform> =>
    scope === "test" ? mockPlatform(() => newUlid(clockNow()), account.platform) : platform;
  const sending = { vault, feedShards: tenantShards(stores.tenantStates), platformFor };
  const queue = (name: (typeof queueIds)[number]) => openQueue(aws.url(name), aws.sqs);
  const peppers = async () => (await readRoot()).pepper;
  const mailKeys = {
    addressKeys: async (kid?: string) => (await readRoot(kid)).address,
    loginKeys: async (kid?: string) => (await readRoot(kid)).loginLink,
  };
  const people = {
    sessionKeys: async (kid?: string) => (await readRoot(kid)).session,
    consoleOrigin: ORIGIN,
    baseUrl: ORIGIN,
    isSignUpOpen: false,
    tenantLimits: { perOwner: 5, perDay: 2 },
    inviteLimits: { pending: 50, tenantMails: 100, personMails: 100 },
  };
  const common = {
    ...stores,
    log,
    vault,
    events: queue("Events"),
    accountWork: queue("Accounts"),
    retries: queue("Deliveries"),
    slowRetries: queue("SlowDeliveries"),
    realtime: queue("Realtime"),
    erasureWork: queue("Erasures"),
    uploadFiles: openFiles("uploads", aws.s3),
    uploadWork: queue("Uploads"),
    realtimeUrl: "wss://stream.example",
    connections: openConnections("https://stream.example", aws.connections),
    accountPlatformFor: async () => accountPlatform,
    receivedMessages: openReceivedMessages(aws.sqs),
  };
  const files = openFiles("raw", aws.s3);
  const inbound = queue("Inbound");
  const account: TaskPorts & WorkerPorts = {
    ...common,
    dataDeletionKeys: async (kid) => (await readRoot(kid)).dataDeletion,
    eraseConversation: (erasure, hasTime) => eraseConversation(common, { ...erasure, actor: "system" }, hasTime),
    renderWebhook: toWebhookBody,
    queueWebhook: (raw, now) => receiveWebhook({ inbound, files }, raw, now),
    wait: (duration) => new Promise((resolve) => setTimeout(resolve, duration)),
    mail: mailer,
  };
  const api: ApiPorts = {
    ...common,
    ...sending,
    uploadFiles: openUploadFiles("uploads", aws.s3),
    uploadGrants: openUploadGrants("uploads", aws.s3),
    peppers,
    // Every host resolves: a lookup outside of the process would decide whether there are any endpoints.
    gate: createGate({ mode: "public", resolver: async () => ["93.184.216.34"] }),
    holdKeys: async () => (await readRoot()).holdSecret,
    cursorKeys: async () => (await readRoot()).cursor,
    ...people,
    siteUrl: null,
  };
  const connect: ConnectPorts & DutyPorts = {
    ...common,
    accountsMax: 500,
    dataDeletionKeys: async (kid) => (await readRoot(kid)).dataDeletion,
    platformSecrets: secretReader("platforms", parsePlatformSecrets, aws.secrets),
    parseSignedRequest,
    baseUrl: ORIGIN,
    pageFiles: new Map(),
  };
  const verify: CheckPorts = {
    ...common,
    ...sending,
    challengeKeys: async () => (await readRoot()).challenge,
    random: randomToken,
    pageFiles: new Map(),
  };
  return {
    api,
    verify,
    intake: {
      verifySignature,
      verifyHandshake,
      inbound,
      files,
      platformSecrets: secretReader("platforms", parsePlatformSecrets, aws.secrets),
      log,
    },
    ingest: { ...common, parseUpdates, selectUpdates, files, inbound, profiles: queue("Profiles") },
    deliver: { ...common, webhookClient, mail: null, random: Math.random },
    profile: { ...common, platformFor: async () => platform },
    erase: common,
    sweep: { ...common, ...sending, files },
    connect,
    console: { ...common, ...mailKeys, ...people, mails: queue("Mails"), pageFiles: new Map() } satisfies ConsolePorts,
    mail: { ...common, ...mailKeys, ...people, mail: mailer } satisfies MailPorts,
    account,
    socket: { ...common, consoleOrigin: ORIGIN },
    push: common,
    deadLetters: {
      ...common,
      findSourceQueue: (name: string) => queueIds.find((id) => name === `${id}-dead`) ?? null,
    },
    admin: { ...common, ...mailKeys, peppers },
    rotation: {
      sessionKeys: async () => (await readRoot()).session,
      ...common,
      ...mailKeys,
      peppers,
      rootSecret: openStoredSecret("root", aws.secrets),
      rotationRows: () => scanRotationRows(table),
    },
    redrive: { ...common, parseUpdates, queueFor: queue },
  };
}

export type ProcessPorts = ReturnType<typeof processPorts>;
