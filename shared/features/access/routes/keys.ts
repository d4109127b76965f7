import * as z from "zod/mini";
import { KEY_LABEL_CHARS_MAX } from "#base/kernel/limits.ts";
import { isRefusal } from "#base/kernel/refusals.ts";
import { iso, isoOrNull } from "#base/kernel/time.ts";
import { charactersMax, singleLine } from "#http/fields.ts";
import { once } from "#http/lazy-schemas.ts";
import { listKeys as list, revokeKey as revoke } from "../flows/key-lists.ts";
import { createKey as create } from "../flows/keys.ts";
import { endpoint } from "./endpoint.ts";

const scope = z.enum(["live", "test"]);

const keySchema = once(() =>
  z
    .object({
      id: z.string(),
      prefix: z.string(),
      scope,
      strict: z.boolean(),
      label: z.string(),
      status: z.enum(["active", "revoked"]),
      created_at: z.iso.datetime(),
      last_used_at: z.nullable(z.iso.datetime()),
    })
    .register(z.globalRegistry, { id: "Key" }),
);

/** A key as the API lists it, and as the command line prints it with `--json`. */
export function toKeyResponse(key: Awaited<ReturnType<typeof list>>[number]): z.infer<ReturnType<typeof keySchema>> {
  return {
    id: key.id,
    prefix: key.prefix,
    scope: key.scope,
    strict: key.isStrict === true,
    label: key.label,
    status: key.status,
    created_at: iso(key.createdAt),
    last_used_at: isoOrNull(key.lastUsedAt),
  };
}

export const listKeys = endpoint.tenant({
  operation: "listKeys",
  method: "GET",
  path: "/v1/keys",
  role: "admin",
  tag: "API keys",
  summary: "List API keys",
  data: () => z.object({ keys: z.array(keySchema()) }),
  handle: async ({ tenant, now, ports }) => ({
    keys: (await list(ports, tenant, now)).map(toKeyResponse),
  }),
});

export const createKey = endpoint.tenant({
  operation: "createKey",
  method: "POST",
  path: "/v1/keys",
  role: "admin",
  tag: "API keys",
  summary: "Create an API key",
  body: () =>
    z.optional(
      z.object({
        scope: z.optional(scope),
        label: z.optional(z.string().check(...singleLine, ...charactersMax(KEY_LABEL_CHARS_MAX))),
        strict: z.optional(z.boolean()),
      }),
    ),
  refusals: ["key_limit", "live_key_required"],
  data: () =>
    z.object({
      id: z.string(),
      prefix: z.string(),
      secret: z.string(),
      scope,
      strict: z.boolean(),
      label: z.string(),
      created_at: z.iso.datetime(),
    }),
  handle: async ({ caller, author, tenant, body, now, ports }) => {
    const settings = { scope: body?.scope ?? caller.scope, label: body?.label ?? "", strict: body?.strict };
    const key = await create(ports, tenant, { ...settings, author }, now);
    if (isRefusal(key)) return key;
    const { id, prefix, secret, label, isStrict = false, createdAt } = key;
    return { id, prefix, secret, scope: key.scope, strict: isStrict, label, created_at: iso(createdAt) };
  },
});

export const revokeKey = endpoint.tenant({
  operation: "revokeKey",
  method: "DELETE",
  path: "/v1/keys/{id}",
  role: "admin",
  tag: "API keys",
  summary: "Revoke an API key",
  refusals: ["key_not_found", "live_key_required"],
  data: () => z.object({ revoked: z.literal(true) }),
  handle: async ({ author, tenant, path, now, ports }) => {
    const refusal = await revoke(ports, { tenant, keyId: path.id, author, now });
    return refusal ?? { revoked: true as const };
  },
});
