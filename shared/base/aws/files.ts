import {
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  NoSuchKey,
  PutObjectCommand,
  S3Client,
} from "@aws-sdk/client-s3";
import { requestOptions, requestTimeouts } from "../config/request-times.ts";
import { callScopePlugin } from "../kernel/call-scope.ts";
import type { Millis } from "../kernel/time.ts";

export type Files = ReturnType<typeof openFiles>;

/** The objects of a bucket. */
export function openFiles(bucket: string, client: S3Client = filesClient()) {
  client.middlewareStack.use(callScopePlugin);
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

    /**
     * Up to 1,000 keys under a prefix, in the order of their UTF-8 bytes.
     * @param after `next` of the previous page; null for the first one
     */
    async list(prefix: string, after: string | null): Promise<{ keys: string[]; next: string | null }> {
      const input = { Bucket: bucket, Prefix: prefix, ...(after === null ? {} : { ContinuationToken: after }) };
      const { Contents = [], NextContinuationToken: next = null } = await client.send(new ListObjectsV2Command(input));
      return { keys: Contents.flatMap(({ Key }) => Key ?? []), next };
    },

    /**
     * Deletes up to 1,000 objects. A missing one is no error.
     * @throws ObjectsNotDeleted when S3 refuses some of them
     */
    async removeAll(keys: readonly string[]): Promise<void> {
      const Delete = { Objects: keys.map((Key) => ({ Key })), Quiet: true };
      const { Errors = [] } = await client.send(new DeleteObjectsCommand({ Bucket: bucket, Delete }));
      if (Errors.length > 0) throw new ObjectsNotDeleted(`${Errors.length} objects could not be deleted.`);
    },
  };
}

class ObjectsNotDeleted extends Error {
  override readonly name = "ObjectsNotDeleted";
}

/** @param timeout of one attempt of a request */
export function filesClient(timeout: Millis = requestTimeouts.files): S3Client {
  return new S3Client({
    ...requestOptions(timeout),
    // An emulator at an IP address has no host name per bucket.
    forcePathStyle: Boolean(process.env.AWS_ENDPOINT_URL),
  });
}
