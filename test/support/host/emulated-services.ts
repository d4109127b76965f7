import { CreateKeyCommand, KMSClient } from "@aws-sdk/client-kms";
import { CreateBucketCommand, S3Client } from "@aws-sdk/client-s3";
import { CreateSecretCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { CreateQueueCommand, SQSClient } from "@aws-sdk/client-sqs";
import { type QueueName, queues } from "#base/config/names.ts";
import type { Emulators } from "#local-aws/emulators/server.ts";
import { constantSigner } from "../constant-signer.ts";
import { withoutConnection } from "../pipeline/emulators-in-process.ts";
import { withoutTransport } from "../world/sdk-in-process.ts";

export const PLATFORM_SECRET = "the app's secret";
export const BUCKET = "raw";
export const UPLOAD_BUCKET = "uploads";
export const JOURNAL_BUCKET = "journal";

/** The settings of a client of the emulators. */
export function clientSettings({ url }: Emulators) {
  const credentials = { accessKeyId: "local", secretAccessKey: "local" };
  return { endpoint: url, region: "us-east-1", credentials, signer: constantSigner };
}

/** The clients of the emulators. */
export function clientsFor(emulators: Emulators) {
  const settings = clientSettings(emulators);
  const inProcess = { ...settings, ...withoutConnection(emulators) };
  return {
    sqs: withoutTransport(new SQSClient(inProcess)),
    s3: new S3Client({ ...settings, forcePathStyle: true }),
    kms: withoutTransport(new KMSClient(inProcess)),
    secrets: withoutTransport(new SecretsManagerClient(inProcess)),
  };
}

/** Creates the queues, the buckets, the key and the secrets. */
export async function provision({ sqs, s3, kms, secrets }: ReturnType<typeof clientsFor>) {
  const creations = queues.map(async (name) => {
    const { QueueUrl = "" } = await sqs.send(new CreateQueueCommand({ QueueName: name }));
    return [name, QueueUrl] as const;
  });
  const queueUrls = Object.fromEntries(await Promise.all(creations)) as Record<QueueName, string>;
  const keyId = await createBucketsAndKey({ s3, kms });
  const platforms = JSON.stringify({ meta: PLATFORM_SECRET, instagram: "another", verify_token: "token" });
  await secrets.send(new CreateSecretCommand({ Name: "platforms", SecretString: platforms }));
  await secrets.send(
    new CreateSecretCommand({ Name: "root", SecretString: "a root secret of more than 32 characters" }),
  );
  return { queueUrls, keyId };
}

/** Creates the buckets and the key. @returns the id of the key */
export async function createBucketsAndKey({ s3, kms }: Pick<ReturnType<typeof clientsFor>, "s3" | "kms">) {
  for (const Bucket of [BUCKET, UPLOAD_BUCKET, JOURNAL_BUCKET]) await s3.send(new CreateBucketCommand({ Bucket }));
  const { KeyMetadata } = await kms.send(new CreateKeyCommand({}));
  return KeyMetadata?.KeyId ?? "";
}
