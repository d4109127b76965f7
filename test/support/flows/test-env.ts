import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DisableKeyCommand, EnableKeyCommand } from "@aws-sdk/client-kms";
import { SESv2Client } from "@aws-sdk/client-sesv2";
import { CreateQueueCommand } from "@aws-sdk/client-sqs";
import { openFiles } from "#base/aws/files.ts";
import type { LogLine } from "#base/aws/log.ts";
import { openReceivedMessages } from "#base/aws/received-messages.ts";
import { serviceKeysReader } from "#base/aws/service-keys.ts";
import { openUploadFiles } from "#base/aws/upload-files.ts";
import { openVault } from "#base/aws/vault.ts";
import type { QueueName } from "#base/config/names.ts";
import { setRuntimeOverrides } from "#base/kernel/runtime.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { DAY, type Millis } from "#base/kernel/time.ts";
import { createGate } from "#base/net/egress-gate.ts";
import type { WebhookClient } from "#base/net/webhook-client.ts";
import { openTable, type Table } from "#base/table/client.ts";
import { type AccountRef, accountKey, type PlatformName } from "#features/accounts/rules/accounts.ts";
import { concurrencySlotStore } from "#features/delivery/store/concurrency-slots.ts";
import { type Emulators, startEmulators } from "#local-aws/emulators/server.ts";
import { platformHttp } from "#platforms/graph/http.ts";
import { compose } from "../../../functions/compose.ts";
import { composeAll } from "../../../functions/compose-all.ts";
import type { Clients, Host } from "../../../functions/host.ts";
import { connectingPorts } from "../../../functions/ports/connecting.ts";
import { linkTestAccount } from "../../features/accounts/flows/support/link-test-account.ts";
import { noStream } from "../../features/realtime/flows/support/no-stream.ts";
import { openSecrets } from "../../histories/cloud/secrets.ts";
import { testAccessKeys } from "../access/access-keys.ts";
import type { TestTable } from "../dynamodb.ts";
import { BUCKET, clientSettings, clientsFor, createBucketsAndKey, UPLOAD_BUCKET } from "../host/emulated-services.ts";
import { platformsAt, testHost } from "../host/test-host.ts";
import { observeClients, requireNoLateCalls } from "../processes/work-left.ts";
import { openStores } from "../stores/open-stores.ts";
import { NOW } from "../stores/samples.ts";
import { startFlowTable } from "../world/flow-table.ts";
import { processClock, suspendable } from "../world/processes.ts";
import { lettersOf } from "./dead-letters.ts";

/** The names of the queues in `TestQueues`. */
const queueNames = {
  Inbound: "inbound",
  Events: "events",
  Deliveries: "deliveries",
  SlowDeliveries: "slowDeliveries",
  Profiles: "profiles",
  Erasures: "erasures",
  Mails: "mails",
  Uploads: "uploads",
  Accounts: "accounts",
  Realtime: "realtime",
} as const satisfies Record<QueueName, string>;

/** Without a queue of its own, a test has no stream. */
const streamOf = ({ realtime }: Partial<TestQueues>) => (realtime ? {} : noStream);

/** The queues of one test, empty when created. */
export type TestQueues = Readonly<Record<(typeof queueNames)[QueueName], string>>;

/**
 * A real table, real emulators of the other services, and ports of the real stores. Its clock is the clock of the
 * whole process, and only tests advance it. Every call to `…Ports` acts as a new process with an empty cache.
 */
export type TestEnv = Awaited<ReturnType<typeof openTestEnv>>;

