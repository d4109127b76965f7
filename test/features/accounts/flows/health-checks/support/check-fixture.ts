import { openQueue } from "#base/aws/queues.ts";
import { newUlid } from "#base/kernel/ids.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { DAY, HOUR, MINUTE, type Millis } from "#base/kernel/time.ts";
import { enqueueDueChecks } from "#features/accounts/flows/health-checks/enqueue-due-checks.ts";
import type { TaskPorts } from "#features/accounts/flows/run-task.ts";
import { accountToken } from "#features/accounts/platform-calls.ts";
import { type AccountMessage, decodeAccountTask, encodeAccountTask } from "#features/accounts/queue.ts";
import { type Account, type Connection, checkTimeAfter, type PlatformName } from "#features/accounts/rules/accounts.ts";
import { decodeEvent } from "#features/delivery/event-queue.ts";
import type { AccountPlatform, CallRefused } from "#platforms/graph/account-platform.ts";
import { accountsWorker } from "../../../../../../functions/accounts/worker.ts";
import type { WorkerPorts } from "../../../../../../functions/worker/batch.ts";
import { drainMails } from "../../../../../support/flows/drain-mails.ts";
import { invokeWorker, type QueueWorker, receiveAllMessages } from "../../../../../support/flows/queue-worker.ts";
import type { TestEnv } from "../../../../../support/flows/test-env.ts";
import { openStores } from "../../../../../support/stores/open-stores.ts";
import { openTeamEnv } from "../../../../access/flows/team/support/team.ts";
import { healthyAnswers, type PlatformAnswers } from "../../support/healthy-platform.ts";
import { linkTestAccount } from "../../support/link-test-account.ts";

export type CheckFixture = Awaited<ReturnType<typeof openCheckFixture>>;

/** A refusal that says nothing about the account. */
export function refusedCall(rest: Partial<CallRefused> = {}): CallRefused {
  const none = { code: 100, subcode: null, accountStatus: null, transient: false } as const;
  return { kind: "refused", class: "other", detail: "(#100) The platform refused the call.", ...none, ...rest };
}

/** An account whose daily check is far away, so that it does not fall into the wait of a restriction. */
function newAccount<Name extends PlatformName>(platform: Name, tenant: TenantId, now: Millis) {
  for (let number = 1; ; number++) {
    const account = { platform, externalId: `17-${tenant}-${number}` } as const;
    if (checkTimeAfter(account, now) - now > DAY / 2) return account;
  }
}

/** An address that ends in the year 2100, so that no check reads the picture again. */
export const LASTING_PICTURE = "https://pictures.example/shop.jpg?oe=F4865700";

