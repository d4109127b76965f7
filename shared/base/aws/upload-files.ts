import {
  CopyObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  type S3Client,
  S3ServiceException,
} from "@aws-sdk/client-s3";
import { createPresignedPost } from "@aws-sdk/s3-presigned-post";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { requestTimeouts } from "../config/request-times.ts";
import { clockNow, type Millis, machineNow, SECOND, toDate } from "../kernel/time.ts";
import { type Files, filesClient, openFiles } from "./files.ts";

/**
 * Replaces the client's credentials if they expire before `until`: what they sign is refused from then on. Credentials
 * without a named expiry are not replaced.
 */
export async function refreshCredentials(client: S3Client, until: Millis): Promise<void> {
  const { expiration } = await client.config.credentials();
  if (expiration !== undefined && expiration.getTime() < until) await client.config.credentials({ forceRefresh: true });
}

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

export interface UploadGrant {
  readonly key: string;
  readonly contentType: string;
  /** Bytes. */
  readonly maxSize: number;
  /** By `clockNow`. The policy has whole seconds, and expires up to a second before. */
  readonly expiresAt: Millis;
}

/** A form that stores one file: every field goes before the file, which is the field `file`. */
export interface UploadForm {
  readonly url: string;
  readonly fields: Readonly<Record<string, string>>;
}

export interface UploadGrants {
  /** Signs a form. S3 accepts it any number of times until it expires, each time for the same key. */
  grant(grant: UploadGrant): Promise<UploadForm>;
}

/** Forms that let a browser post a file to the bucket of uploads. Makes no request. */
export function openUploadGrants(bucket: string, client: S3Client = filesClient()): UploadGrants {
  return {
    async grant({ key, contentType, maxSize, expiresAt }) {
      await refreshCredentials(client, expiresAt);
      return createPresignedPost(client, {
        Bucket: bucket,
        Key: key,
        // Each field is a condition too, and must have exactly this value.
        Fields: { "Content-Type": contentType, success_action_status: "204" },
        Conditions: [["content-length-range", 1, maxSize]],
        Expires: secondsUntil(expiresAt, machineNow() + client.config.systemClockOffset),
      });
    },
  };
}

/**
 * The lifetime for which the SDK writes the last whole second of `expiresAt`: it adds the lifetime to its own time and drops
 * the fraction of the sum. Half a second covers the time until the SDK reads its clock.
 * @param sdkNow the SDK's time: the machine's, corrected by what it learnt from the `Date` of the last response
 */
function secondsUntil(expiresAt: Millis, sdkNow: Millis): number {
  const end = expiresAt - (expiresAt % SECOND);
  return (end + SECOND / 2 - sdkNow) / SECOND;
}

export interface UploadLinks {
  /** A URL that reads one object without credentials. It expires after `lifetime`, in whole seconds. */
  readUrl(key: string, lifetime: Millis): Promise<string>;
}

/** URLs by which a platform fetches a file from the bucket of uploads. Makes no request. */
export function openUploadLinks(bucket: string, client: S3Client = filesClient()): UploadLinks {
  return {
    async readUrl(key, lifetime) {
      const now = clockNow();
      await refreshCredentials(client, now + lifetime);
      // A browser that follows the URL stores the file and does not show it.
      const command = new GetObjectCommand({ Bucket: bucket, Key: key, ResponseContentDisposition: "attachment" });
      return getSignedUrl(client, command, { signingDate: toDate(now), expiresIn: Math.floor(lifetime / SECOND) });
    },
  };
}
