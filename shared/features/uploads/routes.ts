import * as z from "zod/mini";
import { isRefusal } from "#base/kernel/refusals.ts";
import { iso } from "#base/kernel/time.ts";
import { mediaTypes } from "#features/sending/rules/send-content.ts";
import { endpointsFor } from "#http/endpoints-for.ts";
import { contentType, fileName } from "#http/fields.ts";
import { once } from "#http/lazy-schemas.ts";
import { toUploadFields, uploadFields } from "./events.ts";
import { createUpload as create, finishUpload as finish, getUpload as read } from "./flows/uploads.ts";
import type { UploadPorts } from "./ports.ts";

const endpoint = endpointsFor<UploadPorts>();

const type = z.enum(mediaTypes);

const grantSchema = once(() =>
  z
    .object({
      id: z.string(),
      url: z.string().check(z.meta({ description: "Where to post the form." })),
      fields: z
        .record(z.string(), z.string())
        .check(z.meta({ description: "The fields of the form. The file follows them, as the field `file`." })),
      method: z.literal("POST"),
      expires_at: z.iso.datetime(),
      max_size: z
        .int()
        .check(z.meta({ description: "The most bytes that the file may have. Storage refuses a larger one." })),
    })
    .register(z.globalRegistry, { id: "UploadGrant" }),
);

const uploadSchema = once(() => uploadFields().register(z.globalRegistry, { id: "Upload" }));

const common = { tenant: "resource", role: "agent", tag: "Attachments" } as const;

export const createUpload = endpoint.caller({
  operation: "createUpload",
  method: "POST",
  path: "/v1/attachments/uploads",
  ...common,
  namesTenant: "conversation_id",
  summary: "Create an upload",
  body: () =>
    z.object({
      conversation_id: z.string().check(z.minLength(1)),
      filename: fileName,
      content_type: contentType,
      size: z.int().check(z.minimum(1)),
      type: z.nullish(type).check(
        z.meta({
          description:
            "The kind of the file. Null or absent: it follows from `content_type`. On Messenger any file is possible as a `file`.",
        }),
      ),
    }),
  status: 201,
  refusals: ["conversation_not_found", "attachment_too_large", "unsupported_media_type"],
  data: () => z.object({ upload: grantSchema() }),
  handle: async ({ caller, body, now, ports }) => {
    const { conversation_id, filename, content_type, size } = body;
    const file = { filename, contentType: content_type, size, type: body.type ?? undefined };
    const upload = await create(ports, caller, { conversationId: conversation_id, file }, now);
    if (isRefusal(upload)) return upload;
    const { id, url, fields, expiresAt, maxSize } = upload;
    return { upload: { id, url, fields, method: "POST" as const, expires_at: iso(expiresAt), max_size: maxSize } };
  },
});

export const finishUpload = endpoint.caller({
  operation: "finishUpload",
  method: "POST",
  path: "/v1/attachments",
  ...common,
  summary: "Finish an upload",
  body: () => z.object({ upload_id: z.string() }),
  status: 202,
  refusals: ["upload_not_found", "conversation_not_found", "attachment_too_large", "unsupported_media_type"],
  data: () => z.object({ upload: uploadSchema() }),
  handle: async ({ caller, body, time, ports }) => {
    const view = await finish(ports, caller, body.upload_id, time);
    return isRefusal(view) ? view : { upload: toUploadFields(view.upload, view.state) };
  },
});

export const getUpload = endpoint.caller({
  operation: "getUpload",
  method: "GET",
  path: "/v1/attachments/uploads/{upload_id}",
  ...common,
  summary: "Get an upload",
  refusals: ["upload_not_found"],
  data: () => z.object({ upload: uploadSchema() }),
  handle: async ({ caller, path, now, ports }) => {
    const view = await read(ports, caller, path.upload_id, now);
    return isRefusal(view) ? view : { upload: toUploadFields(view.upload, view.state) };
  },
});