/** An account of a new tenant with one owner, and a platform with scripted answers that count its calls. */
export async function openCheckFixture(testEnv: TestEnv, connection: Connection = "instagram_login") {
  const team = openTeamEnv(testEnv);
  const tenant = await team.newTenant();
  const owner = await team.newMember(tenant, "owner");
  const email = (await team.author(owner)).caller.email;
  const queues = await testEnv.newQueues();
  const stores = openStores(testEnv.table);
  const isInstagram = connection !== "messenger";
  const account = newAccount(isInstagram ? "instagram" : "messenger", tenant, testEnv.now());
  const pageId = connection === "instagram_login" ? null : `page-${tenant}`;
  let token = 0;

  const link = (rest: { readonly connectionId?: string; readonly pictureUrl?: string | null } = {}) =>
    linkTestAccount(
      { ...stores, vault: testEnv.newVault() },
      {
        tenant,
        account: { ...account, connection, handle: "@shop", displayName: "Shop", pageId },
        token: `token-${token}`,
        tokenExpiresAt: connection === "instagram_login" ? testEnv.now() + 60 * DAY : null,
        pictureUrl: LASTING_PICTURE,
        authorizedBy: [`user-of-${tenant}`],
        connectionId: newUlid(testEnv.now()),
        author: { actor: "cli" },
        now: testEnv.now(),
        ...rest,
      },
    );
  await link();

  const answers: { -readonly [Call in keyof PlatformAnswers]?: PlatformAnswers[Call] } = {};
  const calls: { readonly call: keyof AccountPlatform; readonly token: string; readonly at: Millis }[] = [];
  /** Called before each answer. */
  let onCall: (call: keyof AccountPlatform) => Promise<void> | void = () => {};
  const answer = async <Call extends keyof AccountPlatform>(
    call: Call,
    usedToken: string,
  ): Promise<PlatformAnswers[Call]> => {
    calls.push({ call, token: usedToken, at: testEnv.now() });
    await onCall(call);
    return (answers[call] ?? healthyAnswers[call]) as PlatformAnswers[Call];
  };
  const platform: AccountPlatform = {
    subscribe: (_account, used) => answer("subscribe", used),
    unsubscribe: (_account, used) => answer("unsubscribe", used),
    readSubscription: (_account, used) => answer("readSubscription", used),
    readPicture: (_account, used) => answer("readPicture", used),
    refresh: async (used) => {
      const given = await answer("refresh", used);
      return given.kind === "refreshed"
        ? { kind: "refreshed", token: `token-${++token}`, expiresAt: testEnv.now() + 60 * DAY }
        : given;
    },
    inspect: (_account, used) => answer("inspect", used),
    listThreads: (_account, used) => answer("listThreads", used),
    readThread: (_account, used) => answer("readThread", used),
  };

  /** The ports of a new process. */
  const newPorts = (): TaskPorts & WorkerPorts => ({
    ...testEnv.accountsPorts(queues, { accountPlatformFor: async () => platform }),
    accountWork: {
      ...openQueue(queues.accounts, testEnv.sqs),
      // Backfills are not run here.
      send: (message) => openQueue(queues.profiles, testEnv.sqs).send(message),
    },
  });
  const newWorker = (changes: Pick<TaskPorts, "checkInterval"> = {}) =>
    accountsWorker({ ...newPorts(), ...changes }, testEnv.now) as QueueWorker;

  const published: { readonly eventUlid: string; readonly type: string; readonly at: Millis }[] = [];
  async function receiveEvents(): Promise<typeof published> {
    for (const { body } of await receiveAllMessages(testEnv.eventSource, queues.events)) {
      const event = decodeEvent(body);
      if (event && !published.some(({ eventUlid }) => eventUlid === event.eventUlid))
        published.push({ eventUlid: event.eventUlid, type: event.type, at: testEnv.now() });
    }
    return published;
  }

  /** Without the accounts of other tests. */
  async function* ownChecks(now: Millis) {
    for await (const page of stores.accountChecks.listDue(now)) yield page.filter((check) => check.tenant === tenant);
  }

  const fixture = {
    testEnv,
    tenant,
    account,
    pageId,
    email,
    queues,
    stores,
    answers,
    calls,
    link,
    newPorts,
    newWorker,
    setOnCall(next: typeof onCall): void {
      onCall = next;
    },
    /** The calls since the last time. */
    takeCalls: () => calls.splice(0).map(({ call }) => call),

    read: async (): Promise<Account> => {
      const current = await stores.accounts.get(tenant, account);
      if (!current) throw new Error("The account is gone.");
      return current;
    },
    readCheck: () => stores.accountChecks.get(tenant, account),
    async disconnect(): Promise<void> {
      const { connectionId } = await fixture.read();
      const at = testEnv.now();
      const audit = { action: "account.disconnect", resource: "-", actor: "cli", ip: null, detail: {}, at } as const;
      const author = { audit, actor: null };
      await stores.accounts.disconnect({ tenant, ref: account, connectionId, author, event: null, now: at });
    },
    /** The token of the account as the platform knows it. */
    readToken: async () => {
      return accountToken(testEnv.newVault(), tenant, await fixture.read());
    },

    /** Runs the worker until no message is visible. */
    async work(worker: QueueWorker = newWorker()): Promise<void> {
      while ((await invokeWorker(testEnv.eventSource, queues.accounts, worker)).records.length > 0);
    },
    enqueue: () =>
      enqueueDueChecks(
        {
          accountChecks: { listDue: ownChecks },
          accountWork: openQueue(queues.accounts, testEnv.sqs),
          log: (line) => void testEnv.lines.push(line),
        },
        testEnv.now(),
        () => true,
      ),
    /** The hourly schedule, and the quarter of an hour in which its messages are delivered. */
    async passHour(worker?: QueueWorker): Promise<void> {
      await fixture.enqueue();
      testEnv.advance(15 * MINUTE);
      await fixture.work(worker);
      testEnv.advance(45 * MINUTE);
    },
    /** Advances the clock to the first hour after the check is due, and runs it. */
    async passToCheck(worker?: QueueWorker): Promise<void> {
      const dueAt = (await fixture.readCheck())?.dueAt ?? 0;
      const hour = Math.ceil(dueAt / HOUR) * HOUR;
      if (hour > testEnv.now()) testEnv.advance(hour - testEnv.now());
      await fixture.passHour(worker);
    },
    /** Has the account checked at once. */
    async checkNow(worker?: QueueWorker): Promise<void> {
      const body = encodeAccountTask({ op: "check", tenant, account });
      await openQueue(queues.accounts, testEnv.eventSource).send({ body });
      await fixture.work(worker);
    },
    /** The tasks that checks sent. Advances the clock by two minutes, the delay of these tasks. */
    async takeTasks(): Promise<AccountMessage[]> {
      testEnv.advance(2 * MINUTE);
      const messages = await receiveAllMessages(testEnv.eventSource, queues.profiles);
      return messages.flatMap(({ body }) => decodeAccountTask(body) ?? []);
    },
    /** Every event of the account, once, in the order of publication. */
    events: async () => (await receiveEvents()).map(({ type }) => type),
    eventBodies: async () => {
      const events = await receiveEvents();
      const bodies = await stores.eventBodies.getByUlids(
        tenant,
        events.map(({ eventUlid }) => eventUlid),
      );
      return [...bodies.values()].map(({ body }) => JSON.parse(body));
    },
    /** The mails to the owner, oldest first. */
    mails: async () => {
      await drainMails(testEnv, queues);
      return testEnv.emulators.mail
        .list()
        .filter(({ to }) => to.includes(email))
        .reverse();
    },
  };
  return fixture;
}
