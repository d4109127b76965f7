import type { Mail, Mailer } from "#base/aws/mail.ts";
import { openQueue } from "#base/aws/queues.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { MINUTE, SECOND } from "#base/kernel/time.ts";
import type { AuditAction } from "#features/access/rules/audit.ts";
import { connectAccount, type NewConnection } from "#features/accounts/flows/connect.ts";
import { type DisconnectionRequest, runDisconnection } from "#features/accounts/flows/disconnection.ts";
import type { TaskPorts } from "#features/accounts/flows/run-task.ts";
import type { AccountTaskPorts, ConnectPorts } from "#features/accounts/ports.ts";
import {
  type AccountMessage,
  type AccountTask,
  decodeAccountTask,
  encodeAccountTask,
} from "#features/accounts/queue.ts";
import type { Account, AccountRef, Connection } from "#features/accounts/rules/accounts.ts";
import { decodeEvent } from "#features/delivery/event-queue.ts";
import type { AccountPlatform, CallAccount, CallFailure } from "#platforms/graph/account-platform.ts";
import { accountsWorker } from "../../../../../functions/accounts/worker.ts";
import type { WorkerPorts } from "../../../../../functions/worker/batch.ts";
import { drainMails } from "../../../../support/flows/drain-mails.ts";
import { invokeWorker, type QueueWorker, receiveAllMessages } from "../../../../support/flows/queue-worker.ts";
import type { TestEnv } from "../../../../support/flows/test-env.ts";
import { openStores } from "../../../../support/stores/open-stores.ts";
import { openTeamEnv } from "../../../access/flows/team/support/team.ts";
import { healthyAnswers } from "./healthy-platform.ts";

type Outcome = { readonly kind: "done" } | CallFailure;

/** A call to the platform. */
export interface PlatformCall {
  readonly name: "subscribe" | "unsubscribe";
  readonly node: string;
  readonly token: string;
}

export const refusedCall: CallFailure = {
  kind: "refused",
  class: "permission",
  detail: "no",
  code: 200,
  subcode: null,
  accountStatus: null,
  transient: false,
};
export const unknownCall: CallFailure = { kind: "unknown" };

export type ConnectionFixture = Awaited<ReturnType<typeof openConnectionFixture>>;

let pages = 0;

/**
 * A platform that remembers which pages and accounts the app is subscribed to, and the flows that connect accounts with
 * their queue. A call is subject to `script`, which may answer in its place.
 */
