import type { DutyPorts } from "../../../functions/routes/accounts/duties.ts";
import type { ApiPorts } from "../../../functions/routes/api-endpoint.ts";
import type { ConsolePorts } from "../../../functions/routes/console-endpoint.ts";
import type { WorkerPorts } from "../../../functions/worker/batch.ts";
import { openFiles } from "../../../shared/aws/files.ts";
import type { Log } from "../../../shared/aws/log.ts";
import type { Mailer } from "../../../shared/aws/mail.ts";
import { openQueue } from "../../../shared/aws/queues.ts";
import { openConnections } from "../../../shared/aws/realtime.ts";
import { openReceivedMessages } from "../../../shared/aws/received-messages.ts";
import { openStoredSecret } from "../../../shared/aws/secret-values.ts";
import { parsePlatformSecrets, secretReader } from "../../../shared/aws/secrets.ts";
import { serviceKeysReader } from "../../../shared/aws/service-keys.ts";
import { openUploadFiles } from "../../../shared/aws/upload-files.ts";
import { openUploadGrants } from "../../../shared/aws/upload-grants.ts";
import { openVault } from "../../../shared/aws/vault.ts";
import type { AccountRef } from "../../../shared/domain/accounts/accounts.ts";
import type { Scope } from "../../../shared/domain/inbox/messages.ts";
import type { MailPorts } from "../../../shared/flows/access/mails/ports.ts";
import type { ConnectPorts } from "../../../shared/flows/accounts/ports.ts";
import type { TaskPorts } from "../../../shared/flows/accounts/run-task.ts";
import { eraseConversation } from "../../../shared/flows/erasure/erase.ts";
import type { CheckPorts } from "../../../shared/flows/holds/ports.ts";
import { tenantShards } from "../../../shared/flows/inbox/feed-shards.ts";
import { receiveWebhook } from "../../../shared/flows/inbox/inbound-webhooks.ts";
import { randomToken } from "../../../shared/kernel/bytes.ts";
import { newUlid } from "../../../shared/kernel/ids.ts";
import { clockNow } from "../../../shared/kernel/time.ts";
import { createGate } from "../../../shared/net/egress-gate.ts";
import type { WebhookClient } from "../../../shared/net/webhook-client.ts";
import type { AccountPlatform } from "../../../shared/platforms/accounts/account-platform.ts";
import { toWebhookBody } from "../../../shared/platforms/accounts/history.ts";
import { mockPlatform } from "../../../shared/platforms/api/mock.ts";
import { parseUpdates } from "../../../shared/platforms/parse/parse.ts";
import { verifyHandshake, verifySignature } from "../../../shared/platforms/parse/signature.ts";
import { parseSignedRequest } from "../../../shared/platforms/parse/signed-request.ts";
import { selectUpdates } from "../../../shared/platforms/parse/webhook-events.ts";
import type { Platform } from "../../../shared/platforms/platform.ts";
import { scanRotationRows } from "../../../shared/stores/access/rotation-leftovers.ts";
import { openTable } from "../../../shared/stores/client.ts";
import { concurrencySlotStore } from "../../../shared/stores/delivery/concurrency-slots.ts";
import { openStores } from "../../shared/stores/support/open-stores.ts";
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
