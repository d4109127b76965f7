import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { openQueue } from "#base/aws/queues.ts";
import { startRequestTime } from "#base/kernel/request-time.ts";
import { DAY, HOUR, MINUTE, type Millis, SECOND } from "#base/kernel/time.ts";
import { connectAccount, type NewConnection } from "#features/accounts/flows/connect.ts";
import { enqueueDueChecks } from "#features/accounts/flows/health-checks/enqueue-due-checks.ts";
import type { TaskPorts } from "#features/accounts/flows/run-task.ts";
import type { ConnectPorts } from "#features/accounts/ports.ts";
import { encodeAccountTask } from "#features/accounts/queue.ts";
import type { Account, AccountRef, Connection } from "#features/accounts/rules/accounts.ts";
import { decodeEvent } from "#features/delivery/event-queue.ts";
import { loadRenderedEvents } from "#features/delivery/rendered-events.ts";
import { receiveWebhook } from "#features/inbox/flows/inbound-webhooks.ts";
import { conversationId } from "#features/inbox/rules/messages.ts";
import { messageStore } from "#features/inbox/store/messages.ts";
import { sendReply } from "#features/sending/flows/reply.ts";
import { platformHttp } from "#platforms/graph/http.ts";
import { accountPlatformFor, platformFor } from "#platforms/platforms.ts";
import { simulatedAppIds, startSimulator } from "#simulator";
import { accountsWorker } from "../../../../../functions/accounts/worker.ts";
import { ingestWorker } from "../../../../../functions/ingest/worker.ts";
import type { WorkerPorts } from "../../../../../functions/worker/batch.ts";
import { controlHeaders, testControlToken } from "../../../../support/access/control-token.ts";
import { drainMails } from "../../../../support/flows/drain-mails.ts";
import { invokeWorker, type QueueWorker, queueDepth, receiveEvents } from "../../../../support/flows/queue-worker.ts";
import type { TestEnv } from "../../../../support/flows/test-env.ts";
import { openStores } from "../../../../support/stores/open-stores.ts";
import { openTeamEnv } from "../../../access/flows/team/support/team.ts";

const SECRETS = { meta: "meta-secret", instagram: "instagram-secret" };

export type TestPlatforms = Awaited<ReturnType<typeof openTestPlatforms>>;
export type SimulatedAccount = Awaited<ReturnType<typeof openSimulatedAccount>>;

