import { DeleteMessageCommand } from "@aws-sdk/client-sqs";
import { openQueue } from "#base/aws/queues.ts";
import { newUlid } from "#base/kernel/ids.ts";
import { MINUTE, type Millis, SECOND } from "#base/kernel/time.ts";
import { auditStore } from "#features/access/store/audit.ts";
import { resumeDataDeletions } from "#features/accounts/flows/platform-callbacks/resume-deletions.ts";
import { type AccountTask, encodeAccountTask } from "#features/accounts/queue.ts";
import { type AccountRef, accountKey } from "#features/accounts/rules/accounts.ts";
import { DUE_DELETIONS } from "#features/accounts/store/items.ts";
import { conversationId } from "#features/inbox/rules/messages.ts";
import { accountsWorker } from "../../../../../../functions/accounts/worker.ts";
import { eraseWorker } from "../../../../../../functions/erase/worker.ts";
import { allRows } from "../../../../../support/flows/data-subject.ts";
import {
  invokeWorker,
  type QueueWorker,
  queueDepth,
  receiveAllMessages,
} from "../../../../../support/flows/queue-worker.ts";
import type { TestEnv } from "../../../../../support/flows/test-env.ts";
import { DATA_DELETION_KEYS } from "../../../../../support/routes/platform-callback-ports.ts";
import { openStores } from "../../../../../support/stores/open-stores.ts";
import { newTenant, SAMPLE_INBOX, sampleMessage } from "../../../../../support/stores/samples.ts";
import { healthyPlatform } from "../../support/healthy-platform.ts";
import { linkTestAccount } from "../../support/link-test-account.ts";

export type LoginFixture = Awaited<ReturnType<typeof openLoginFixture>>;

/** A text that no row may contain once the data is deleted. */
export const TEXT = "a text of a person";
/** A tenant's erasures and disconnections are done after so many rounds of three minutes. */
const ROUNDS_MAX = 40;

