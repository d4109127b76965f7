import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PutSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { afterAll, beforeEach, expect, it } from "vitest";
import { env } from "#base/config/names.ts";
import { clientSettings } from "../../support/access/access-keys.ts";
import { openedOnce } from "../../support/opened.ts";
import { runAdmin, runAdminJson } from "../support/admin.ts";
import { listAllMessages } from "../support/api-calls.ts";
import { waitUntilIdle } from "../support/emulator-journals.ts";
import { openSharedStack } from "../support/local-stack.ts";
import {
  demoAccountIds,
  hubSignature,
  newMessageId,
  newPersonId,
  textEntry,
  wireBytes,
} from "../support/platform-webhooks.ts";

const stack = openedOnce(openSharedStack);
// The secrets that the stack was started with, for the files after this one.
afterAll(async () => {
  await storeSecrets({});
  await stack.clock("PT5M");
});
// A function reads a secret again at most once a minute.
beforeEach(() => stack.clock("PT1M"));

/** Stores the platform secrets as `aws secretsmanager put-secret-value` does. */
async function storeSecrets(changed: { readonly meta?: readonly string[] }): Promise<void> {
  const environment = JSON.parse(readFileSync(join(stack.dataDir, "environment.json"), "utf8")) as Record<
    string,
    string
  >;
  const client = new SecretsManagerClient(clientSettings(environment));
  const SecretString = JSON.stringify({ ...stack.info.platform_secrets, ...changed });
  await client.send(new PutSecretValueCommand({ SecretId: environment[env.platformSecretId] ?? "", SecretString }));
  client.destroy();
}

/** The status of the request that a platform makes when a callback URL is saved. */
async function confirm(token: string): Promise<number> {
  const query = new URLSearchParams({ "hub.mode": "subscribe", "hub.verify_token": token, "hub.challenge": "42" });
  const { status, text } = await stack.request(`/webhooks/messenger?${query}`);
  if (status === 200) expect(text).toBe("42");
  return status;
}

/** Posts a message that is signed with an app secret. */
async function postMessage(text: string, secret: string): Promise<number> {
  const entry = textEntry(demoAccountIds.messenger, newPersonId(), newMessageId(), text, await stack.now());
  const body = wireBytes("page", [entry]);
  const headers = { "content-type": "application/json", "x-hub-signature-256": hubSignature(body, secret) };
  const init = { method: "POST", headers, body: new Uint8Array(body) };
  return (await stack.request("/webhooks/messenger", init)).status;
}

const storedTexts = async () => (await listAllMessages(stack)).map(({ text }) => text);

it("a new verify token is valid at once, and the one before it for five minutes at most", async () => {
  const { meta, verify_token: before } = stack.info.platform_secrets;
  expect(await confirm(before)).toBe(200);
  const { verify_token: token } = (await runAdminJson(stack.dataDir, "rotate", "verify-token")) as unknown as {
    verify_token: string;
  };
  expect(token).toMatch(/^[\w-]{40}$/);
  expect(await confirm(token)).toBe(200);
  // The function that has it in its cache.
  expect(await confirm(before)).toBe(200);
  expect(await postMessage("after the rotation", meta)).toBe(200);

  await stack.clock("PT5M");
  expect([await confirm(token), await confirm(before)]).toEqual([200, 403]);
  expect(await postMessage("five minutes later", meta)).toBe(200);
  await waitUntilIdle(stack);
  expect(await storedTexts()).toEqual(expect.arrayContaining(["after the rotation", "five minutes later"]));

  const { code, output, errors } = await runAdmin(stack.dataDir, "rotate", "verify-token", "more");
  expect([code, output]).toEqual([1, ""]);
  expect(errors).toMatch(/^Unexpected argument: more\. [^\n]+\n$/);
  expect(await confirm(token)).toBe(200);
});

it("webhooks that are signed with either of two app secrets arrive, and with the old one until it is removed", async () => {
  const { meta: old } = stack.info.platform_secrets;
  const changed = "a new secret of the Meta app";
  expect(await postMessage("signed with the old one", old)).toBe(200);
  expect(await postMessage("too early", changed)).toBe(401);
  await stack.clock("PT1M");
  await storeSecrets({ meta: [changed, old] });
  expect(await postMessage("signed with the new one", changed)).toBe(200);
  expect(await postMessage("signed with the old one beside it", old)).toBe(200);
  expect(await postMessage("signed with a third one", "a third secret of the Meta app")).toBe(401);

  await storeSecrets({ meta: [changed] });
  await stack.clock("PT5M");
  expect(await postMessage("the new one alone", changed)).toBe(200);
  expect(await postMessage("too late", old)).toBe(401);
  await waitUntilIdle(stack);
  const texts = await storedTexts();
  const accepted = ["signed with the old one", "signed with the new one", "signed with the old one beside it"];
  expect(texts).toEqual(expect.arrayContaining([...accepted, "the new one alone"]));
  for (const refused of ["too early", "signed with a third one", "too late"]) expect(texts).not.toContain(refused);
});
