import {
  CopyObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  type S3Client,
  S3ServiceException,
} from "@aws-sdk/client-s3";
import { requestTimeouts } from "../config/request-times.ts";
import { type Files, filesClient, openFiles } from "./files.ts";

/** The version of an object that was read: its content, by ETag. */
export interface ObjectVersion {
  readonly key: string;
  readonly etag: string;
}

export interface UploadFiles extends Pick<Files, "remove" | "removeAll" | "list"> {
  /** The size in bytes and the ETag of an object. Null when the key does not exist. */
  head(key: string): Promise<{ size: number; etag: string } | null>;
  /** The first `count` bytes, or all of a smaller object. Null when the object is gone or has another ETag. */
  firstBytes(version: ObjectVersion, count: number): Promise<Uint8Array | null>;
  /**
   * Copies an object within the bucket. Of its metadata the copy has the content type only.
   * @returns false when the object is gone or has another ETag. Then the key may hold a copy of the named version: that of an
   * attempt whose answer was lost, before the object changed
   */
  copy(version: ObjectVersion, to: { key: string; contentType: string }): Promise<boolean>;
}

/** The bucket of uploads. */
export function openUploadFiles(bucket: string, client: S3Client = filesClient()): UploadFiles {
  const { remove, removeAll, list } = openFiles(bucket, client);
  return {
    remove,
    removeAll,
    list,

    async head(key) {
      const object = await ifPresent(client.send(new HeadObjectCommand({ Bucket: bucket, Key: key })));
      return object && { size: object.ContentLength ?? 0, etag: object.ETag ?? "" };
    },

    async firstBytes({ key, etag }, count) {
      const Range = `bytes=0-${count - 1}`;
      const command = new GetObjectCommand({ Bucket: bucket, Key: key, IfMatch: etag, Range });
      const object = await ifPresent(client.send(command));
      return object?.Body ? await object.Body.transformToByteArray() : null;
    },

    async copy({ key, etag }, to) {
      const command = new CopyObjectCommand({
        Bucket: bucket,
        CopySource: [bucket, ...key.split("/")].map(encodeURIComponent).join("/"),
        CopySourceIfMatch: etag,
        Key: to.key,
        MetadataDirective: "REPLACE",
        ContentType: to.contentType,
      });
      return (await ifPresent(client.send(command, { requestTimeout: requestTimeouts.copy }))) !== null;
    },
  };
}

/** Null when the object does not exist (404) or has another ETag than the condition names (412). */
async function ifPresent<T>(request: Promise<T>): Promise<T | null> {
  try {
    return await request;
  } catch (error) {
    const status = error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;
    if (status === 404 || status === 412) return null;
    throw error;
  }
}
