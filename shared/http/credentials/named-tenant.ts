import { isRefusal } from "#base/kernel/refusals.ts";
import { parseTenant, type TenantId } from "#base/kernel/tenant.ts";
import { readConversationId } from "#features/inbox/rules/messages.ts";
import type { Endpoint } from "../endpoint.ts";
import { parseJson, readParameters } from "../request.ts";

/** The parts of a request that may name a tenant. */
interface Names {
  /** The query string as sent. */
  readonly query: string;
  readonly path: Readonly<Record<string, string>>;
  readonly bytes: Uint8Array;
}

/**
 * The tenant that a request names, as far as it says without a read. Null for a request without one, and for one whose
 * query or body is not valid, which is refused later. The caller may be a stranger to the tenant.
 */
export function namedTenant<P>(
  { tenant, namesTenant, aliases }: Pick<Endpoint<P>, "tenant" | "namesTenant" | "aliases">,
  { query, path, bytes }: Names,
): TenantId | null {
  if (tenant === "query") {
    const parameters = readParameters(query);
    return isRefusal(parameters) ? null : parseTenant(parameters.get("tenant") ?? "");
  }
  if (namesTenant === "slug") return parseTenant(path.slug ?? "");
  return namesTenant === "conversation_id" ? tenantOfConversation(bytes, aliases) : null;
}

function tenantOfConversation(bytes: Uint8Array, aliases: Endpoint<never>["aliases"] = {}): TenantId | null {
  const json = parseJson(bytes);
  const body = isRefusal(json) ? null : json.value;
  if (typeof body !== "object" || body === null) return null;
  const fields = body as Readonly<Record<string, unknown>>;
  const alias = Object.keys(aliases).find((name) => aliases[name] === "conversation_id");
  const id = fields.conversation_id ?? (alias === undefined ? undefined : fields[alias]);
  return typeof id === "string" ? (readConversationId(id)?.tenant ?? null) : null;
}
