import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Log, type LogLine, toLogText } from "#base/aws/log.ts";
import { openQueue } from "#base/aws/queues.ts";
import type { Connections } from "#base/aws/realtime.ts";
import { openReceivedMessages } from "#base/aws/received-messages.ts";
import type { QueueName } from "#base/config/names.ts";
import { FIRST_EVENT_WAIT } from "#base/kernel/limits.ts";
import type { Millis } from "#base/kernel/time.ts";
import { createGate } from "#base/net/egress-gate.ts";
import { createWebhookClient, type WebhookClient } from "#base/net/webhook-client.ts";
import { openTable } from "#base/table/client.ts";
import { sweepDue } from "#features/delivery/flows/sweep/due.ts";
import { rescheduleOverdue } from "#features/delivery/flows/sweep/overdue.ts";
import { settleDueSends } from "#features/sending/flows/settle-due.ts";
import { startEmulators } from "#local-aws/emulators/server.ts";
import { platformHttp } from "#platforms/graph/http.ts";
import type { AdminPorts } from "../../functions/admin/tenant-ports.ts";
import { apiApp } from "../../functions/api/app.ts";
import { compose } from "../../functions/compose.ts";
import { composeAll } from "../../functions/compose-all.ts";
import { deliverWorker } from "../../functions/deliver/worker.ts";
import { eraseWorker } from "../../functions/erase/worker.ts";
import { ingestWorker } from "../../functions/ingest/worker.ts";
import { intakeApp } from "../../functions/intake/app.ts";
import { addressKeys, peppers, vault } from "../../functions/ports/keys.ts";
import { log as hostLog } from "../../functions/ports/process.ts";
import { realtime } from "../../functions/ports/queues.ts";
import { profileWorker } from "../../functions/profile/worker.ts";
import { pushWorker } from "../../functions/push/worker.ts";
import { testAccessKeys } from "./access/access-keys.ts";
import { observeFrame } from "./conformance/observed.ts";
import { createApp } from "./conformance/observed-app.ts";
import { startTestTable, type TestTable } from "./dynamodb.ts";
import { delayedMessages } from "./flows/queue-worker.ts";
import { clientsFor, provision } from "./host/emulated-services.ts";
import { platformsAt, testHost } from "./host/test-host.ts";
import { attachMeter } from "./meter.ts";
import { eventSource, type Handler } from "./pipeline/event-source.ts";
import { startLoopback } from "./pipeline/loopback.ts";
import type { SignedWebhook } from "./pipeline/traffic.ts";
import { openStores } from "./stores/open-stores.ts";
/** A cost: units of the table with its indexes, requests of all queues. */
export interface Cost {
  readonly wcu: number;
  readonly rcu: number;
  readonly sqs: number;
}

/** What else a message costs. */
export interface FullCost extends Cost {
  /** Objects written to a bucket. */
  readonly objects: number;
  /** Frames sent to sockets. */
  readonly frames: number;
}

/** The functions that a message runs. */
type MessageFunction = "Intake" | "Ingest" | "Deliver" | "Api" | "Push";

/** A cost with what else AWS bills of a message. */
export interface Usage extends FullCost {
  readonly invocations: Readonly<Record<MessageFunction, number>>;
  /** As CloudWatch counts them, with its 26 bytes for each line. Without the access log of the gateway. */
  readonly logBytes: number;
}

/** CloudWatch Logs counts so many bytes more for each line. Source: PutLogEvents. */
const LOG_LINE_OVERHEAD = 26;

interface PipelineOptions {
  readonly webhookClient?: WebhookClient;
  readonly connections?: Connections;
  readonly startTable?: (now: () => Millis) => TestTable | Promise<TestTable>;
  readonly isMetered?: boolean;
  readonly log?: Log;
}

export type Pipeline = Awaited<ReturnType<typeof startPipeline>>;

/** A fixed instant, so that every run writes the same bytes. */
const START: Millis = Date.UTC(2026, 2, 4, 5, 6, 7, 89);

/**
 * Intake, ingest, deliver, sweep and API with their real ports: one metered table, emulated queues, bucket, key and
 * secrets, and receivers on loopback behind an open gate. The clock stands still until a test advances it.
 * @param options.webhookClient replaces the client that calls the receivers on loopback
 * @param options.connections replaces the gateway of the sockets, which takes every frame
 * @param options.startTable opens another table, such as `startFlowTable`
 * @param options.isMetered false for a table without a meter, whose requests cost less. Default: true
 * @param options.log is called with each log line by the work that writes it
 */
