import { GetObjectCommand } from "@aws-sdk/client-s3";
import { ScanCommand } from "@aws-sdk/lib-dynamodb";
import { beforeEach, expect, it } from "vitest";
import { isRefusal } from "#base/kernel/refusals.ts";
import { startRequestTime } from "#base/kernel/request-time.ts";
import { DAY, HOUR, MINUTE } from "#base/kernel/time.ts";
import { runWithTrace } from "#base/kernel/trace.ts";
import type { Caller } from "#features/access/rules/callers.ts";
import { relatedRefAttributes } from "#features/erasure/store/attributes.ts";
import { relatedRefKey } from "#features/erasure/store/items.ts";
import { conversationStore } from "#features/inbox/store/conversations.ts";
import { createUpload, finishUpload, getUpload } from "#features/uploads/flows/uploads.ts";
import { postedKey, uploadError } from "#features/uploads/rules/uploads.ts";
import { uploadStore } from "#features/uploads/store/uploads.ts";
import { mediaFiles } from "../../../support/files/media-files.ts";
import { openTestEnv, type TestEnv } from "../../../support/flows/test-env.ts";
import { openedOnce } from "../../../support/opened.ts";
import { readItem } from "../../../support/stores/items.ts";
import { newTenant, siblingId } from "../../../support/stores/samples.ts";
import {
  openUploadFixture,
  PNG_FILE,
  pngBytes,
  post,
  programBytes,
  type UploadFixture,
} from "./support/upload-fixture.ts";

let fixture: UploadFixture;
const testEnv = openedOnce(openTestEnv);
beforeEach(async () => {
  testEnv.advance(MINUTE);
  fixture = await openUploadFixture(testEnv);
});

const NOT_FOUND = { refused: "upload_not_found" };
const CONVERSATION_NOT_FOUND = { refused: "conversation_not_found" };

async function created(file: Parameters<UploadFixture["create"]>[0] = {}) {
  const upload = await fixture.create(file);
  if (isRefusal(upload)) throw new Error(upload.refused);
  return upload;
}

it("creating an upload answers a form for 15 minutes that takes the file, up to the limit of its kind", async () => {
  const upload = await created({ contentType: "IMAGE/JPG; charset=binary", filename: "../a/Über uns.png" });
  expect(upload).toEqual({
    id: expect.stringMatching(/^upl_[0-9A-HJKMNP-TV-Z]{26}$/),
    url: expect.stringMatching(/^http:.*uploads/),
    fields: expect.objectContaining({ key: postedKey(upload.id), "Content-Type": "image/jpeg" }),
    expiresAt: testEnv.now() + 15 * MINUTE,
    maxSize: 8 * 2 ** 20,
  });
  expect(await post(upload, pngBytes())).toBe(204);
  expect(await fixture.read(upload.id)).toMatchObject({
    upload: { filename: "Über uns.png", contentType: "image/jpeg", type: "image", size: 5_000, scope: "live" },
    state: { status: "waiting" },
  });
});

it("creating an upload answers a form that takes the limit of its kind and no byte more", async () => {
  const upload = await created({ size: 1 });
  const policy = JSON.parse(Buffer.from(upload.fields.Policy ?? "", "base64").toString());
  expect(policy.conditions).toContainEqual(["content-length-range", 1, 8 * 2 ** 20]);
  expect(upload.maxSize).toBe(8 * 2 ** 20);
});

it("creating an upload belongs to the messages that the conversation had, so that an older erasure does not remove it", async () => {
  const head = await conversationStore(testEnv.table).get(fixture.tenant, fixture.id, testEnv.now());
  testEnv.advance(MINUTE);
  const upload = await created();
  const Key = relatedRefKey(fixture.id, "upload", upload.id);
  const Item = await readItem(testEnv.table, Key);
  expect(head?.lastAt).toBeLessThan(testEnv.now());
  expect(Item?.[relatedRefAttributes.asOf]).toBe(head?.lastAt);
});

it("creating an upload is refused for a conversation that is unknown, of another tenant, expired, erased or disconnected", async () => {
  const ports = fixture.ports();
  const create = (conversationId: string, now = testEnv.now(), tenant = fixture.tenant) => {
    const caller = { ...fixture.callerFor("live"), tenant };
    return createUpload(ports, caller, { conversationId, file: PNG_FILE }, now);
  };
  expect(await create("CONV#x")).toEqual(CONVERSATION_NOT_FOUND);
  expect(await create(siblingId(fixture.id))).toEqual(CONVERSATION_NOT_FOUND);
  expect(await create(fixture.id, testEnv.now(), newTenant())).toEqual(CONVERSATION_NOT_FOUND);
  expect(await create(fixture.id, testEnv.now() + 7 * DAY)).toEqual(CONVERSATION_NOT_FOUND);
  expect(isRefusal(await create(fixture.id))).toBe(false);
  await fixture.disconnect();
  expect(await create(fixture.id)).toEqual(CONVERSATION_NOT_FOUND);

  fixture = await openUploadFixture(testEnv);
  await fixture.eraseConversation();
  expect(await fixture.create()).toEqual(CONVERSATION_NOT_FOUND);
});

