import type { TenantId } from "#base/kernel/tenant.ts";
import type { Table } from "#base/table/client.ts";
import { createOperatorKey } from "#features/access/flows/keys.ts";
import type { Scope } from "#features/access/rules/scope.ts";
import { createKey } from "../../features/access/flows/support/api-keys.ts";
import type { FetchApp } from "../conformance/fetch-app.ts";
import type { TestEnv } from "../flows/test-env.ts";
import { answerOf, observePorts } from "../processes/work-left.ts";
import { openStores } from "../stores/open-stores.ts";
import { testApp } from "./test-app.ts";

export interface ApiResponse {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the app validates each response against its schema
  readonly body: any;
}

/**
 * The API's app on a test environment. It validates each response against its schema, and that no work is left behind.
 * @param table another table than that of the environment
 */
export async function openApiApp(testEnv: TestEnv, table: Table | null = null) {
  const ports = observePorts({
    ...testEnv.apiPorts(await testEnv.newQueues()),
    ...(table === null ? {} : openStores(table)),
  });
  const app: FetchApp = testApp(testEnv, ports);
  const keyOptions = { label: "", author: { actor: "cli" } };
  const send = async (key: string, path: string, init: RequestInit, sourceIp = "203.0.113.7"): Promise<ApiResponse> => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const request = new Request(`http://gateway${path}`, { headers, ...init });
    const response = await answerOf(async () => app.fetch(request, { sourceIp }));
    return { status: response.status, body: await response.json() };
  };
  return {
    app,
    ports,
    newKey: async (tenant: TenantId, scope: Scope = "live") =>
      (await createKey(ports, tenant, { ...keyOptions, scope }, testEnv.now())).secret,
    newOperatorKey: async (tenants: readonly TenantId[]) =>
      (await createOperatorKey(ports, tenants, { ...keyOptions, scope: "live" }, testEnv.now())).secret,
    /** @param sourceIp the client address that the gateway reports */
    async request(key: string, path: string, body?: unknown, sourceIp = "203.0.113.7"): Promise<ApiResponse> {
      return send(key, path, body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }, sourceIp);
    },
    patch: (key: string, path: string, body: object): Promise<ApiResponse> =>
      send(key, path, { method: "PATCH", body: JSON.stringify(body) }),
  };
}

export type ApiApp = Awaited<ReturnType<typeof openApiApp>>;