/** @param options.startTable opens another table, such as `openWorldTable`, whose reads may be behind */
export async function openTestEnv(
  options: { readonly startTable?: (now: () => Millis) => TestTable | Promise<TestTable> } = {},
) {
  let now: Millis = NOW;
  setRuntimeOverrides({ now: processClock(() => now) });
  const table: TestTable = await (options.startTable ?? startFlowTable)(() => now);
  const dataDir = mkdtempSync(join(tmpdir(), "test-env-"));
  const emulators: Emulators = await startEmulators({
    port: 0,
    dataDir,
    now: () => now,
    accessKeys: testAccessKeys,
    verifiesSignatures: false,
  });
  const { sqs, s3, kms } = clientsFor(emulators);
  const ses = new SESv2Client(clientSettings(emulators));
  // The queue client of the event source is not part of the functions' processes.
  const { sqs: eventSource } = clientsFor(emulators);
  const aws = { sqs, s3, kms, ses, eventSource };
  const serviceClients = [table.client, aws.sqs, aws.s3, aws.kms, aws.ses] as const;
  suspendable(serviceClients);
  observeClients(serviceClients);
  const keyId = await createBucketsAndKey(aws);
  const tableHandle: Table = openTable(table.tableName, table.client);
  const logLines: LogLine[] = [];
  const log = (line: LogLine) => {
    logLines.push(line);
  };
  let queueSets = 0;
  const secrets = openSecrets(() => now).client;
  const readRoot = serviceKeysReader("root", secrets);

  /** The host of a process, with the queues of one test. */
  function hostFor(
    queues: Partial<TestQueues>,
    {
      graph = "http://127.0.0.1:9",
      ...clients
    }: { readonly graph?: string } & Pick<Clients, "webhookClient" | "accountPlatformFor" | "mail"> = {},
  ): Host {
    const http = platformHttp({ total: 400 });
    return testHost({
      table,
      keyId,
      queueUrl: (queue) => queues[queueNames[queue]] || "http://queues/none",
      baseUrl: "https://parley.example",
      consoleUrl: "https://console.example",
      mailFrom: "parley@example.com",
      clients: {
        ...aws,
        secrets,
        gate: createGate({ mode: "open" }),
        ...platformsAt(graph, { http, now: () => now }),
        ...clients,
      },
      log,
    });
  }

  async function newQueue(name: string, visibilitySeconds: number): Promise<string> {
    const Attributes = { VisibilityTimeout: `${visibilitySeconds}` };
    const { QueueUrl } = await aws.sqs.send(new CreateQueueCommand({ QueueName: name, Attributes }));
    return QueueUrl ?? "";
  }

  const testEnv = {
    table: tableHandle,
    client: table.client,
    emulators,
    ...aws,
    /** The AWS clients of the process, for fault injection. */
    clients: serviceClients,
    lines: logLines,
    now: () => now,
    advance(by: Millis): void {
      now += by;
      emulators.onClockAdvance();
    },
    async newQueues(): Promise<TestQueues> {
      const prefix = `queues-${++queueSets}`;
      const names = Object.values(queueNames);
      const urls = await Promise.all(names.map((name) => newQueue(`${prefix}-${name}`, name === "uploads" ? 720 : 30)));
      return Object.fromEntries(names.map((name, index) => [name, urls[index]])) as unknown as TestQueues;
    },
    files: openFiles(BUCKET, aws.s3),
    uploadFiles: openUploadFiles(UPLOAD_BUCKET, aws.s3),
    receivedMessages: openReceivedMessages(aws.sqs),
    disableKey: () => aws.kms.send(new DisableKeyCommand({ KeyId: keyId })),
    enableKey: () => aws.kms.send(new EnableKeyCommand({ KeyId: keyId })),
    newVault: () => openVault(keyId, aws.kms),
    intakePorts: (queues: Partial<TestQueues>) => composeAll(hostFor(queues)).intake(),
    ingestPorts: (queues: Partial<TestQueues>) => composeAll(hostFor(queues)).ingest(),
    /** @param graph the URL of the platform's API */
    profilePorts: (graph: string, queues: Partial<TestQueues> = {}) => ({
      ...composeAll(hostFor(queues, { graph })).profile(),
      ...streamOf(queues),
    }),
    deliverPorts: (queues: Partial<TestQueues>, webhookClient: WebhookClient) => ({
      ...openStores(tableHandle),
      ...composeAll(hostFor(queues, { webhookClient })).deliver(),
      // Its workers try different slots first, as those of a deployment do.
      concurrencySlots: concurrencySlotStore(tableHandle),
    }),
    erasePorts: (queues: Partial<TestQueues>) => ({
      ...openStores(tableHandle),
      ...composeAll(hostFor(queues)).erase(),
      ...streamOf(queues),
    }),
    /** The ports of the sweep's work on dead letters, as if the messages of this queue were in its dead-letter queue. */
    deadLetterPorts: (queue: QueueName, queues: Partial<TestQueues> = {}) =>
      lettersOf(
        { ...openStores(tableHandle), ...composeAll(hostFor(queues)).sweep() },
        { queue, url: queues[queueNames[queue]] ?? "", sqs: aws.eventSource },
      ),
    mailPorts: (queues: Partial<TestQueues>, clients: Pick<Clients, "mail"> = {}) =>
      composeAll(hostFor(queues, clients)).mail(),
    handOverPorts: (queues: Partial<TestQueues>) => composeAll(hostFor(queues))["hand-over"](),
    /** Of the accounts' worker, and of what connects accounts. */
    accountsPorts(queues: Partial<TestQueues>, clients: Pick<Clients, "accountPlatformFor">) {
      const host = hostFor(queues, clients);
      // What a function waits for passes at once.
      const wait = async (duration: Millis) => testEnv.advance(duration);
      return { ...composeAll(host).accounts(), ...compose(host, connectingPorts), wait };
    },
    consolePorts: (queues: Partial<TestQueues> = {}) => composeAll(hostFor(queues)).console(),
    connectPorts: (queues: Partial<TestQueues> = {}) => composeAll(hostFor(queues)).connect(),
    sweepPorts: (queues: TestQueues) => ({ ...openStores(tableHandle), ...composeAll(hostFor(queues)).sweep() }),
    /** The environment and the clients of a command. */
    commandHost(queues: TestQueues) {
      const { sqs, s3, kms } = aws;
      return { environment: hostFor(queues).settings, clients: { table: table.client, sqs, s3, kms, secrets } };
    },
    /** The keys of the hashes of addresses. */
    addressKeys: async () => (await readRoot()).address,
    /** @param graph the URL of the platform's API; nothing listens at the default */
    apiPorts: (queues: Partial<TestQueues>, graph = "http://127.0.0.1:9") => ({
      ...testEnv.erasePorts(queues),
      ...composeAll(hostFor(queues, { graph })).api(),
      ...streamOf(queues),
    }),
    /** Connects a new account to a tenant, eight days ago, so that it had it in the time of every webhook. @returns its platform ID */
    async connect(tenant: TenantId, platform: PlatformName = "instagram"): Promise<string> {
      const externalId = `${platform === "instagram" ? "ig" : "page"}-${tenant}`;
      await linkTestAccount(
        { ...openStores(tableHandle), vault: testEnv.newVault() },
        {
          tenant,
          account: {
            platform,
            externalId,
            connection: platform === "instagram" ? "instagram_login" : "messenger",
            handle: "@shop",
            displayName: "Shop",
            pageId: platform === "instagram" ? null : externalId,
          },
          token: `token-of-${tenant}`,
          author: { actor: "cli" },
          now: now - 8 * DAY,
        },
      );
      return externalId;
    },
    /** Disconnects an account, as far as the table. */
    async disconnect(tenant: TenantId, ref: AccountRef): Promise<void> {
      const { accounts } = openStores(tableHandle);
      const { connectionId = "" } = (await accounts.get(tenant, ref)) ?? {};
      const resource = `account:${accountKey(ref)}`;
      const audit = { action: "account.disconnect", resource, actor: "cli", ip: null, detail: {}, at: now } as const;
      const { kind } = await accounts.disconnect({
        tenant,
        ref,
        connectionId,
        author: { audit, actor: null },
        event: null,
        now,
      });
      if (kind !== "disconnected") throw new Error(`The account is not disconnected: ${kind}.`);
    },
    async close(): Promise<void> {
      setRuntimeOverrides({});
      for (const client of Object.values(aws)) client.destroy();
      await emulators.close();
      await table.close();
      rmSync(dataDir, { recursive: true });
      requireNoLateCalls();
    },
  };
  return testEnv;
}
