import { beforeEach, expect, it } from "vitest";
import { iso, MINUTE } from "#base/kernel/time.ts";
import { uploadError } from "#features/uploads/rules/uploads.ts";
import { uploadStore } from "#features/uploads/store/uploads.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedOnce } from "../../../support/opened.ts";
import { liveKeyOf, testApp } from "../../../support/routes/test-app.ts";
import {
  openUploadFixture,
  pngBytes,
  post,
  programBytes,
  type UploadFixture,
} from "../flows/support/upload-fixture.ts";

let fixture: UploadFixture;
let reads: number;
const testEnv = openedOnce(openTestEnv);
beforeEach(async () => {
  testEnv.advance(MINUTE);
  fixture = await openUploadFixture(testEnv);
  reads = 0;
});

async function request(path: string, body?: unknown) {
  const ports = fixture.ports();
  const uploads: typeof ports.uploads = {
    ...ports.uploads,
    get: (id) => {
      reads += 1;
      return ports.uploads.get(id);
    },
  };
  const app = testApp(testEnv, { ...ports, uploads }, liveKeyOf(fixture.tenant));
  const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  const response = await app.fetch(new Request(`http://gateway${path}`, init), {});
  // biome-ignore lint/suspicious/noExplicitAny: the app validates each response against its schema
  const { data, error } = (await response.json()) as any;
  return { status: response.status, data, error };
}

const validBody = () => ({
  conversation_id: fixture.id,
  filename: "photo.png",
  content_type: "image/png",
  size: 5_000,
});
const create = async () => (await request("/v1/attachments/uploads", validBody())).data.upload;

it("the routes of uploads answer a grant, an upload in processing, and its attachment", async () => {
  const { status, data } = await request("/v1/attachments/uploads", validBody());
  const { id } = data.upload;
  expect([status, data]).toEqual([
    201,
    {
      upload: {
        id: expect.stringMatching(/^upl_/),
        url: expect.any(String),
        fields: expect.any(Object),
        method: "POST",
        expires_at: iso(testEnv.now() + 15 * MINUTE),
        max_size: 8 * 2 ** 20,
      },
    },
  ]);
  const upload = {
    id,
    conversation_id: fixture.id,
    filename: "photo.png",
    content_type: "image/png",
    size: 5_000,
    type: "image",
  };
  const path = `/v1/attachments/uploads/${id}`;
  expect((await request(path)).data).toEqual({ upload: { ...upload, status: "waiting" } });
  await post(data.upload, pngBytes());
  const finished = await request("/v1/attachments", { upload_id: id });
  expect([finished.status, finished.data]).toEqual([202, { upload: { ...upload, status: "processing" } }]);
  await uploadStore(testEnv.table).complete(id, "1857777774821032", testEnv.now());
  expect((await request(path)).data).toEqual({
    upload: { ...upload, status: "ready", attachment: { id: "1857777774821032", type: "image" } },
  });
});

it("the routes of uploads answer the error of an upload that failed", async () => {
  const grant = await create();
  await post(grant, pngBytes());
  await request("/v1/attachments", { upload_id: grant.id });
  const error = uploadError("send_failed", "(#100) Invalid file");
  await uploadStore(testEnv.table).fail(grant.id, { error, from: "processing", now: testEnv.now() });
  expect((await request(`/v1/attachments/uploads/${grant.id}`)).data.upload).toMatchObject({
    status: "failed",
    error: { code: "send_failed", message: expect.any(String), detail: "(#100) Invalid file" },
  });
});

it("the routes of uploads answer 413 and 415 with the code, and the limit or the accepted types", async () => {
  const tooLarge = await request("/v1/attachments/uploads", { ...validBody(), size: 8 * 2 ** 20 + 1 });
  expect(tooLarge).toMatchObject({
    status: 413,
    error: { code: "attachment_too_large", detail: expect.stringContaining("8388608") },
  });
  const gif = await request("/v1/attachments/uploads", { ...validBody(), content_type: "image/gif" });
  expect(gif).toMatchObject({
    status: 415,
    error: { code: "unsupported_media_type", detail: expect.stringContaining("image/png") },
  });
  const grant = await create();
  await post(grant, programBytes());
  const refused = await request("/v1/attachments", { upload_id: grant.id });
  expect(refused).toMatchObject({ status: 415, error: { code: "unsupported_media_type" } });
  const again = await request("/v1/attachments", { upload_id: grant.id });
  expect(again).toMatchObject({ status: 404, error: { code: "upload_not_found" } });
});

it.each<[string, object, string]>([
  ["no conversation", { conversation_id: undefined }, "conversation_id"],
  ["a conversation that is no text", { conversation_id: 5 }, "conversation_id"],
  ["no file name", { filename: undefined }, "filename"],
  ["an empty file name", { filename: "" }, "filename"],
  ["a file name of control and direction characters", { filename: "\u0000\u202e\u2066" }, "filename"],
  ["a path without a name", { filename: "../.." }, "filename"],
  ["a file name of 256 bytes", { filename: `${"é".repeat(126)}.png` }, "filename"],
  ["a file name that is a list", { filename: ["a.png"] }, "filename"],
  ["no content type", { content_type: undefined }, "content_type"],
  ["a content type without a subtype", { content_type: "image" }, "content_type"],
  ["a content type with a line break", { content_type: "image/png\r\nx: y" }, "content_type"],
  ["no size", { size: undefined }, "size"],
  ["a size of zero", { size: 0 }, "size"],
  ["a negative size", { size: -1 }, "size"],
  ["a size that is not whole", { size: 1.5 }, "size"],
  ["a size in text", { size: "5000" }, "size"],
  ["a size beyond whole numbers", { size: 2 ** 53 }, "size"],
  ["an unknown type", { type: "sticker" }, "type"],
])("an invalid request with %s is refused, naming the field", async (_case, change, field) => {
  const { status, error } = await request("/v1/attachments/uploads", { ...validBody(), ...change });
  expect([status, error.code, error.errors.map(({ field }: { field: string }) => field)]).toEqual([
    400,
    "invalid_request",
    [field],
  ]);
});

it.each([{}, { upload_id: 5 }, { upload_id: null }])(
  "an invalid request to finish with %j is refused",
  async (body) => {
    const { status, error } = await request("/v1/attachments", body);
    expect([status, error.code, error.errors[0].field]).toEqual([400, "invalid_request", "upload_id"]);
  },
);

it.each(["", "upl_", "upl_1", "upl_01arz3ndektsv4rrffq69g5fav", "hold_01ARZ3NDEKTSV4RRFFQ69G5FAV", "x".repeat(9_000)])(
  "an invalid request with the id %j is not found, without a read",
  async (id) => {
    expect(await request("/v1/attachments", { upload_id: id })).toMatchObject({
      status: 404,
      error: { code: "upload_not_found" },
    });
    if (id !== "") {
      const read = await request(`/v1/attachments/uploads/${id}`);
      expect(read).toMatchObject({ status: 404, error: { code: "upload_not_found" } });
    }
    expect(reads).toBe(0);
  },
);

it.each([
  [`${"é".repeat(125)}.pngx`, undefined],
  ["C:\\Users\\me\\a\u202egnp.png", "agnp.png"],
  ["../../etc/passwd.png", "passwd.png"],
])("a stored file name has at most 255 bytes, no path and no direction: %j", async (filename, stored = filename) => {
  const { data } = await request("/v1/attachments/uploads", { ...validBody(), filename });
  const { data: read } = await request(`/v1/attachments/uploads/${data.upload.id}`);
  expect(read.upload.filename).toBe(stored);
  expect(data.upload.fields.key).not.toContain(".png");
});
