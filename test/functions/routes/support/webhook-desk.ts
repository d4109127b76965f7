import { type App, createApp } from "../../../../functions/http/app.ts";
import { apiRoutes } from "../../../../functions/routes/index.ts";
import { authenticate, keepPace } from "../../../../shared/flows/access/authenticate.ts";
import { createKey } from "../../../../shared/flows/access/set-up-tenant.ts";
import type { TenantId } from "../../../../shared/kernel/tenant.ts";
import { openDesk } from "../../../shared/flows/support/desk.ts";
import type { House } from "../../../shared/flows/support/house.ts";

export interface WebhookAnswer {
  readonly status: number;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: the app has compared the answer with its declared shape
  readonly body: any;
}

/** What an answer is to a request that is not valid. */
export const invalid = { status: 400, body: { ok: false, error: { code: "invalid_request" } } };

/** A desk with one endpoint, and the API's app over it, every answer compared with its declared shape. */
export type WebhookDesk = Awaited<ReturnType<typeof openWebhookDesk>>;

export async function openWebhookDesk(house: House) {
  const desk = await openDesk(house);
  const { ports } = desk;
  const app: App = createApp({
    endpoints: apiRoutes,
    ports,
    authenticate: (authorization) => authenticate(ports, authorization),
    rateLimit: (caller, now) => keepPace(ports, caller, now),
    now: house.now,
    log: (line) => house.lines.push(line),
    checkData: true,
  });
  const keyOf = async (of: TenantId) =>
    (await createKey(ports, of, { scope: "live", label: "", actor: "cli" }, house.now())).secret;
  const key = await keyOf(desk.tenant);
  const { endpoint } = await desk.endpointWith();

  async function ask(method: string, path: string, body?: unknown, with_ = key): Promise<WebhookAnswer> {
    const response = await app.request(path, {
      method,
      headers: { authorization: `Bearer ${with_}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, text, body: JSON.parse(text) };
  }

  return {
    ...desk,
    app,
    keyOf,
    /** A key of the desk's tenant. */
    key,
    endpoint,
    ask,
    post: (path: string, body?: unknown, with_ = key) => ask("POST", path, body, with_),
    /** The path of the endpoint, and what follows it. */
    at: (rest = "") => `/v1/webhooks/${endpoint.id}${rest}`,
  };
}
