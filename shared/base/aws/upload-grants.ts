import type { S3Client } from "@aws-sdk/client-s3";
import { createPresignedPost } from "@aws-sdk/s3-presigned-post";
import { type Millis, machineNow, SECOND } from "../kernel/time.ts";
import { filesClient } from "./files.ts";
import { refreshCredentials } from "./signing-credentials.ts";

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
