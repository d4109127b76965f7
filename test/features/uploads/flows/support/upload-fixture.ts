import { isRefusal } from "#base/kernel/refusals.ts";
import { startRequestTime } from "#base/kernel/request-time.ts";
import type { PlatformName } from "#features/accounts/rules/accounts.ts";
import { accountItemKey } from "#features/accounts/store/items.ts";
import { type CreatedUpload, createUpload, finishUpload, getUpload } from "#features/uploads/flows/uploads.ts";
import { COPY_PREFIX, POSTED_PREFIX } from "#features/uploads/rules/uploads.ts";
import type { ApiPorts } from "../../../../../functions/api/routes.ts";
import { receiveAllMessages } from "../../../../support/flows/queue-worker.ts";
import { openReplyFixture } from "../../../../support/flows/reply-fixture.ts";
import type { TestEnv } from "../../../../support/flows/test-env.ts";
import { deleteItem } from "../../../../support/stores/items.ts";

export type UploadFixture = Awaited<ReturnType<typeof openUploadFixture>>;

const PNG_START = Buffer.from("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "latin1");

/** Bytes that start as a PNG. Files of different seeds differ. */
export function pngBytes(size = 5_000, seed = 0): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size).fill(seed);
  bytes.set(PNG_START);
  return bytes;
}

/** Bytes that start as a Windows program. */
export function programBytes(size = 5_000): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size);
  bytes.set(Buffer.from("MZ"));
  return bytes;
}

export const PNG_FILE = { filename: "photo.png", contentType: "image/png", size: 5_000 } as const;

/** A client that uploads files for the conversation of a reply fixture, with the ports of the API. */
export async function openUploadFixture(testEnv: TestEnv, platform: PlatformName = "instagram") {
  const fixture = await openReplyFixture(testEnv, platform);
  const { tenant, id: conversationId, queues } = fixture;
  const callerFor = (scope: "live" | "test") => ({ kind: "tenant_key", keyId: "k", tenant, scope }) as const;

  async function keysUnder(prefix: string): Promise<string[]> {
    const keys: string[] = [];
    let next: string | null = null;
    do {
      const page = await testEnv.uploadFiles.list(prefix, next);
      keys.push(...page.keys);
      next = page.next;
    } while (next !== null);
    return keys;
  }

  return {
    ...fixture,
    callerFor,

    /** Removes the account of the conversation. */
    async disconnect(): Promise<void> {
      const Key = accountItemKey(tenant, fixture.accountRef);
      await deleteItem(testEnv.table, Key);
    },

    create: (
      file: Partial<Parameters<typeof createUpload>[2]["file"]> = {},
      { scope = "live", ports = fixture.ports() }: { scope?: "live" | "test"; ports?: ApiPorts } = {},
    ) => createUpload(ports, callerFor(scope), { conversationId, file: { ...PNG_FILE, ...file } }, testEnv.now()),

    finish: (
      id: string,
      { scope = "live", ports = fixture.ports() }: { scope?: "live" | "test"; ports?: ApiPorts } = {},
    ) => finishUpload(ports, callerFor(scope), id, startRequestTime(testEnv.now)),

    read: (id: string) => getUpload(fixture.ports(), callerFor("live"), id, testEnv.now()),

    /** Creates an upload whose file is posted. */
    async posted(bytes = pngBytes(), file: Partial<typeof PNG_FILE> = {}, scope: "live" | "test" = "live") {
      const upload = await this.create(file, { scope });
      if (isRefusal(upload)) throw new Error(`The upload was refused: ${upload.refused}`);
      await post(upload, bytes);
      return upload;
    },

    /** The keys of the files of an upload: the posted one, then copies. */
    objects: async (id: string) =>
      [...(await keysUnder(POSTED_PREFIX)), ...(await keysUnder(COPY_PREFIX))].filter((key) => key.includes(id)),

    /** The messages of the queue of uploads, which are then received. */
    messages: async () =>
      (await receiveAllMessages(testEnv.eventSource, queues.uploads)).map(({ body }) => JSON.parse(body)),
  };
}

/** Posts a file as a browser does. @returns the status of storage */
export async function post(
  { url, fields }: Pick<CreatedUpload, "url" | "fields">,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<number> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append("file", new Blob([bytes]), "a.png");
  const response = await fetch(url, { method: "POST", body: form });
  await response.text();
  return response.status;
}