it.each([
  ["attachment_too_large", { size: 8 * 2 ** 20 + 1 }],
  ["unsupported_media_type", { contentType: "image/gif" }],
  ["unsupported_media_type", { type: "video" as const }],
])("creating an upload is refused as %s (%j) and leaves nothing", async (reason, file) => {
  const rowsBefore = await testEnv.table.client.send(scanOf(testEnv));
  expect(await fixture.create(file)).toMatchObject({ refused: reason });
  expect((await testEnv.table.client.send(scanOf(testEnv))).Count).toBe(rowsBefore.Count);
});

it("finishing an upload copies the file under an ASCII name, deletes the posted one and queues the hand-over", async () => {
  const upload = await fixture.posted();
  const view = await fixture.finish(upload.id);
  expect(view).toMatchObject({ state: { status: "processing", processingAt: testEnv.now(), tries: 0 } });
  const [copy, ...others] = await fixture.objects(upload.id);
  expect(others).toEqual([]);
  expect(copy).toMatch(new RegExp(`^h/\\d{4}-\\d\\d-\\d\\dT\\d\\d/[A-Za-z0-9_-]{22}/${upload.id}\\.png$`));
  const object = await testEnv.s3.send(new GetObjectCommand({ Bucket: "uploads", Key: copy }));
  expect(object.ContentType).toBe("image/png");
  expect(await object.Body?.transformToByteArray()).toEqual(pngBytes());
  expect(await fixture.messages()).toEqual([{ v: expect.any(Number), tenant: fixture.tenant, upload_id: upload.id }]);
  expect(await fixture.read(upload.id)).toEqual(view);
});

it.each([
  ["video/quicktime", "video/mp4", "mp4"],
  ["video/mp4", "video/quicktime", "mov"],
  ["video/quicktime", "video/quicktime", "mov"],
] as const)(
  "finishing an upload stores the copy of a file that claims %s and is %s as what it is",
  async (claim, type, extension) => {
    const bytes = new Uint8Array(mediaFiles[type]());
    const upload = await fixture.create({ contentType: claim, filename: "clip.mov", size: bytes.length });
    if (isRefusal(upload)) throw new Error(upload.refused);
    await post(upload, bytes);
    expect(await fixture.finish(upload.id)).toMatchObject({
      upload: { contentType: claim },
      state: { status: "processing" },
    });
    const [copy = ""] = await fixture.objects(upload.id);
    expect(copy.endsWith(`.${extension}`)).toBe(true);
    const object = await testEnv.s3.send(new GetObjectCommand({ Bucket: "uploads", Key: copy }));
    expect(object.ContentType).toBe(type);
  },
);

it("finishing an upload names its request to the hand-over", async () => {
  const upload = await fixture.posted();
  await runWithTrace("request-1", () => fixture.finish(upload.id));
  expect(await fixture.messages()).toMatchObject([{ upload_id: upload.id, trace_id: "request-1" }]);
});

it("finishing an upload refuses a type that the account no longer takes since it was connected in another way", async () => {
  const ports = fixture.ports();
  const connectedByPage = async (...parameters: Parameters<typeof ports.accounts.get>) => {
    const account = await ports.accounts.get(...parameters);
    return account && { ...account, connection: "instagram_page" as const };
  };
  const file = { contentType: "image/gif", size: 100 };
  const pagePorts = { ...ports, accounts: { ...ports.accounts, get: connectedByPage } };
  const upload = await fixture.create(file, { ports: pagePorts });
  if (isRefusal(upload)) throw new Error(upload.refused);
  await post(upload, new Uint8Array(Buffer.from("GIF89a".padEnd(100))));
  expect(await fixture.finish(upload.id)).toMatchObject({ refused: "unsupported_media_type" });
  expect(await fixture.objects(upload.id)).toEqual([]);
});