export async function openConnectionFixture(testEnv: TestEnv) {
  const stores = openStores(testEnv.table);
  const team = openTeamEnv(testEnv);
  const queues = await testEnv.newQueues();
  const subscribed = new Set<string>();
  const calls: PlatformCall[] = [];
  const pageId = `page-${++pages}`;
  let script: (call: PlatformCall) => Outcome | undefined | Promise<Outcome | undefined> = () => undefined;

  const call = async (name: PlatformCall["name"], node: string, token: string): Promise<Outcome> => {
    const one = { name, node, token };
    calls.push(one);
    const scripted = await script(one);
    if (scripted) return scripted;
    if (name === "subscribe") subscribed.add(node);
    else subscribed.delete(node);
    return { kind: "done" };
  };
  const platform = (connection: Connection): AccountPlatform => {
    const node = ({ externalId, pageId: page }: CallAccount) =>
      connection === "instagram_login" ? externalId : (page ?? "me");
    return {
      subscribe: (account: CallAccount, token: string) => call("subscribe", node(account), token),
      unsubscribe: (account: CallAccount, token: string) => call("unsubscribe", node(account), token),
      readSubscription: async (account) => ({ kind: "read", isComplete: subscribed.has(node(account)) }),
      readPicture: async () => healthyAnswers.readPicture,
      refresh: async () => healthyAnswers.refresh,
      inspect: async () => healthyAnswers.inspect,
      listThreads: async () => healthyAnswers.listThreads,
      readThread: async () => healthyAnswers.readThread,
    };
  };

  const mails: Mail[] = [];
  /** Null where no sender address is set. */
  let mailer: Mailer | null = null;

  /** The ports of a new process. */
  const newPorts = (): ConnectPorts & TaskPorts & WorkerPorts =>
    testEnv.accountsPorts(queues, { accountPlatformFor: async (connection) => platform(connection) });
  const time = () => ({ now: testEnv.now, endsAt: testEnv.now() + 29 * SECOND });

  const fixture = {
    stores,
    queues,
    subscribed,
    calls,
    pageId,
    ports: newPorts,
    time,
    mails,
    /** From now on, mails are sent. */
    sendMails(send: Mailer["send"] = async () => "accepted"): void {
      mailer = {
        send: async (mail) => {
          const outcome = await send(mail);
          mails.push(mail);
          return outcome;
        },
      };
    },
    setScript(next: typeof script): void {
      script = next;
    },

    team,

    /** Three ways of connecting, all of one page. */
    messenger: (): AccountRef => ({ platform: "messenger", externalId: pageId }),
    instagram: (): AccountRef => ({ platform: "instagram", externalId: `ig-${pageId}` }),

    connect(
      tenant: TenantId,
      ref: AccountRef,
      rest: Partial<NewConnection> & { readonly connection?: Connection; readonly page?: string } = {},
      ports: ConnectPorts = newPorts(),
    ) {
      const {
        connection = ref.platform === "messenger" ? "messenger" : "instagram_page",
        page = pageId,
        ...others
      } = rest;
      const account = {
        ...ref,
        connection,
        handle: "@shop",
        displayName: "Shop",
        pageId: connection === "instagram_login" ? null : page,
      };
      const link = { tenant, account, token: `token-${tenant}`, tokenExpiresAt: null, authorizedBy: [`u-${tenant}`] };
      return connectAccount(ports, { ...link, author: { actor: "cli" }, ...others } as NewConnection, time());
    },

    disconnect: (
      tenant: TenantId,
      account: AccountRef,
      rest: Partial<DisconnectionRequest> = {},
      ports: AccountTaskPorts = newPorts(),
    ) =>
      runDisconnection(
        ports,
        { tenant, account, reason: "user", author: { actor: "cli" }, ...rest } as DisconnectionRequest,
        time(),
      ),

    /** Runs the worker until nothing that it would do now or in the next quarter of an hour is left. */
    async drain(): Promise<void> {
      for (let minute = 0; minute < 20; minute++) {
        testEnv.advance(MINUTE);
        for (;;) {
          const worker = accountsWorker(newPorts(), testEnv.now) as QueueWorker;
          const { records } = await invokeWorker(testEnv.eventSource, queues.accounts, worker);
          if (records.length === 0) break;
        }
        await drainMails(testEnv, queues, { mail: mailer });
      }
    },

    run: (task: AccountTask) => openQueue(queues.accounts, testEnv.sqs).send({ body: encodeAccountTask(task) }),

    /** Runs the worker until no task is visible. */
    async work(): Promise<void> {
      const worker = accountsWorker(newPorts(), testEnv.now) as QueueWorker;
      while ((await invokeWorker(testEnv.eventSource, queues.accounts, worker)).records.length > 0);
    },

    /** The tasks that the next two minutes make visible. They are hidden afterwards. */
    delayedTasks(): Promise<AccountMessage[]> {
      testEnv.advance(2 * MINUTE);
      return fixture.tasks();
    },

    /** The tasks that are visible now. They are hidden afterwards. */
    async tasks(): Promise<AccountMessage[]> {
      const messages = await receiveAllMessages(testEnv.eventSource, queues.accounts);
      return messages.flatMap(({ body }) => decodeAccountTask(body) ?? []);
    },

    /** The events that were published, each once, with the bodies that are stored of them. */
    async events(): Promise<{ readonly type: string; readonly data: Record<string, unknown> }[]> {
      const messages = await receiveAllMessages(testEnv.eventSource, queues.events);
      const events = new Map(
        messages.flatMap(({ body }) => {
          const event = decodeEvent(body);
          return event ? [[event.eventUlid, event] as const] : [];
        }),
      );
      const bodies = await Promise.all(
        [...events.values()].map(async ({ tenant, eventUlid }) =>
          (await stores.eventBodies.getByUlids(tenant, [eventUlid])).get(eventUlid),
        ),
      );
      return bodies.map((body) => JSON.parse(body?.body ?? "null"));
    },
    eventTypes: async () => (await fixture.events()).map(({ type }) => type),

    get: (tenant: TenantId, ref: AccountRef): Promise<Account | null> => stores.accounts.get(tenant, ref),
    uses: async (page = pageId) =>
      (await stores.pageUses.list(page)).map(({ tenant, account }) => `${tenant} ${account.platform}`).sort(),
    async actions(tenant: TenantId): Promise<AuditAction[]> {
      const { rows } = await stores.audit.list(tenant, { before: null, limit: 50, now: testEnv.now() });
      return rows.map(({ action }) => action);
    },
  };
  return fixture;
}
