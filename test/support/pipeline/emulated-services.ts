import { CreateKeyCommand, KMSClient } from "@aws-sdk/client-kms";
import { CreateBucketCommand, S3Client } from "@aws-sdk/client-s3";
import { CreateSecretCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { CreateQueueCommand, SQSClient } from "@aws-sdk/client-sqs";
import { type QueueName, queues } from "#base/config/names.ts";
import type { Emulators } from "#local-aws/emulators/server.ts";
import { constantSigner } from "../constant-signer.ts";
import { withoutTransport } from "../world/sdk-in-process.ts";
import { withoutConnection } from "./emulators-in-process.ts";

export const PLATFORM_SECRET = "the app's secret";
export const BUCKET = "raw";
export const UPLOAD_BUCKET = "uploads";
export const JOURNAL_BUCKET = "journal";

/** The clients of the emulators. */
export function clientsFor(emulators: Emulators) {
  const credentials = { accessKeyId: "local", secretAccessKey: "local" };
  const common = { endpoint: emulators.url, region: "us-east-1", credentials, signer: constantSigner };
  return {
    sqs: withoutTransport(new SQSClient({ ...common, ...withoutConnection(emulators) })),
    s3: new S3Client({ ...common, forcePathStyle: true }),
    kms: withoutTransport(new KMSClient({ ...common, ...withoutConnection(emulators) })),
    secrets: withoutTransport(new SecretsManagerClient({ ...common, ...withoutConnection(emulators) })),
  };
}

/** Creates the queues, the buckets, the key and the secrets. */
export async function provision({ sqs, s3, kms, secrets }: ReturnType<typeof clientsFor>) {
  const creations = queues.map(async (name) => {
    const { QueueUrl = "" } = await sqs.send(new CreateQueueCommand({ QueueName: name }));
    return [name, QueueUrl] as const;
  });
  const queueUrls = Object.fromEntries(await Promise.all(creations)) as Record<QueueName, string>;
  for (const Bucket of [BUCKET, UPLOAD_BUCKET, JOURNAL_BUCKET]) await s3.send(new CreateBucketCommand({ Bucket }));
  const { KeyMetadata } = await kms.send(new CreateKeyCommand({}));
  const platforms = JSON.stringify({ meta: PLATFORM_SECRET, instagram: "another", verify_token: "token" });
  await secrets.send(new CreateSecretCommand({ Name: "platforms", SecretString: platforms }));
  await secrets.send(
    new CreateSecretCommand({ Name: "root", SecretString: "a root secret of more than 32 characters" }),
  );
  return { queueUrls, keyId: KeyMetadata?.KeyId ?? "" };
}