it("finishing an upload is not found when another request refused the file for another reason", async () => {
  const upload = await fixture.posted(programBytes());
  const ports = fixture.ports();
  const firstBytes = async (...parameters: Parameters<typeof ports.uploadFiles.firstBytes>) => {
    const bytes = await ports.uploadFiles.firstBytes(...parameters);
    const error = uploadError("attachment_too_large");
    await uploadStore(testEnv.table).fail(upload.id, { error, from: "waiting", now: testEnv.now() });
    return bytes;
  };
  const racing = { ...ports, uploadFiles: { ...ports.uploadFiles, firstBytes } };
  expect(await fixture.finish(upload.id, { ports: racing })).toEqual(NOT_FOUND);
  expect(await fixture.read(upload.id)).toMatchObject({ state: { error: { code: "attachment_too_large" } } });
});

it("finishing an upload replaces the declared size by that of the file", async () => {
  const upload = await fixture.posted(pngBytes(4_321), { size: 5_000 });
  expect(await fixture.read(upload.id)).toMatchObject({ upload: { size: 5_000 } });
  expect(await fixture.finish(upload.id)).toMatchObject({ upload: { size: 4_321 } });
  expect(await fixture.read(upload.id)).toMatchObject({ upload: { size: 4_321 } });
});

it("finishing an upload without a posted file is refused and consumes nothing", async () => {
  const upload = await created();
  expect(await fixture.finish(upload.id)).toEqual(NOT_FOUND);
  await post(upload, pngBytes());
  expect(await fixture.finish(upload.id)).toMatchObject({ state: { status: "processing" } });
});

it("finishing an upload works until 22 hours after the start of its hour, although the grant ended, and not after", async () => {
  const upload = await fixture.posted();
  const late = await fixture.posted();
  const hour = testEnv.now() - (testEnv.now() % HOUR);
  testEnv.advance(hour + 22 * HOUR - 1 - testEnv.now());
  expect(await fixture.finish(upload.id)).toMatchObject({ state: { status: "processing" } });
  testEnv.advance(1);
  expect(await fixture.finish(late.id)).toEqual(NOT_FOUND);
});

it("finishing an upload is refused for an upload that is unknown, malformed, of another tenant or scope, or finished", async () => {
  const upload = await fixture.posted();
  const ports = fixture.ports();
  const time = startRequestTime(testEnv.now);
  const stranger = { ...fixture.callerFor("live"), tenant: newTenant() };
  for (const id of ["", "upl_1", upload.id.toLowerCase(), ` ${upload.id}`, "upl_01ARZ3NDEKTSV4RRFFQ69G5FAV"])
    expect(await finishUpload(ports, fixture.callerFor("live"), id, time)).toEqual(NOT_FOUND);
  expect(await finishUpload(ports, stranger, upload.id, time)).toEqual(NOT_FOUND);
  expect(await fixture.finish(upload.id, { scope: "test" })).toEqual(NOT_FOUND);
  expect(await fixture.finish(upload.id)).toMatchObject({ state: { status: "processing" } });
  expect(await fixture.finish(upload.id)).toEqual(NOT_FOUND);
  expect(await fixture.messages()).toHaveLength(1);
});

it("finishing an upload is done by a test key for its own uploads, which a live key cannot finish", async () => {
  const upload = await fixture.posted(pngBytes(), {}, "test");
  expect(await fixture.finish(upload.id)).toEqual(NOT_FOUND);
  expect(await fixture.finish(upload.id, { scope: "test" })).toMatchObject({
    upload: { scope: "test" },
    state: { status: "processing" },
  });
});

it("finishing an upload is done by an operator key and a member of the tenant, and by no other", async () => {
  const { tenant } = fixture;
  const operator = { kind: "operator_key", keyId: "o", suspendedTenants: [], scope: "live" } as const;
  const person = { kind: "session", userId: "usr_1", email: "a@example.com", epoch: 0, csrfToken: "c" } as const;
  const memberOf = (slug: typeof tenant) =>
    ({
      ...person,
      name: null,
      expiresAt: testEnv.now() + HOUR,
      memberships: [{ tenant: slug, role: "agent", isSuspended: false }],
      scope: "live",
    }) as const;
  const accepted: Caller[] = [{ ...operator, tenants: [newTenant(), tenant] }, memberOf(tenant)];
  const refused: Caller[] = [{ ...operator, tenants: [newTenant()] }, memberOf(newTenant())];
  for (const caller of [...refused, ...accepted]) {
    const request = { conversationId: fixture.id, file: PNG_FILE };
    const upload = await createUpload(fixture.ports(), caller, request, testEnv.now());
    if (isRefusal(upload)) {
      expect([refused.includes(caller), upload]).toEqual([true, CONVERSATION_NOT_FOUND]);
      continue;
    }
    await post(upload, pngBytes());
    const time = startRequestTime(testEnv.now);
    for (const other of refused) expect(await finishUpload(fixture.ports(), other, upload.id, time)).toEqual(NOT_FOUND);
    const view = await finishUpload(fixture.ports(), caller, upload.id, time);
    expect([accepted.includes(caller), view]).toMatchObject([true, { state: { status: "processing" } }]);
  }
  const suspended = { ...operator, tenants: [tenant], suspendedTenants: [tenant] };
  const upload = await fixture.posted();
  const time = startRequestTime(testEnv.now);
  expect(await finishUpload(fixture.ports(), suspended, upload.id, time)).toEqual({ refused: "tenant_suspended" });
});

