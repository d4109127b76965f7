import type { TenantId } from "#base/kernel/tenant.ts";
import { createKey } from "../../features/access/flows/support/api-keys.ts";
import type { FetchApp } from "../conformance/fetch-app.ts";
import { openEndpointFixture } from "../flows/endpoint-fixture.ts";
import type { TestEnv } from "../flows/test-env.ts";
import { testApp } from "./test-app.ts";

export interface ApiResponse {
  readonly status: number;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: the app validates each response against its schema
  readonly body: any;
}

/** The verdict on an invalid request. */
export const invalidRequest = { status: 400, body: { ok: false, error: { code: "invalid_request" } } };

/** A tenant with one endpoint, and the API's app. It validates each response against its schema. */
export async function openWebhookApiFixture(testEnv: TestEnv) {
  const endpointFixture = await openEndpointFixture(testEnv);
  const { ports } = endpointFixture;
  const app: FetchApp = testApp(testEnv, ports);
  const newKey = async (keyTenant: TenantId) =>
    (await createKey(ports, keyTenant, { scope: "live", label: "", author: { actor: "cli" } }, testEnv.now())).secret;
  const key = await newKey(endpointFixture.tenant);
  const { endpoint } = await endpointFixture.endpointWith();

  async function request(method: string, path: string, body?: unknown, apiKey = key): Promise<ApiResponse> {
    const response = await app.request(path, {
      method,
      headers: { authorization: `Bearer ${apiKey}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, text, body: JSON.parse(text) };
  }

  return {
    ...endpointFixture,
    app,
    keyOf: newKey,
    /** A key of the fixture's tenant. */
    key,
    endpoint,
    ask: request,
    post: (path: string, body?: unknown, apiKey = key) => request("POST", path, body, apiKey),
    /** The path of the endpoint with a suffix. */
    endpointPath: (rest = "") => `/v1/webhooks/${endpoint.id}${rest}`,
  };
}
