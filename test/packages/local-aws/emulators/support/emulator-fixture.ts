import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { KMSClient } from "@aws-sdk/client-kms";
import { S3Client } from "@aws-sdk/client-s3";
import { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { SQSClient } from "@aws-sdk/client-sqs";
import { type Emulators, startEmulators } from "#local-aws/emulators/server.ts";
import type { Millis } from "#local-aws/support/time.ts";
import { testAccessKeys } from "../../../../support/access/access-keys.ts";

/** The emulators with a clock that moves only by `advance`, and AWS SDK clients for them. */
export interface EmulatorFixture {
  readonly dataDir: string;
  readonly emulators: Emulators;
  readonly sqs: SQSClient;
  readonly s3: S3Client;
  readonly kms: KMSClient;
  readonly secrets: SecretsManagerClient;
  now(): Millis;
  advance(by: Millis): void;
  /** Restarts the emulators on the same data, on another port. */
  restart(): Promise<EmulatorFixture>;
  close(): Promise<void>;
}

export async function startEmulatorFixture(
  dataDir = mkdtempSync(join(tmpdir(), "emulators-")),
  at = Date.now(),
  origins: readonly string[] = [],
): Promise<EmulatorFixture> {
  let now = at;
  const emulators = await startEmulators({ port: 0, dataDir, now: () => now, accessKeys: testAccessKeys, origins });
  const clients = clientsFor(emulators.url);
  const stopEmulators = async (): Promise<void> => {
    for (const client of Object.values(clients)) client.destroy();
    await emulators.close();
  };
  return {
    dataDir,
    emulators,
    ...clients,
    now: () => now,
    advance(by) {
      now += by;
      emulators.onClockAdvance();
    },
    async restart() {
      await stopEmulators();
      return startEmulatorFixture(dataDir, now, origins);
    },
    async close() {
      await stopEmulators();
      rmSync(dataDir, { recursive: true });
    },
  };
}

export function clientsFor(endpoint: string) {
  const common = {
    endpoint,
    region: "us-east-1",
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
    maxAttempts: 1,
  };
  return {
    sqs: new SQSClient(common),
    s3: new S3Client({ ...common, forcePathStyle: true }),
    kms: new KMSClient(common),
    secrets: new SecretsManagerClient(common),
  };
}
