import { CreateSecretCommand, PutSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { afterAll, beforeAll, expect, it } from "vitest";
import { serviceKeysReader } from "#base/aws/service-keys.ts";
import { randomToken } from "#base/kernel/bytes.ts";
import { rotateRoot } from "#features/access/flows/rotation/rotate-root.ts";
import { API_KEY_RANDOM_BYTES, formatApiKey } from "#features/access/rules/callers.ts";
import { describeError } from "../../bin/admin/cli-error.ts";
import { openTestEnv } from "../support/flows/test-env.ts";
import { openedOnce } from "../support/opened.ts";
import { openApiApp } from "../support/routes/api-app.ts";
import { openRouteApps, type RouteApps } from "./route-table/apps.ts";

let secrets: SecretsManagerClient;
let apps: RouteApps;
let readKeys: ReturnType<typeof serviceKeysReader>;
// A function reads its secret at its first request, so that a short one cannot stop it before.

const testEnv = openedOnce(openTestEnv);
beforeAll(async () => {
  const credentials = { accessKeyId: "local", secretAccessKey: "local" };
  secrets = new SecretsManagerClient({ endpoint: testEnv.emulators.url, region: "us-east-1", credentials });
  await secrets.send(new CreateSecretCommand({ Name: "root", SecretString: "x".repeat(31) }));
  readKeys = serviceKeysReader("root", secrets, testEnv.now);
  const api = await openApiApp(testEnv);
  const ports = {
    ...api.ports,
    peppers: async () => (await readKeys()).pepper,
    sessionKeys: async () => (await readKeys()).session,
  };
  apps = await openRouteApps(testEnv, { ...api, ports }, async () => null);
});
afterAll(async () => {
  secrets.destroy();
});

const key = { authorization: `Bearer ${formatApiKey("live", randomToken(API_KEY_RANDOM_BYTES))}` };
/** In the form of a session. Only its signature needs the key. */
const header = Buffer.from(JSON.stringify({ alg: "HS256", kid: "kid" })).toString("base64url");
const cookie = { cookie: `console_session=${header}.${header}.${"A".repeat(43)}` };

it.each([
  ["api", "/v1/accounts", key],
  ["api", "/v1/accounts", cookie],
  ["console", "/console/me", cookie],
] as const)(
  "each request of %s that needs a key of it is a 500, and its log line names the cause",
  async (name, path, headers) => {
    for (const _ of [1, 2]) {
      const response = await apps[name].fetch(new Request(`http://gateway${path}`, { headers }), {});
      expect(response.status).toBe(500);
      expect(await response.text()).not.toContain("secret");
      expect(testEnv.lines.at(-1)).toMatchObject({ event: "request.failed", error: "RootSecretTooShort" });
    }
  },
);

it("rotate root refuses it, and says how to fix it", async () => {
  const replaced: string[] = [];
  const rootSecret = {
    current: async () => ({ id: "1", text: "x".repeat(31), createdAt: 0 }),
    replace: async (_: unknown, text: string) => replaced.push(text) > 0,
  };
  const peppers = async () => (await readKeys()).pepper;
  const ports = { rootSecret, peppers } as unknown as Parameters<typeof rotateRoot>[0];
  const error = await rotateRoot(ports, { isForced: true, now: testEnv.now() }).catch((thrown: unknown) => thrown);
  expect(describeError(error)).toBe(
    "The root secret has less than 32 characters. Store one of 64 random characters with aws secretsmanager put-secret-value.",
  );
  expect(replaced).toEqual([]);
});

it("the functions work once a long one is stored", async () => {
  await secrets.send(new PutSecretValueCommand({ SecretId: "root", SecretString: "y".repeat(32) }));
  const response = await apps.api.fetch(new Request("http://gateway/v1/accounts", { headers: key }), {});
  expect(response.status).toBe(401);
});
