import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { KMSClient } from "@aws-sdk/client-kms";
import { S3Client } from "@aws-sdk/client-s3";
import { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { SQSClient } from "@aws-sdk/client-sqs";
import { type Emulators, startEmulators } from "../../../../local/emulators/server.ts";
import type { Millis } from "../../../../shared/kernel/time.ts";

/** The emulators with a clock that stands still until it is turned, and the real SDK's clients for them. */
export interface Bench {
  readonly dataDir: string;
  readonly emulators: Emulators;
  readonly sqs: SQSClient;
  readonly s3: S3Client;
  readonly kms: KMSClient;
  readonly secrets: SecretsManagerClient;
  now(): Millis;
  turn(by: Millis): void;
  /** Stops the emulators and starts them on the same data, at another port. */
  restart(): Promise<Bench>;
  close(): Promise<void>;
}

export async function startBench(dataDir = mkdtempSync(join(tmpdir(), "emulators-")), at = Date.now()): Promise<Bench> {
  let now = at;
  const emulators = await startEmulators({ port: 0, dataDir, now: () => now });
  const clients = clientsFor(emulators.url);
  const stop = async (): Promise<void> => {
    for (const client of Object.values(clients)) client.destroy();
    await emulators.close();
  };
  return {
    dataDir,
    emulators,
    ...clients,
    now: () => now,
    turn(by) {
      now += by;
      emulators.clockMoved();
    },
    async restart() {
      await stop();
      return startBench(dataDir, now);
    },
    async close() {
      await stop();
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
