import { expect } from "vitest";
import { openFiles } from "#base/aws/files.ts";
import { isRefusal } from "#base/kernel/refusals.ts";
import { startRequestTime } from "#base/kernel/request-time.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { HOUR, MINUTE } from "#base/kernel/time.ts";
import { auditStore } from "#features/access/store/audit.ts";
import { eraseConversation, eraseInBackground } from "#features/erasure/flows/erase.ts";
import type { EraseRequestPorts } from "#features/erasure/ports.ts";
import { decodeErasure } from "#features/erasure/queue.ts";
import { conversationId } from "#features/inbox/rules/messages.ts";
import { conversationStore } from "#features/inbox/store/conversations.ts";
import { handOverUpload } from "#features/uploads/flows/hand-over.ts";
import { purgeUploads } from "#features/uploads/flows/purge.ts";
import { createUpload, finishUpload } from "#features/uploads/flows/uploads.ts";
import type { HandOverPorts, UploadPorts } from "#features/uploads/ports.ts";
import { decodeUpload } from "#features/uploads/queue.ts";
import { postedKey } from "#features/uploads/rules/uploads.ts";
import { uploadStore } from "#features/uploads/store/uploads.ts";
import type { Platform } from "#platforms/graph/platform.ts";
import { allRows, tenantCaller, uploadedFiles } from "../../../../support/flows/data-subject.ts";
import { memoryQueue } from "../../../../support/flows/memory-queue.ts";
import { interleave } from "../../../../support/flows/races/deterministic-scheduler.ts";
import type { TestEnv } from "../../../../support/flows/test-env.ts";
import { UPLOAD_BUCKET } from "../../../../support/host/emulated-services.ts";
import { openStores } from "../../../../support/stores/open-stores.ts";
import { newTenant, PERSON, SAMPLE_INBOX, sampleMessage } from "../../../../support/stores/samples.ts";

const FILE = { filename: "photo.png", contentType: "image/png", size: 5_000 } as const;
const BYTES = Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "latin1"), Buffer.alloc(100)]);

export type UploadRace = Awaited<ReturnType<typeof openUploadRace>>;

/** A conversation of a new tenant, whose clients upload files while it is erased. Queues, key and platform are doubles. */
export async function openUploadRace(testEnv: TestEnv) {
  const tenant: TenantId = newTenant();
  const account = { platform: "instagram", externalId: `ig-${tenant}` } as const;
  const conversation = conversationId({ tenant, account, participantId: PERSON });
  const message = sampleMessage(tenant, {
    id: `${tenant} m`,
    conversationId: conversation,
    sentAt: testEnv.now() - 10,
  });
  await conversationStore(testEnv.table).advanceHead(tenant, message, SAMPLE_INBOX);
  const [uploadQueue, erasureQueue] = [memoryQueue(), memoryQueue()];
  const accounts = {
    get: async () => ({
      ...account,
      status: "active",
      sealedToken: new Uint8Array([1]),
      connection: "instagram_login",
    }),
  } as unknown as HandOverPorts["accounts"];
  const api = { ...testEnv.apiPorts({}), accounts, uploadWork: uploadQueue.queue };
  const erase: EraseRequestPorts = { ...testEnv.erasePorts({}), erasureWork: erasureQueue.queue };
  const store = uploadStore(testEnv.table);
  let calls = 0;
  const upload: Platform["upload"] = async () => ({ kind: "accepted", attachmentId: `${tenant}-${++calls}` });
  const handOverPorts: HandOverPorts = {
    ...api,
    ...openStores(testEnv.table),
    accounts,
    vault: { open: async () => "token" },
    platformFor: async () => ({ upload }),
    uploadLinks: { readUrl: async (key) => `https://storage.example/${key}` },
  };
  const caller = tenantCaller(tenant);
  const files = openFiles(UPLOAD_BUCKET, testEnv.s3);
  const ids: string[] = [];

  return {
    tenant,
    conversation,
    /** The ids of all uploads that were created. */
    ids: ids as readonly string[],
    messages: uploadQueue.bodies,
    attachments: () => calls,
    get: (id: string) => store.get(id),

    async create(ports: UploadPorts = api): Promise<string | null> {
      const request = { conversationId: conversation, file: FILE };
      const created = await createUpload(ports, caller, request, testEnv.now());
      if (isRefusal(created)) return null;
      ids.push(created.id);
      return created.id;
    },

    /** Posts the file as a client does with the form. */
    post: (id: string) => files.put(postedKey(id), BYTES),

    /** @returns whether the finish started the hand-over */
    async finish(id: string, ports: UploadPorts = api): Promise<boolean> {
      return !isRefusal(await finishUpload(ports, caller, id, startRequestTime(testEnv.now)));
    },

    /** Hands over what the queue has. Each message stays there, as it may be delivered again. */
    async runHandOvers(ports: HandOverPorts = handOverPorts): Promise<void> {
      for (const body of uploadQueue.bodies) {
        const decoded = decodeUpload(body);
        if (!decoded) throw new Error("The message cannot be read.");
        await handOverUpload(ports, decoded, { now: testEnv.now, endsAt: testEnv.now() + 2 * MINUTE });
      }
    },

    erase: () =>
      eraseConversation(
        erase,
        {
          tenant,
          conversationId: conversation,
          author: { caller, ip: null },
          now: testEnv.now(),
          time: { now: testEnv.now },
        },
        () => true,
      ),

    /** Runs the background work until the erasure is complete. */
    async drainErasures(): Promise<void> {
      for (let rounds = 0; erasureQueue.bodies.length > 0; rounds++) {
        if (rounds > 20) throw new Error("The erasure did not complete.");
        testEnv.advance(MINUTE);
        for (const body of erasureQueue.bodies.splice(0)) {
          const decoded = decodeErasure(body);
          if (decoded) await eraseInBackground(erase, decoded, { now: testEnv.now, hasTime: () => true });
        }
      }
    },

    /** The counts of uploads in the audit rows of the tenant's erasures. */
    async auditedUploads(): Promise<number> {
      const query = { before: null, limit: 9, now: testEnv.now() };
      const { rows } = await auditStore(testEnv.table).list(tenant, query);
      const erasures = rows.filter(({ action }) => action === "conversation.erase");
      return erasures.reduce((sum, { detail }) => sum + Number(detail.uploads), 0);
    },
  };
}