/** The simulated platforms in this process, whose clock is that of the test, and the receiver of their webhooks. */
export async function openTestPlatforms(testEnv: TestEnv) {
  const webhooks: Buffer[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      webhooks.push(Buffer.concat(chunks));
      response.writeHead(200).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const simulator = await startSimulator({
    port: 0,
    webhookBase: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    metaSecret: SECRETS.meta,
    instagramSecret: SECRETS.instagram,
    verifyToken: "verify-me",
    controlToken: testControlToken,
    accounts: [],
  });

  async function control<T>(path: string, body: object): Promise<T> {
    const request = { method: "POST", headers: controlHeaders(), body: JSON.stringify(body) };
    const response = await fetch(`${simulator.url}/_sim${path}`, request);
    if (response.status !== 200) throw new Error(await response.text());
    return (await response.json()) as T;
  }
  const setClock = () => control("/clock", { offset_ms: testEnv.now() - Date.now() });
  await setClock();
  await control("/history-limit", { per_second: 0 });

  return {
    control,
    upstream: {
      facebookGraph: `${simulator.url}/facebook_graph`,
      instagramGraph: `${simulator.url}/instagram_graph`,
      graphVersion: "v26.0",
    },
    /** Advances every clock. */
    async advance(by: Millis): Promise<void> {
      testEnv.advance(by);
      await setClock();
    },
    /** The webhooks since the last time. */
    takeWebhooks: () => webhooks.splice(0),
    async close(): Promise<void> {
      await simulator.close();
      server.closeAllConnections();
      server.close();
    },
  };
}

let accounts = 0;

/** An account of the simulated platforms that a new tenant connected, and the functions that serve it. */
export async function openSimulatedAccount(testEnv: TestEnv, platforms: TestPlatforms, connection: Connection) {
  const team = openTeamEnv(testEnv);
  const tenant = await team.newTenant();
  const owner = await team.newMember(tenant, "owner");
  const { email } = (await team.author(owner)).caller;
  const queues = await testEnv.newQueues();
  const stores = openStores(testEnv.table);
  const number = String(++accounts).padStart(6, "0");
  const page = connection === "instagram_login" ? null : `104512347${number}`;
  const externalId = connection === "messenger" ? `104512347${number}` : `17841405793${number}`;
  const account: AccountRef = { platform: connection === "messenger" ? "messenger" : "instagram", externalId };
  const token = `${page === null ? "IGAA" : "EAA"}Test${number}`;
  const handle = `shop${number}`;
  await platforms.control("/accounts", {
    connection,
    externalId,
    ...(page && { pageId: page }),
    handle,
    displayName: "Shop",
    token,
  });

  const http = platformHttp();
  const app = { metaAppId: simulatedAppIds.meta, metaSecret: SECRETS.meta };
  /** The ports of a new process. */
  const newPorts = (): ConnectPorts & TaskPorts & WorkerPorts => ({
    ...testEnv.accountsPorts(queues, {
      accountPlatformFor: async (of) => accountPlatformFor(of, { upstream: platforms.upstream, http, app }),
    }),
    wait: (duration) => platforms.advance(duration),
  });
  let sends = 0;
  const senderPorts = () => ({
    ...testEnv.apiPorts(queues),
    platformFor: async (of: Account) => {
      const platform = platformFor(of.connection, platforms.upstream, http, SECRETS.meta);
      const send: typeof platform.send = (...call) => {
        sends++;
        return platform.send(...call);
      };
      return { ...platform, send };
    },
  });
  let participantId = "";
  /** The events that were read. A message that stays on its queue is received again. */
  const taken = new Set<string>();

  const fixture = {
    tenant,
    account,
    stores,
    queues,
    newPorts,

    /** A login of the account. It has the same token each time. */
    connect: () =>
      connectAccount(
        newPorts(),
        {
          tenant,
          account: { ...account, connection, handle: `@${handle}`, displayName: "Shop", pageId: page },
          token,
          tokenExpiresAt: connection === "instagram_login" ? testEnv.now() + 60 * DAY : null,
          authorizedBy: [`user-of-${tenant}`],
          author: { actor: "cli" },
          ip: null,
        } as NewConnection,
        { now: testEnv.now, endsAt: testEnv.now() + 29 * SECOND },
      ),

    /** Sets what the platform answers to calls. */
    fault: (fault: object) => platforms.control("/faults", fault),
    /** A control route about this account. */
    control: <T>(path: string, body: object = {}) =>
      platforms.control<T>(path, { account: externalId, connection, ...body }),

    /** The person writes, and the webhooks are processed. @returns the id of the message */
    async write(text = "Hello"): Promise<string> {
      const { mid, person } = await fixture.control<{ mid: string; person: string }>("/person-sends", { text });
      participantId = person;
      await fixture.ingest();
      return mid;
    },
    /** Processes the webhooks that the platforms sent. */
    async ingest(): Promise<void> {
      const inbound = openQueue(queues.inbound, testEnv.eventSource);
      const intake = { inbound, files: testEnv.files };
      for (const raw of platforms.takeWebhooks()) await receiveWebhook(intake, raw, testEnv.now());
      const worker = ingestWorker(testEnv.ingestPorts(queues), testEnv.now) as QueueWorker;
      while ((await invokeWorker(testEnv.eventSource, queues.inbound, worker)).records.length > 0);
    },

    /** The texts of the tenant's messages from people, newest first. */
    async texts(): Promise<string[]> {
      const query = { includeTest: false, direction: "inbound", before: null, limit: 100, now: testEnv.now() } as const;
      return (await messageStore(testEnv.table).feed(tenant, query)).rows.map(({ message }) => message.text);
    },

    conversationId: () => conversationId({ tenant, account, participantId }),
    /** A reply to the person. @returns its result, and whether the platform was called */
    async reply(): Promise<{ readonly result: object; readonly isCalled: boolean }> {
      const before = sends;
      const result = await sendReply(senderPorts(), {
        caller: { kind: "tenant_key", keyId: "k", tenant, scope: "live" },
        reply: { conversationId: fixture.conversationId(), text: "Good day", replyTo: null },
        time: startRequestTime(testEnv.now),
      });
      testEnv.advance(SECOND);
      return { result, isCalled: sends > before };
    },

    newWorker: (): QueueWorker => accountsWorker(newPorts(), testEnv.now) as QueueWorker,
    /** Runs the tasks that are due. */
    async work(worker: QueueWorker = fixture.newWorker()): Promise<void> {
      while ((await invokeWorker(testEnv.eventSource, queues.accounts, worker)).records.length > 0);
    },
    /** Has the account checked at once. */
    async check(worker: QueueWorker = fixture.newWorker()): Promise<void> {
      const body = encodeAccountTask({ op: "check", tenant, account });
      await openQueue(queues.accounts, testEnv.eventSource).send({ body });
      await fixture.work(worker);
    },
    waitingTasks: () => queueDepth(testEnv.eventSource, queues.accounts),
    /** Advances the clock to the hour after the next check is due, and runs it. */
    async passToCheck(worker: QueueWorker = fixture.newWorker()): Promise<void> {
      const { dueAt = 0 } = (await stores.accountChecks.get(tenant, account)) ?? {};
      await platforms.advance(Math.max(0, Math.ceil(dueAt / HOUR) * HOUR - testEnv.now()));
      async function* ownChecks(now: Millis) {
        for await (const checks of stores.accountChecks.listDue(now))
          yield checks.filter((check) => check.tenant === tenant);
      }
      const ports = {
        accountChecks: { listDue: ownChecks },
        accountWork: openQueue(queues.accounts, testEnv.sqs),
        log: (line: object) => void line,
      };
      await enqueueDueChecks(ports, testEnv.now(), () => true);
      await platforms.advance(15 * MINUTE);
      await fixture.work(worker);
    },
    /** Runs tasks and webhooks until nothing waits. */
    async drain(): Promise<void> {
      for (let round = 0; (await fixture.waitingTasks()) > 0; round++) {
        if (round === 60) throw new Error("The queue does not empty.");
        await platforms.advance(MINUTE);
        await fixture.work();
      }
      await fixture.ingest();
    },

    async read(): Promise<Account> {
      const current = await stores.accounts.get(tenant, account);
      if (!current) throw new Error("The account is gone.");
      return current;
    },
    /** The events of the account that were published since the last time, each once, oldest first. */
    async takeEvents(): Promise<AccountEvent[]> {
      const messages = await receiveEvents(testEnv, queues);
      const events = messages.flatMap(({ body }) => decodeEvent(body) ?? []);
      const published = events
        .filter((event) => event.tenant === tenant)
        .map(({ eventUlid, source }) => ({ eventUlid, source }));
      const neverSent = { send: () => Promise.reject(new Error("Unexpected delivery.")), close: async () => {} };
      const fresh = published.filter(({ eventUlid }) => !taken.has(eventUlid));
      for (const { eventUlid } of fresh) taken.add(eventUlid);
      const bodies = await loadRenderedEvents(testEnv.deliverPorts(queues, neverSent), tenant, fresh);
      return [...bodies.values()].sort((a, b) => (a.ulid < b.ulid ? -1 : 1)).map(({ body }) => JSON.parse(body));
    },
    /** The types of the events since the last time that are about the account itself. */
    takeAccountEvents: async () =>
      (await fixture.takeEvents()).map(({ type }) => type).filter((type) => type.startsWith("account.")),
    mails: async () => {
      await drainMails(testEnv, queues);
      return testEnv.emulators.mail
        .list()
        .filter(({ to, subject }) => to.includes(email) && !/ is connected to /.test(subject));
    },
  };
  await fixture.fault({ mode: "none" });
  await fixture.connect();
  await platforms.advance(MINUTE);
  await fixture.work();
  return fixture;
}

interface AccountEvent {
  readonly type: string;
  readonly data: { readonly message?: { readonly text: string }; readonly reason?: string };
}
