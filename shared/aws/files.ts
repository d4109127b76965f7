import { DeleteObjectCommand, GetObjectCommand, NoSuchKey, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";

export type Files = ReturnType<typeof openFiles>;

/** The bucket of raw webhook copies. Its objects expire after 7 days. */
export function openFiles(bucket: string, client: S3Client = defaultClient()) {
  return {
    async put(key: string, body: Uint8Array): Promise<void> {
      await client.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: body }));
    },

    /** Null when the key does not exist. */
    async get(key: string): Promise<Uint8Array | null> {
      try {
        const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: key }));
        return Body ? await Body.transformToByteArray() : null;
      } catch (error) {
        if (error instanceof NoSuchKey) return null;
        throw error;
      }
    },

    async remove(key: string): Promise<void> {
      await client.send(new DeleteObjectCommand({ Bucket: bucket, Key: key }));
    },
  };
}

function defaultClient(): S3Client {
  return new S3Client({
    maxAttempts: 3,
    // An emulator at an IP address has no host name per bucket.
    forcePathStyle: Boolean(process.env.AWS_ENDPOINT_URL),
    requestHandler: { connectionTimeout: 1_000, requestTimeout: 5_000 },
  });
}
