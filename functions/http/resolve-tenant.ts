import { type Caller, callerMayUse } from "../../shared/domain/access/api-keys.ts";
import { type Refusal, refuse } from "../../shared/kernel/refusals.ts";
import { parseTenant, type TenantId } from "../../shared/kernel/tenant.ts";

/**
 * The tenant of a request, from `?tenant=` and the key. `slug` is undefined when the parameter is absent; an empty
 * parameter is a slug of the wrong shape. The shape is judged before the key, so that a wrong one is 400 for every key.
 */
export function resolveTenant(
  caller: Caller,
  slug: string | undefined,
): TenantId | Refusal<"invalid_request" | "tenant_required" | "forbidden"> {
  if (slug === undefined) return caller.kind === "tenant_key" ? caller.tenant : refuse("tenant_required");
  const tenant = parseTenant(slug);
  if (tenant === null) {
    return refuse(
      "invalid_request",
      "tenant: must be 3 to 40 lowercase letters, digits or dashes, starting with a letter and ending with a letter or digit",
    );
  }
  return callerMayUse(caller, tenant) ? tenant : refuse("forbidden");
}