it("finishing an upload is refused when the conversation expired, was erased or lost its account", async () => {
  const disconnected = await fixture.posted();
  await fixture.disconnect();
  expect(await fixture.finish(disconnected.id)).toEqual(CONVERSATION_NOT_FOUND);
  expect(await fixture.read(disconnected.id)).toMatchObject({ state: { status: "waiting" } });

  fixture = await openUploadFixture(testEnv);
  const erased = await fixture.posted();
  await fixture.eraseConversation();
  expect(await fixture.finish(erased.id)).toEqual(NOT_FOUND);
  expect(await fixture.read(erased.id)).toEqual(NOT_FOUND);
});

it("finishing an upload refuses a file that is not what it claims to be, deletes it and consumes the upload", async () => {
  const upload = await fixture.posted(programBytes());
  const refusal = { refused: "unsupported_media_type", detail: expect.any(String) };
  expect(await fixture.finish(upload.id)).toEqual(refusal);
  expect(await fixture.objects(upload.id)).toEqual([]);
  expect(await fixture.read(upload.id)).toMatchObject({
    state: { status: "failed", error: { code: "unsupported_media_type", detail: expect.any(String) } },
  });
  await post(upload, pngBytes());
  expect(await fixture.finish(upload.id)).toEqual(NOT_FOUND);
  expect(await fixture.messages()).toEqual([]);
});

it("finishing an upload ends the upload when the queue does not take its message", async () => {
  const upload = await fixture.posted();
  const failing = { send: () => Promise.reject(new Error("The queue is down.")) };
  const ports = { ...fixture.ports(), uploadWork: failing };
  await expect(fixture.finish(upload.id, { ports })).rejects.toThrow("The queue is down.");
  expect(await fixture.objects(upload.id)).toEqual([]);
  expect(await fixture.read(upload.id)).toMatchObject({
    state: { status: "failed", error: { code: "internal_error", detail: null } },
  });
});

it("finishing an upload answers the end of a hand-over that began although the answer of the queue was lost", async () => {
  const upload = await fixture.posted();
  const ports = fixture.ports();
  const uploadWork = {
    send: async () => {
      await uploadStore(testEnv.table).complete(upload.id, "123", testEnv.now());
      throw new Error("The answer of the queue was lost.");
    },
  };
  expect(await fixture.finish(upload.id, { ports: { ...ports, uploadWork } })).toMatchObject({
    state: { status: "ready", attachmentId: "123" },
  });
});

it("finishing an upload is not undone by a posted file that cannot be deleted", async () => {
  const upload = await fixture.posted();
  const ports = fixture.ports();
  const uploadFiles = { ...ports.uploadFiles, remove: () => Promise.reject(new TypeError("no")) };
  expect(await fixture.finish(upload.id, { ports: { ...ports, uploadFiles } })).toMatchObject({
    state: { status: "processing" },
  });
  expect(testEnv.lines).toContainEqual({ event: "upload.remove_failed", error: "TypeError" });
});

it("reading an upload works for a day, and never for another tenant", async () => {
  const upload = await created();
  const stranger = { ...fixture.callerFor("live"), tenant: newTenant() };
  expect(await getUpload(fixture.ports(), stranger, upload.id, testEnv.now())).toEqual(NOT_FOUND);
  testEnv.advance(DAY - 1);
  expect(await fixture.read(upload.id)).toMatchObject({ state: { status: "waiting" } });
  testEnv.advance(1);
  expect(await fixture.read(upload.id)).toEqual(NOT_FOUND);
});

it("reading an upload shows an upload that is in processing for five minutes as failed", async () => {
  const upload = await fixture.posted();
  await fixture.finish(upload.id);
  testEnv.advance(5 * MINUTE - 1);
  expect(await fixture.read(upload.id)).toMatchObject({ state: { status: "processing" } });
  testEnv.advance(1);
  expect(await fixture.read(upload.id)).toMatchObject({
    state: { status: "failed", error: { code: "internal_error" } },
  });
});

function scanOf({ table }: TestEnv): ScanCommand {
  return new ScanCommand({ TableName: table.name, Select: "COUNT" });
}
