import type { Conversations } from "./inbox.ts";
import { type Scenario, UNKNOWN_ULID } from "./scenario.ts";

/** A PNG of one pixel. */
const IMAGE = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

/** A file is uploaded and becomes an attachment of the platform. */
export async function recordUploads(scenario: Scenario, { instagram }: Conversations): Promise<void> {
  const { example, send, stack, live } = scenario;
  const path = "/v1/attachments/uploads";
  const file = { conversation_id: instagram, filename: "bowl.png", content_type: "image/png", size: IMAGE.length };
  const { upload } = (await example("createUpload", "An image", { path, headers: live, body: file })).data;
  await example("createUpload", null, {
    path,
    headers: live,
    body: { ...file, content_type: "application/x-msdownload" },
  });
  await example("finishUpload", null, { path: "/v1/attachments", headers: live, body: { upload_id: UNKNOWN_ULID } });
  scenario.texts[upload.url] = "https://uploads.example.com/";
  const form = new FormData();
  for (const [name, value] of Object.entries<string>(upload.fields)) form.append(name, value);
  form.append("file", new Blob([new Uint8Array(IMAGE)]), "file");
  const posted = await fetch(upload.url, { method: "POST", body: form });
  if (!posted.ok) throw new Error(`The file was not accepted: ${posted.status}`);
  await example("finishUpload", "The posted file", {
    path: "/v1/attachments",
    headers: live,
    body: { upload_id: upload.id },
  });
  const one = { path: `${path}/${upload.id}`, headers: live };
  await stack.until("the upload is ready", async () => (await send(one)).data?.upload.status === "ready");
  await example("getUpload", "A file that is ready to be sent", one);
  await example("getUpload", null, { path: `${path}/${UNKNOWN_ULID}`, headers: live });
}
