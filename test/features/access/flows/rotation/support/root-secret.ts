import { CreateSecretCommand, GetSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { beforeEach } from "vitest";
import { openStoredSecret } from "#base/aws/secret-values.ts";
import { type ServiceKeys, serviceKeysReader } from "#base/aws/service-keys.ts";
import { randomToken } from "#base/kernel/bytes.ts";
import { newUlid } from "#base/kernel/ids.ts";
import { openTestEnv } from "../../../../../support/flows/test-env.ts";
import { openedOnce } from "../../../../../support/opened.ts";

/** Opens an environment for the tests of a file, with a root secret in Secrets Manager for each test. */
export function useRootSecret() {
  const testEnv = openedOnce(openTestEnv);
  const credentials = { accessKeyId: "local", secretAccessKey: "local" };
  const secrets = openedOnce(
    () => new SecretsManagerClient({ endpoint: testEnv.emulators.url, region: "us-east-1", credentials }),
    (client) => client.destroy(),
  );
  const root = { id: "", text: "" };

  /** Another secret replaces the test's. */
  async function newSecret(): Promise<void> {
    root.id = `root-${newUlid(testEnv.now())}-${randomToken(4).toString("hex")}`;
    root.text = randomToken(48).toString("base64url");
    await secrets.send(new CreateSecretCommand({ Name: root.id, SecretString: root.text }));
  }
  beforeEach(newSecret);

  return {
    testEnv,
    secrets,
    /** Its id, and its text when it was created. */
    root,
    newSecret,
    rootText: async (VersionStage = "AWSCURRENT") =>
      (await secrets.send(new GetSecretValueCommand({ SecretId: root.id, VersionStage }))).SecretString,
    rootSecret: () => openStoredSecret(root.id, secrets),
    /** What makes the calls of a rotation. */
    rotationClients: {
      get clients() {
        return [testEnv.client, secrets];
      },
    },
    /** The keys of a new process, which caches them, and its ports that need them. */
    newKeys() {
      const keys = serviceKeysReader(root.id, secrets);
      const ring = (name: keyof ServiceKeys) => async (kid?: string) => (await keys(kid))[name];
      const keyPorts = {
        peppers: ring("pepper"),
        addressKeys: ring("address"),
        loginKeys: ring("loginLink"),
        sessionKeys: ring("session"),
        loginStateKeys: ring("loginState"),
        cursorKeys: ring("cursor"),
        holdKeys: ring("holdSecret"),
      };
      return { keys, keyPorts };
    },
  };
}
