import { CreateBucketCommand } from "@aws-sdk/client-s3";
import { openFiles } from "#base/aws/files.ts";
import { openQueue } from "#base/aws/queues.ts";
import { openUploadLinks } from "#base/aws/upload-files.ts";
import { isRefusal } from "#base/kernel/refusals.ts";
import type { Scope } from "#features/access/rules/scope.ts";
import type { PlatformName } from "#features/accounts/rules/accounts.ts";
import { accountStore } from "#features/accounts/store/accounts.ts";
import { attachmentOwnerStore } from "#features/sending/store/attachment-owners.ts";
import { getUpload } from "#features/uploads/flows/uploads.ts";
import type { HandOverPorts } from "#features/uploads/ports.ts";
import { encodeUpload } from "#features/uploads/queue.ts";
import { COPY_PREFIX, copyKey, newUploadId } from "#features/uploads/rules/uploads.ts";
import { uploadStore } from "#features/uploads/store/uploads.ts";
import type { Platform, Upload, UploadOutcome } from "#platforms/graph/platform.ts";
import { handOverWorker } from "../../../../../functions/hand-over/worker.ts";
import type { WorkerPorts } from "../../../../../functions/worker/batch.ts";
import { openConversationFixture, refusedOutcome } from "../../../../support/flows/conversation-fixture.ts";
import { tenantCaller } from "../../../../support/flows/data-subject.ts";
import { invokeWorker, type QueueWorker } from "../../../../support/flows/queue-worker.ts";
import type { TestEnv } from "../../../../support/flows/test-env.ts";
import { openStores } from "../../../../support/stores/open-stores.ts";
import { linkTestAccount } from "../../../accounts/flows/support/link-test-account.ts";

type UploadCall = Parameters<Platform["upload"]>[2] & { readonly token: string };

export type HandOverFixture = Awaited<ReturnType<typeof openHandOverFixture>>;

/** A conversation of a new tenant, a bucket of uploads, and a platform whose answer the test chooses. */
export async function openHandOverFixture(testEnv: TestEnv, platform: PlatformName = "instagram") {
  const conversation = await openConversationFixture(testEnv, platform);
  const { tenant, queues } = conversation;
  const bucket = `uploads-${tenant}`;
  await testEnv.s3.send(new CreateBucketCommand({ Bucket: bucket }));
  const files = openFiles(bucket, testEnv.s3);
  const uploads = uploadStore(testEnv.table);
  const calls: UploadCall[] = [];
  let answer: (upload: Upload) => Promise<UploadOutcome> = async () => takeUpload(`att-${calls.length}`);

  /** The ports of a new process. */
  const newPorts = (overrides: Partial<HandOverPorts> = {}): HandOverPorts & WorkerPorts => {
    const composed = testEnv.handOverPorts(queues);
    return {
      ...openStores(testEnv.table),
      ...composed,
      platformFor: async (account, scope) =>
        scope === "test"
          ? composed.platformFor(account, scope)
          : {
              upload: async (_account, token, upload) => {
                calls.push({ ...upload, token });
                return answer(upload);
              },
            },
      uploadLinks: openUploadLinks(bucket, testEnv.s3),
      uploadFiles: files,
      ...overrides,
    };
  };

  const fixture = {
    ...conversation,
    bucket,
    files,
    uploads,
    calls,
    queueUrl: queues.uploads,
    accounts: accountStore(testEnv.table),

    setAnswer(next: UploadOutcome | ((upload: Upload) => Promise<UploadOutcome>)): void {
      answer = typeof next === "function" ? next : async () => next;
    },

    ports: newPorts,

    /** Creates an upload whose file was checked, and queues its hand-over. @returns its id */
    async newUpload({ scope = "live" }: { readonly scope?: Scope } = {}): Promise<string> {
      const id = newUploadId(testEnv.now());
      const key = copyKey({ id, random: `${tenant}-copy`, name: `${id}.png` });
      const upload = {
        id,
        conversationId: conversation.id,
        scope,
        filename: "canary.png",
        contentType: "image/png",
        size: 4,
        type: "image",
      } as const;
      const head = await conversation.head();
      if (!(await uploads.create(upload, head?.lastAt ?? 0))) throw new Error("The conversation is gone.");
      await files.put(key, Buffer.from("file"));
      await uploads.startProcessing(id, { copyKey: key, size: 4, at: testEnv.now() });
      await fixture.enqueue(id);
      return id;
    },

    enqueue: (id: string) =>
      openQueue(queues.uploads, testEnv.sqs).send({ body: encodeUpload({ tenant, uploadId: id }), group: tenant }),

    /** Runs the worker on the messages that are visible. @returns how many it received, and how many come again */
    async run(ports: HandOverPorts & WorkerPorts = newPorts()): Promise<{ received: number; failed: number }> {
      const worker = handOverWorker(ports, testEnv.now) as QueueWorker;
      const { records, failed } = await invokeWorker(testEnv.eventSource, queues.uploads, worker, 120_000);
      return { received: records.length, failed: failed.length };
    },

    /** What a reader of the upload sees; null when it is gone. */
    async state(id: string) {
      const view = await getUpload({ uploads }, tenantCaller(tenant), id, testEnv.now());
      return isRefusal(view) ? null : view.state;
    },

    ownerOf: async (attachmentId: string) =>
      (await attachmentOwnerStore(testEnv.table).getAccountKeys(tenant, [attachmentId], testEnv.now()))[0],

    /** Connects the account again, with a new token. */
    reconnect: () =>
      linkTestAccount(
        { ...openStores(testEnv.table), vault: testEnv.newVault() },
        {
          tenant,
          account: {
            ...conversation.account,
            connection: "instagram_login",
            handle: "@shop",
            displayName: "Shop",
            pageId: null,
          },
          token: "a new token",
          author: { actor: "cli" },
          now: testEnv.now(),
        },
      ),

    copies: async (): Promise<string[]> => (await files.list(COPY_PREFIX, null)).keys,
  };
  return fixture;
}

/** A refusal of an upload. */
export const refuseUpload = (changes: object = {}): UploadOutcome =>
  ({ ...refusedOutcome, ...changes }) as UploadOutcome;
export const takeUpload = (attachmentId: string): UploadOutcome => ({ kind: "accepted", attachmentId });