/** Expects that nothing of the race's uploads is left, once the messages on the way have come. */
export async function expectNothingLeft(testEnv: TestEnv, race: UploadRace): Promise<void> {
  await race.runHandOvers();
  await race.drainErasures();
  await race.runHandOvers();
  for (const id of race.ids) expect(await race.get(id), id).toBeNull();
  expect((await uploadedFiles(testEnv)).filter((key) => race.ids.some((id) => key.includes(id)))).toEqual([]);
}

/** What an interleaving contained. */
const outcomeKinds = ["created", "not created", "finished", "not finished", "handed over", "not handed over"] as const;
type OutcomeKind = (typeof outcomeKinds)[number];

async function runInterleaving(testEnv: TestEnv, seed: number): Promise<Set<OutcomeKind>> {
  const race = await openUploadRace(testEnv);
  const outcomes = new Set<OutcomeKind>();
  const [posted, processing] = [await race.create(), await race.create()];
  if (!posted || !processing) throw new Error("There is no conversation.");
  for (const id of [posted, processing]) await race.post(id);
  await race.finish(processing);
  testEnv.advance(1);
  const waitFor = async (calls: number) => {
    for (let call = 0; call < calls; call++) await race.get(posted);
  };
  const finish = async (id: string) => outcomes.add((await race.finish(id)) ? "finished" : "not finished");
  const results = await interleave([testEnv.client, testEnv.s3], seed, [
    async () => {
      await waitFor((seed % 5) * 4);
      await race.erase();
    },
    () => finish(posted),
    ...(seed % 2 ? [() => finish(posted)] : []),
    async () => {
      await waitFor((seed % 3) * 5);
      const id = await race.create();
      outcomes.add(id ? "created" : "not created");
      // Its form stays valid, so what is posted after the erasure is left to the purge.
      if (id) await race.finish(id);
    },
    async () => {
      await waitFor((seed % 4) * 10);
      await race.runHandOvers();
      outcomes.add(race.attachments() > 0 ? "handed over" : "not handed over");
      await race.runHandOvers();
    },
    ...(seed % 3 ? [] : [() => race.erase()]),
  ]);
  for (const result of results) if (result.status === "rejected") throw result.reason;
  const attachments = race.attachments();
  await expectNothingLeft(testEnv, race);
  // No message that came later referred to another upload at the platform.
  expect(race.attachments()).toBe(attachments);
  expect(await race.auditedUploads()).toBe(race.ids.length);
  return outcomes;
}

/** Runs interleavings and expects every kind among them. Otherwise they would prove little. */
export async function runUploadInterleavings(testEnv: TestEnv, seeds: { from: number; count: number }): Promise<void> {
  const tally = new Map<OutcomeKind, number>(outcomeKinds.map((kind) => [kind, 0]));
  for (let seed = seeds.from; seed < seeds.from + seeds.count; seed++) {
    const outcomes = await runInterleaving(testEnv, seed).catch((error: unknown) => {
      throw new Error(`In interleaving ${seed}`, { cause: error });
    });
    for (const kind of outcomes) tally.set(kind, (tally.get(kind) ?? 0) + 1);
  }
  expect([...tally].filter(([, times]) => times <= seeds.count / 20)).toEqual([]);
  // A copy whose process died would be purged.
  testEnv.advance(23 * HOUR);
  await purgeUploads({ uploadFiles: testEnv.uploadFiles, log: () => {} }, testEnv.now(), () => true);
  expect(await uploadedFiles(testEnv)).toEqual([]);
  const rows = (await allRows(testEnv)).filter(({ PK, SK }) => PK.startsWith("U#") || SK.startsWith("A#upload#"));
  expect(rows).toEqual([]);
}
