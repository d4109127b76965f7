import { GetCommand } from "@aws-sdk/lib-dynamodb";
import type { Vault } from "#base/aws/vault.ts";
import { newUlid } from "#base/kernel/ids.ts";
import { startRequestTime } from "#base/kernel/request-time.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { DAY, MINUTE, type Millis } from "#base/kernel/time.ts";
import { queryAll } from "#base/table/query-all.ts";
import { connectAccount, type NewConnection } from "#features/accounts/flows/connect.ts";
import { runDisconnection } from "#features/accounts/flows/disconnection.ts";
import { runAccountTask } from "#features/accounts/flows/run-task.ts";
import { decodeAccountTask } from "#features/accounts/queue.ts";
import { type Account, type AccountRef, accountKey } from "#features/accounts/rules/accounts.ts";
import { decodeEvent } from "#features/delivery/event-queue.ts";
import { releaseHold } from "#features/holds/flows/release.ts";
import { holdSecretHash, newHoldId } from "#features/holds/rules/holds.ts";
import { newEffects } from "#features/inbox/effects.ts";
import { fetchProfile } from "#features/inbox/flows/fetch-profile.ts";
import { ingestUpdates } from "#features/inbox/flows/ingest-updates.ts";
import { accountResolver, type ResolveAccount } from "#features/inbox/flows/resolve-account.ts";
import { conversationId } from "#features/inbox/rules/messages.ts";
import { sendReply } from "#features/sending/flows/reply.ts";
import { handOverUpload } from "#features/uploads/flows/hand-over.ts";
import { copyKey, newUploadId } from "#features/uploads/rules/uploads.ts";
import { tenantCaller } from "../../../../support/flows/data-subject.ts";
import { checkPageDoubles } from "../../../../support/flows/hold-fixture.ts";
import { memoryQueue } from "../../../../support/flows/memory-queue.ts";
import type { TestEnv } from "../../../../support/flows/test-env.ts";
import { openStores } from "../../../../support/stores/open-stores.ts";
import { newTenant, sampleMessage } from "../../../../support/stores/samples.ts";
import { linkTestAccount } from "./link-test-account.ts";
import { NO_END, openRacePlatform, subscriptionNode } from "./race-platform.ts";

export type AccountRace = Awaited<ReturnType<typeof openAccountRace>>;

/** Seals without a key: a token is opened only with the context that it was sealed with. */
const vault: Pick<Vault, "open" | "seal"> = {
  seal: async (text, context) => Buffer.from(JSON.stringify([context, text])),
  open: async (sealed, context) => {
    const [sealedWith, text] = JSON.parse(Buffer.from(sealed).toString());
    if (JSON.stringify(sealedWith) !== JSON.stringify(context)) throw new Error("The token is another account's.");
    return text;
  },
};

/**
 * An account of a tenant with everything that may be under way for it: a conversation to reply to and to look up, a held
 * message, a file to hand over, a token to refresh and a subscription to check. Queues, key and platforms are doubles.
 */