export async function startPipeline(options: PipelineOptions = {}) {
  let currentTime = START;
  const now = () => currentTime;
  const table = await (options.startTable ?? startTestTable)(now);
  const meter = options.isMetered === false ? null : attachMeter(table.client, table.tableName);
  const measure = (name: string, work: () => Promise<unknown>) => {
    if (!meter) throw new Error("This pipeline has no meter.");
    return meter.measure(name, work);
  };
  const dataDir = mkdtempSync(join(tmpdir(), "parley-pipeline-"));
  const emulators = await startEmulators({
    port: 0,
    dataDir,
    now,
    accessKeys: testAccessKeys,
    verifiesSignatures: false,
  });
  const loopback = await startLoopback();
  const clients = clientsFor(emulators);
  const { queueUrls, keyId } = await provision(clients);
  let objects = 0;
  clients.s3.middlewareStack.add(
    (next, { commandName }) =>
      (args) => {
        if (commandName === "PutObjectCommand") objects++;
        return next(args);
      },
    { step: "initialize", name: "objects" },
  );

  const logLines: LogLine[] = [];
  /** Null while nothing is measured. */
  let logBytes: number | null = null;
  const invocations: Record<MessageFunction, number> = { Intake: 0, Ingest: 0, Deliver: 0, Api: 0, Push: 0 };
  const counted =
    (name: MessageFunction, handler: Handler): Handler =>
    (event, invocation) => {
      invocations[name]++;
      return handler(event, invocation);
    };
  const log: Log = (line) => {
    if (logBytes !== null) logBytes += Buffer.byteLength(toLogText(line)) + LOG_LINE_OVERHEAD;
    logLines.push(line);
    options.log?.(line);
  };
  const tableHandle = openTable(table.tableName, table.client);
  const queue = (name: QueueName) => openQueue(queueUrls[name], clients.sqs);
  const retries = queue("Deliveries");
  const gate = createGate({ mode: "open" });
  const webhookClient = options.webhookClient ?? createWebhookClient({ gate });
  const frames: string[] = [];
  const connections = options.connections ?? {
    post: async (_connectionId: string, text: string) => {
      observeFrame("server", text);
      frames.push(text);
      return "sent" as const;
    },
    close: async () => "closed" as const,
  };
  const host = testHost({
    table,
    keyId,
    queueUrl: (name) => queueUrls[name],
    baseUrl: "https://parley.example",
    platformUrl: loopback.origin,
    clients: {
      ...clients,
      connections,
      gate,
      webhookClient,
      ...platformsAt(loopback.origin, { http: platformHttp({ clock: now }), now }),
      mail: null,
    },
    log,
  });
  const functions = composeAll(host);

  const stores = { ...openStores(tableHandle), receivedMessages: openReceivedMessages(clients.sqs) };
  const tenantPorts: AdminPorts = {
    ...stores,
    ...compose(host, { realtime, log: hostLog, vault, peppers, addressKeys }),
  };
  const apiPorts = { ...stores, ...functions.api() };
  const intake = createApp({ ...intakeApp(functions.intake()), now, log });
  const api = createApp({ ...apiApp(apiPorts), now, log });
  const ingest = counted("Ingest", ingestWorker(functions.ingest(), now));
  const profile = profileWorker(functions.profile(), now);
  const deliver = counted("Deliver", deliverWorker(functions.deliver(), now));
  const erase = eraseWorker(functions.erase(), now);
  const push = counted("Push", pushWorker(functions.push(), now));
  const sources = {
    inbound: eventSource(clients.sqs, queueUrls.Inbound, ingest),
    events: eventSource(clients.sqs, queueUrls.Events, deliver),
    deliveries: eventSource(clients.sqs, queueUrls.Deliveries, deliver),
    slowDeliveries: eventSource(clients.sqs, queueUrls.SlowDeliveries, deliver),
    profiles: eventSource(clients.sqs, queueUrls.Profiles, profile),
    erasures: eventSource(clients.sqs, queueUrls.Erasures, erase),
    realtime: eventSource(clients.sqs, queueUrls.Realtime, push),
  };
  const queueRequests = () => {
    // A service asks for no attributes: a test does.
    const { GetQueueAttributes, ...requests } = emulators.sqs.counts;
    const total = Object.values(requests).reduce((sum, count) => sum + count, 0);
    return total - Object.values(sources).reduce((sum, source) => sum + source.emptyReceives(), 0);
  };

  return {
    now,
    /** Advances the clock of all parts. */
    advance(by: Millis): void {
      currentTime += by;
      emulators.onClockAdvance();
    },
    loopback,
    /** Where functions in other processes call AWS. */
    endpoints: { table: table.endpoint, services: emulators.url },
    /** The workers' event sources, for callers that run them concurrently. */
    sources,
    queues: { events: queue("Events"), retries },
    sqs: clients.sqs,
    queueUrls,
    /** The ports of every function. */
    functions,
    /** What they are composed of, for functions of another release. */
    host,
    /** Runs a worker until its queue is empty. */
    drain: (name: QueueName, worker: Handler) => eventSource(clients.sqs, queueUrls[name], worker).drain(),
    /** The table's name, to write rows that are not counted. */
    tableName: table.tableName,
    table: tableHandle,
    /** The AWS clients that the workers call. */
    awsClients: [table.client, ...Object.values(clients)],
    /** The stores, to measure one call or to create a state without its traffic. */
    stores,
    tenantPorts,
    apiPorts,
    /** The log lines of the workers, in order. */
    lines: logLines,

    /** Posts a webhook to the intake, which must accept it. @param requestId the gateway's id of the request */
    async receive({ platform, body, signature }: SignedWebhook, requestId?: string): Promise<void> {
      invocations.Intake++;
      const headers = { "x-hub-signature-256": signature };
      const answer = await intake.fetch(
        new Request(`http://gateway/webhooks/${platform}`, { method: "POST", headers, body }),
        requestId === undefined ? {} : { requestId },
      );
      if (answer.status !== 200) throw new Error(`The intake responded with ${answer.status}: ${await answer.text()}`);
    },
    /** Runs the ingest worker until its queue is empty. */
    ingest: () => sources.inbound.drain(),
    /** Runs the deliver worker until the events queue is empty. The wait of events for the names of their people passes. */
    async deliver(): Promise<number> {
      const delivered = await sources.events.drain();
      if ((await delayedMessages(clients.sqs, queueUrls.Events)) === 0) return delivered;
      this.advance(FIRST_EVENT_WAIT);
      return delivered + (await sources.events.drain());
    },
    /** Runs the erase worker on what is due. */
    erase: () => sources.erasures.drain(),
    /** Runs the push worker until its queue is empty. */
    push: () => sources.realtime.drain(),
    /** What the sockets got, in order. */
    frames,
    /** Runs the profile worker until its queue is empty. */
    fetchProfiles: () => sources.profiles.drain(),
    /** Runs the deliver worker on what is due on the deliveries queue. */
    retry: () => sources.deliveries.drain(),
    /** Runs the deliver worker on what is due on the slow deliveries queue. */
    retrySlow: () => sources.slowDeliveries.drain(),
    /** Queues the deliveries that nothing will attempt, as the sweep does once a day. */
    rescheduleOverdue: () => rescheduleOverdue({ ...stores, retries, log }, now()),
    sweep: () =>
      sweepDue(
        { due: stores.due, retries, erasureWork: queue("Erasures"), accountWork: queue("Accounts"), log },
        now(),
      ),
    /** Settles the sends that senders left unfinished. @returns the number of sends */
    settleSends: () => settleDueSends(apiPorts, now()),

    /**
     * Makes one request to the API.
     * @param requestId the gateway's id of the request
     * @returns its `data`. Throws when it was refused
     */
    async call<T>(
      key: string,
      method: "GET" | "POST" | "PATCH" | "DELETE",
      path: string,
      body?: object,
      requestId?: string,
    ): Promise<T> {
      invocations.Api++;
      const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
      const request = new Request(`http://gateway${path}`, {
        method,
        headers,
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      const edge = { sourceIp: "203.0.113.7", ...(requestId === undefined ? {} : { requestId }) };
      const answer = (await (await api.fetch(request, edge)).json()) as Envelope<T>;
      if (!answer.ok) throw new Error(`${method} ${path} was refused: ${JSON.stringify(answer.error)}`);
      return answer.data;
    },

    /** The cost of `work`. Nothing else may run at the same time. */
    async cost(work: () => Promise<unknown>): Promise<Cost> {
      const before = queueRequests();
      const { wcu, rcu } = await measure("cost", work);
      return { wcu, rcu, sqs: queueRequests() - before };
    },

    /** All that AWS bills of `work`. Nothing else may run at the same time. */
    async usage(work: () => Promise<unknown>): Promise<Usage> {
      const before = { sqs: queueRequests(), objects, frames: frames.length, ...invocations };
      logBytes = 0;
      const { wcu, rcu } = await measure("cost", work);
      const written = logBytes;
      logBytes = null;
      const invoked = Object.entries(invocations).map(([name, count]) => [
        name,
        count - before[name as MessageFunction],
      ]);
      return {
        wcu,
        rcu,
        sqs: queueRequests() - before.sqs,
        objects: objects - before.objects,
        frames: frames.length - before.frames,
        invocations: Object.fromEntries(invoked) as Usage["invocations"],
        logBytes: written,
      };
    },

    /** The number of requests that `work` makes to the table. */
    tableCalls: async (work: () => Promise<unknown>): Promise<number> => (await measure("calls", work)).requests,

    async close(): Promise<void> {
      await webhookClient.close();
      await loopback.close();
      for (const client of Object.values(clients)) client.destroy();
      await emulators.close();
      meter?.close();
      await table.close();
      rmSync(dataDir, { recursive: true });
    },
  };
}

type Envelope<T> = { readonly ok: true; readonly data: T } | { readonly ok: false; readonly error: unknown };
