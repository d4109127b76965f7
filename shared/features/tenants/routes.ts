import * as z from "zod/mini";
import { TENANT_NAME_CHARS_MAX } from "#base/kernel/limits.ts";
import { invalidField, isRefusal } from "#base/kernel/refusals.ts";
import { parseTenant, TENANT_SLUG_PATTERN } from "#base/kernel/tenant.ts";
import { iso } from "#base/kernel/time.ts";
import { languages } from "#base/languages/languages.ts";
import { roles } from "#features/access/rules/callers.ts";
import { endpointsFor } from "#http/endpoints-for.ts";
import { charactersMax, visibleLine } from "#http/fields.ts";
import { once } from "#http/lazy-schemas.ts";
import { changeTenant, createOwnTenant, getOwnTenant, listOwnTenants, type OwnTenant } from "./own-tenants.ts";
import type { OwnTenantPorts } from "./ports.ts";

const endpoint = endpointsFor<OwnTenantPorts>();

const tag = "Tenants";

const tenantSchema = once(() =>
  z
    .object({
      id: z.string(),
      name: z.string(),
      status: z.enum(["active", "suspended"]),
      language: z.nullable(z.enum(languages)),
      created_at: z.iso.datetime(),
      updated_at: z.iso.datetime(),
    })
    .register(z.globalRegistry, { id: "Tenant" }),
);
const ownTenantSchema = once(() =>
  z
    .extend(tenantSchema(), {
      role: z.enum(roles),
      invited_by: z.nullable(z.string()),
      invited_by_email: z.nullable(z.string()),
    })
    .register(z.globalRegistry, { id: "OwnTenant" }),
);

const name = z.string().check(...visibleLine, ...charactersMax(TENANT_NAME_CHARS_MAX));

function toTenantResponse(tenant: OwnTenant): z.infer<ReturnType<typeof tenantSchema>> {
  return {
    id: tenant.id,
    name: tenant.name,
    status: tenant.status,
    language: tenant.language,
    created_at: iso(tenant.createdAt),
    updated_at: iso(tenant.updatedAt),
  };
}

export const listTenants = endpoint.session({
  operation: "listTenants",
  method: "GET",
  path: "/console/tenants",
  tag,
  summary: "List your tenants",
  tenant: "none",
  role: null,
  data: () => z.object({ tenants: z.array(ownTenantSchema()) }),
  handle: async ({ caller, ports }) => ({
    tenants: (await listOwnTenants(ports, caller)).map((tenant) => ({
      ...toTenantResponse(tenant),
      role: tenant.role,
      invited_by: tenant.invitedBy,
      invited_by_email: tenant.inviterEmail,
    })),
  }),
});

export const createTenant = endpoint.session({
  operation: "createTenant",
  method: "POST",
  path: "/console/tenants",
  tag,
  summary: "Create a tenant",
  status: 201,
  tenant: "none",
  role: null,
  body: () => z.object({ id: z.string().check(z.meta({ pattern: TENANT_SLUG_PATTERN })), name }),
  refusals: ["sign_up_closed", "tenant_exists", "workspace_limit", "workspace_day_limit"],
  data: () => z.object({ tenant: tenantSchema() }),
  handle: async ({ author, body, now, ports }) => {
    const id = parseTenant(body.id);
    if (!id)
      return invalidField(
        "id",
        "must have 3 to 40 lowercase letters, digits or dashes, start with a letter and not end with a dash",
      );
    const tenant = await createOwnTenant(ports, { id, name: body.name, author, now });
    return isRefusal(tenant) ? tenant : { tenant: toTenantResponse(tenant) };
  },
});

export const getTenant = endpoint.session({
  operation: "getTenant",
  method: "GET",
  path: "/console/tenants/{slug}",
  tag,
  summary: "Get a tenant",
  tenant: "resource",
  namesTenant: "slug",
  role: "agent",
  refusals: ["tenant_not_found"],
  data: () => z.object({ tenant: tenantSchema() }),
  handle: async ({ caller, path, ports }) => {
    const tenant = await getOwnTenant(ports, { slug: path.slug, caller });
    return isRefusal(tenant) ? tenant : { tenant: toTenantResponse(tenant) };
  },
});

export const updateTenant = endpoint.session({
  operation: "updateTenant",
  method: "PATCH",
  path: "/console/tenants/{slug}",
  tag,
  summary: "Change a tenant",
  tenant: "resource",
  namesTenant: "slug",
  role: "owner",
  body: () =>
    z
      .object({ name: z.optional(name), language: z.optional(z.nullable(z.enum(languages))) })
      .check(z.refine(({ name, language }) => name !== undefined || language !== undefined, "needs name or language")),
  refusals: ["tenant_not_found"],
  data: () => z.object({ tenant: tenantSchema() }),
  handle: async ({ author, path, body, now, ports }) => {
    const tenant = await changeTenant(ports, { slug: path.slug, change: body, author, now });
    return isRefusal(tenant) ? tenant : { tenant: toTenantResponse(tenant) };
  },
});