/** A tenant whose accounts are connected by logins, and the platform's requests about them. */
export async function openLoginFixture(testEnv: TestEnv) {
  const tenant = newTenant();
  const queues = await testEnv.newQueues();
  const stores = openStores(testEnv.table);

  /** The ports of a new process. */
  const ports = () => ({
    ...testEnv.accountsPorts(queues, { accountPlatformFor: async () => healthyPlatform }),
    ...openStores(testEnv.table),
    dataDeletionKeys: async () => DATA_DELETION_KEYS,
  });

  const accountOf = (name: string): AccountRef => ({ platform: "instagram", externalId: `${tenant}-${name}` });
  const id = (account: AccountRef, participantId: string) => conversationId({ tenant, account, participantId });

  async function disconnect(account: AccountRef): Promise<void> {
    const stored = await stores.accounts.get(tenant, account);
    if (!stored) throw new Error("The account is not connected.");
    const resource = `account:${accountKey(account)}`;
    const audit = {
      action: "account.disconnect",
      resource,
      actor: "cli",
      ip: null,
      detail: {},
      at: testEnv.now(),
    } as const;
    const { connectionId } = stored;
    const author = { audit, actor: null };
    await stores.accounts.disconnect({ tenant, ref: account, connectionId, author, event: null, now: testEnv.now() });
  }

  /** A worker of a new process. */
  function newWorker(stepTime: Millis = 0): QueueWorker {
    let readings = 0;
    return accountsWorker(ports(), () => testEnv.now() + stepTime * readings++);
  }

  /** Continues the data deletions that are due. */
  const sweep = () => resumeDataDeletions(testEnv.sweepPorts(queues), testEnv.now());
  const isDeleting = async () => (await allRows(testEnv)).some(({ F }) => F === DUE_DELETIONS);

  return {
    tenant,
    queues,
    stores,
    ports,
    accountOf,
    conversation: id,
    /** Connects an account by a login. */
    async connect(name: string, authorizedBy: readonly string[]): Promise<AccountRef> {
      const account = accountOf(name);
      await linkTestAccount(
        { ...stores, vault: testEnv.newVault() },
        {
          tenant,
          account: { ...account, connection: "instagram_login", handle: "@shop", displayName: "Shop", pageId: null },
          token: "token",
          author: { actor: "cli" },
          authorizedBy,
          connectionId: newUlid(testEnv.now()),
          now: testEnv.now(),
        },
      );
      return account;
    },
    async receive(account: AccountRef, participantId: string): Promise<void> {
      const message = sampleMessage(tenant, {
        id: `m-${account.externalId}-${participantId}-${testEnv.now()}`,
        conversationId: id(account, participantId),
        account,
        text: TEXT,
        sentAt: testEnv.now(),
      });
      await stores.messages.record(tenant, message, testEnv.now());
      await stores.conversations.advanceHead(tenant, message, SAMPLE_INBOX);
    },
    disconnect,
    async runTask(task: AccountTask): Promise<void> {
      await openQueue(queues.accounts, testEnv.sqs).send({ body: encodeAccountTask(task) });
      await this.runTasks();
    },
    sweep,
    newWorker,
    /** Sweeps, and runs the tasks of accounts that are due, in a new process. @param stepTime passes with each reading of the clock */
    async runTasks({ wrap = (worker: QueueWorker) => worker, stepTime = 0, runSweep = sweep } = {}): Promise<void> {
      await runSweep();
      for (let records = 1; records > 0; ) {
        const worker = wrap(newWorker(stepTime));
        records = (await invokeWorker(testEnv.eventSource, queues.accounts, worker)).records.length;
      }
    },
    /** Takes every message from the queue of the accounts' tasks, as ten failures of each do. @returns how many */
    async loseTasks(): Promise<number> {
      const records = await receiveAllMessages(testEnv.eventSource, queues.accounts);
      for (const { receiptHandle: ReceiptHandle } of records) {
        await testEnv.eventSource.send(new DeleteMessageCommand({ QueueUrl: queues.accounts, ReceiptHandle }));
      }
      return records.length;
    },
    /** Runs all tasks of accounts, and the erasures that they leave to the background, until none is left and no data deletion is due. */
    async settle(options: Parameters<typeof this.runTasks>[0] = {}): Promise<void> {
      for (let round = 0; round < ROUNDS_MAX; round++) {
        await this.runTasks(options);
        const { wrap = (worker) => worker } = options;
        const erase = wrap(eraseWorker(testEnv.erasePorts(queues), testEnv.now));
        await invokeWorker(testEnv.eventSource, queues.erasures, erase);
        const depths = [queues.accounts, queues.erasures].map((url) => queueDepth(testEnv.eventSource, url));
        if ((await Promise.all(depths)).every((depth) => depth === 0) && !(await isDeleting())) return;
        testEnv.advance(round === 0 ? 15 * SECOND : 3 * MINUTE);
      }
      throw new Error("The tasks of the accounts do not end.");
    },
    /** The sort keys of the rows that hold the text, or that name one of these. */
    async rowsNaming(...texts: readonly string[]): Promise<string[]> {
      const rows = (await allRows(testEnv)).filter((row) => JSON.stringify(row).includes(tenant));
      const naming = rows.filter((row) => [TEXT, ...texts].some((text) => JSON.stringify(row).includes(text)));
      return naming.map(({ PK, SK }) => `${PK} ${SK}`);
    },
    auditActions: async () =>
      (await auditStore(testEnv.table).list(tenant, { before: null, limit: 100, now: testEnv.now() })).rows
        .map(({ action }) => action)
        .reverse(),
    /** The ids of the conversations in the inbox. */
    inbox: async () =>
      (await stores.conversations.inbox(tenant, { before: null, limit: 100, now: testEnv.now() })).heads.map(
        (head) => head.id,
      ),
  };
}