export async function openAccountRace(testEnv: TestEnv, { connection }: Pick<Account, "connection">) {
  const { table } = testEnv;
  const stores = openStores(table);
  const [tenant, other] = [newTenant(), newTenant()];
  const ref: AccountRef = { platform: "instagram", externalId: `ig-${tenant}` };
  const page: AccountRef = { platform: "messenger", externalId: `page-${tenant}` };
  const step = () => table.client.send(new GetCommand({ TableName: table.name, Key: { PK: "STEP", SK: "S" } }));
  const platform = openRacePlatform(step);
  const [accountWork, events] = [memoryQueue(), memoryQueue()];
  /** Tokens of accounts that were disconnected. */
  const deadTokens = new Set<string>();
  /** Calls with a token that had ended before their work began. */
  const lateCalls: string[] = [];
  const time = () => ({ now: testEnv.now, endsAt: NO_END });

  const details = (of: AccountRef, connectedBy = connection) => ({
    ...of,
    connection: of.platform === "messenger" ? ("messenger" as const) : connectedBy,
    handle: "@shop",
    displayName: "Shop",
    pageId: of.platform === "instagram" && connectedBy === "instagram_login" ? null : page.externalId,
  });
  const apiPorts = testEnv.apiPorts({});
  const accountsPorts = testEnv.accountsPorts({}, {});
  const ingestPorts = testEnv.ingestPorts({});
  /** The ports of a process that does this work. */
  const portsOf = (work: string) => ({
    ...apiPorts,
    ...accountsPorts,
    ...stores,
    accounts: {
      ...stores.accounts,
      disconnect: async (request: Parameters<typeof stores.accounts.disconnect>[0]) => {
        const result = await stores.accounts.disconnect(request);
        if (result.kind === "disconnected")
          deadTokens.add(JSON.parse(Buffer.from(result.account.sealedToken).toString())[1]);
        return result;
      },
    },
    vault,
    accountWork: accountWork.queue,
    events: events.queue,
    mails: memoryQueue().queue,
    accountPlatformFor: async (by: Account["connection"]) => platform.accountPlatform(work, by),
    platformFor: async () => platform.platform(work),
    log: () => {},
  });
  let works = 0;
  /** Does a work as a process of its own, and notes its calls with tokens that had ended before it. */
  async function asProcess<T>(name: string, work: (ports: ReturnType<typeof portsOf>) => Promise<T>): Promise<T> {
    const id = `${name}-${++works}-${tenant}`;
    const deadBefore = new Set(deadTokens);
    try {
      return await work(portsOf(id));
    } finally {
      for (const call of platform.calls)
        if (call.work === id && deadBefore.has(call.token)) lateCalls.push(`${name} ${call.token}`);
    }
  }

  const conversationWith = (participantId: string) => conversationId({ tenant, account: ref, participantId });
  async function receive(participantId: string, sentAt: Millis): Promise<string> {
    const id = conversationWith(participantId);
    const participant = { id: participantId, handle: null, username: null, name: null };
    const message = sampleMessage(tenant, { id: `${id} m`, account: ref, conversationId: id, participant, sentAt });
    await stores.conversations.advanceHead(tenant, message, { accountHandle: "@shop", shards: 1 });
    return id;
  }
  const earlier = testEnv.now() - 40 * DAY;
  await linkTestAccount(
    { ...stores, vault },
    {
      tenant,
      account: details(ref),
      token: "first",
      tokenExpiresAt: connection === "instagram_login" ? earlier + 60 * DAY : null,
      author: { actor: "cli" },
      now: earlier,
    },
  );
  platform.subscribed.add(subscriptionNode(connection, details(ref)));
  const recent = await receive("recent", testEnv.now() - MINUTE);
  const old = await receive("old", testEnv.now() - 2 * DAY);

  const holdId = newHoldId(testEnv.now());
  const hold = {
    id: holdId,
    conversationId: old,
    scope: "live",
    content: { kind: "text", text: "held" },
    replyTo: null,
    actorId: "agent",
    actorName: null,
    secretHash: holdSecretHash("secret"),
    createdAt: testEnv.now(),
    expiresAt: testEnv.now() + 15 * MINUTE,
  } as const;
  const holdAudit = { action: "hold.create", resource: "-", actor: "key:k", ip: null, detail: {}, at: 0 } as const;
  await stores.holds.create(hold, testEnv.now() - 2 * DAY, holdAudit);

  const uploadId = newUploadId(testEnv.now());
  const key = copyKey({ id: uploadId, random: "random", name: "a.png" });
  const file = { filename: "a.png", contentType: "image/png", size: 4, type: "image" } as const;
  await stores.uploads.create({ id: uploadId, conversationId: recent, scope: "live", ...file }, testEnv.now() - MINUTE);
  await stores.uploads.startProcessing(uploadId, { copyKey: key, size: 4, at: testEnv.now() });

  const race = {
    tenant,
    other,
    ref,
    page,
    stores,
    subscribed: platform.subscribed,
    lateCalls,
    calls: platform.calls,
    callsOf: (name: string) => platform.calls.filter(({ work }) => work.startsWith(`${name}-`)).length,

    /** The types of a tenant's events, each event once. */
    eventTypes(of: TenantId): string[] {
      const published = events.bodies.flatMap((body) => decodeEvent(body) ?? []);
      const own = published.filter((event) => event.tenant === of);
      return [...new Map(own.map(({ eventUlid, type }) => [eventUlid, type])).values()].sort();
    },

    /** Lets a number of calls pass. */
    async waitFor(calls: number): Promise<void> {
      for (let call = 0; call < calls; call++) await step();
    },

    disconnect: (of: TenantId = tenant, account: AccountRef = ref) =>
      asProcess("disconnect", (ports) =>
        runDisconnection(ports, { tenant: of, account, reason: "user", author: { actor: "cli" } }, time()),
      ),

    connect: (of: TenantId, account: AccountRef, rest: Partial<NewConnection> = {}) =>
      asProcess("connect", (ports) => {
        const link = {
          tokenExpiresAt: null,
          authorizedBy: [],
          author: { actor: "cli" },
          token: `second of ${of}`,
          ...rest,
        };
        return connectAccount(
          { ...ports, accountsMax: 500 },
          { ...link, tenant: of, account: details(account) } as NewConnection,
          time(),
        );
      }),

    reply: () =>
      asProcess("reply", (ports) =>
        sendReply(ports, {
          caller: tenantCaller(tenant),
          reply: { conversationId: recent, text: "hello", replyTo: null },
          time: startRequestTime(testEnv.now),
        }),
      ),

    release: () =>
      asProcess("release", async (ports) => {
        const sendId = newUlid(testEnv.now());
        const claimed = await stores.holds.claimHold(hold, sendId, testEnv.now());
        if (claimed?.sendId !== sendId) throw new Error("The hold is not claimed.");
        const release = { hold: { ...claimed, content: hold.content }, sendId, ip: null };
        return releaseHold({ ...ports, ...checkPageDoubles }, release, startRequestTime(testEnv.now));
      }),

    upload: () =>
      asProcess("upload", (ports) =>
        handOverUpload(
          {
            ...ports,
            uploadLinks: { readUrl: async () => "https://storage.example/file" },
            uploadFiles: { remove: async () => {} },
          },
          { tenant, uploadId },
          time(),
        ),
      ),

    fetchProfile: () =>
      asProcess("fetchProfile", (ports) => fetchProfile(ports, { tenant, conversationId: recent }, testEnv.now())),

    check: (of: TenantId = tenant, account: AccountRef = ref) =>
      asProcess("check", (ports) => runAccountTask(ports, { op: "check", tenant: of, account }, time())),

    /** The task of the page's subscription. It names an account that uses the page, or did. */
    reconcile: () =>
      asProcess("reconcile", (ports) =>
        runAccountTask(ports, { op: "reconcile_subscription", tenant, account: ref, pageId: page.externalId }, time()),
      ),

    /** A worker that remembers for a minute whose the account is. */
    newResolver: (): ResolveAccount => accountResolver(ingestPorts),

    /** Ingests a message of a new person to the account. @returns the tenant that it was stored for */
    async ingest(resolver: ResolveAccount): Promise<TenantId | null> {
      const participantId = `person-${++works}`;
      const update = {
        kind: "message",
        account: ref,
        participantId,
        messageId: `${tenant} ${participantId}`,
        at: testEnv.now(),
        form: "message",
        text: "hello",
        attachments: [],
        replyTo: null,
        echo: null,
      } as const;
      await ingestUpdates(ingestPorts, resolver, [update], { effects: newEffects(), now: testEnv.now() });
      for (const of of [tenant, other]) {
        const id = conversationId({ tenant: of, account: ref, participantId });
        if (await stores.conversations.get(of, id, testEnv.now())) return of;
      }
      return null;
    },

    /** Runs the tasks on the queue, each twice, until there are none. */
    async drain(): Promise<void> {
      for (let rounds = 0; accountWork.bodies.length > 0; rounds++) {
        if (rounds > 20) throw new Error("The tasks do not end.");
        testEnv.advance(MINUTE);
        for (const body of accountWork.bodies.splice(0)) {
          const task = decodeAccountTask(body);
          if (!task) throw new Error("The task cannot be read.");
          // There are no messages to read.
          if (task.op === "backfill") continue;
          for (let delivery = 0; delivery < 2; delivery++) {
            const { end } = await asProcess("task", (ports) => runAccountTask(ports, task, time()));
            if (end === "retry") accountWork.bodies.push(body);
          }
        }
      }
    },

    /** The rows of a tenant's partition that have a token. */
    async tokenRows(of: TenantId): Promise<string[]> {
      const rows = await queryAll<Record<string, unknown>>(table, { PK: `T#${of}`, SK: "" });
      return rows.filter((row) => "tk" in row || "rp" in row).map(({ SK }) => String(SK));
    },

    pageUses: async () =>
      (await stores.pageUses.list(page.externalId)).map((use) => `${use.tenant} ${accountKey(use.account)}`).sort(),
  };
  return race;
}
