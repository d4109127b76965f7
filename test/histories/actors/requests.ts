import type { TenantId } from "#base/kernel/tenant.ts";
import type { HttpResult } from "../cloud/handlers.ts";
import { ORIGIN } from "../cloud/ports.ts";
import type { ApiAnswer, CallerRequest, Deeds, Session } from "../deeds.ts";
import type { World } from "../world/open-world.ts";
import { TENANT, tenants } from "../world/people.ts";

interface RequestOptions {
  readonly body?: object;
  readonly headers?: Record<string, string>;
  /** The secret of the API key, or the session of a person; none for the check page and for signing in. */
  readonly credential?: string | Session;
  /** The text that it sends. */
  readonly text?: string;
}

type HttpFunction = "api" | "checkPage" | "console";

export type Requests = ReturnType<typeof openRequests>;

/** The clients of the service's HTTP functions. */
export function openRequests({ engine, lambda, keysOf }: World, deeds: Pick<Deeds, "requests">) {
  const tenantOfKey = new Map<string, TenantId>(
    tenants.flatMap((tenant) => Object.values(keysOf(tenant)).map((secret): [string, TenantId] => [secret, tenant])),
  );

  function toDeed(name: string, { credential, text }: RequestOptions): CallerRequest {
    const caller = typeof credential === "object" ? credential : "key";
    const tenant = typeof credential === "string" ? tenantOfKey.get(credential) : TENANT;
    return {
      name,
      tenant: tenant ?? TENANT,
      caller,
      text: text ?? null,
      at: engine.now(),
      endedAt: null,
      response: null,
    };
  }

  /** Asks a function. @returns null when its process died */
  async function fetchResult(
    name: HttpFunction,
    method: string,
    path: string,
    { body, headers, credential }: RequestOptions,
  ): Promise<HttpResult | null> {
    const end = await lambda.request(name, {
      method,
      path,
      headers: { ...credentialHeaders(credential), ...headers },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return end.kind === "returned" ? end.result : null;
  }

  return {
    fetchResult,
    /** Asks a function for JSON. @returns null when its process died */
    async request(
      name: HttpFunction,
      method: string,
      path: string,
      options: RequestOptions,
    ): Promise<ApiAnswer | null> {
      const deed = toDeed(`${method} ${path}`, options);
      if (options.credential !== undefined) deeds.requests.push(deed);
      const result = await fetchResult(name, method, path, options);
      if (result) deed.response = { status: result.statusCode ?? 0, body: JSON.parse(result.body ?? "{}") };
      deed.endedAt = engine.now();
      return deed.response;
    },
  };
}

function credentialHeaders(credential: string | Session | undefined): Record<string, string> {
  if (credential === undefined) return {};
  if (typeof credential === "string") return { authorization: `Bearer ${credential}` };
  return { cookie: credential.cookie, "x-csrf-token": credential.csrfToken, origin: ORIGIN };
}
