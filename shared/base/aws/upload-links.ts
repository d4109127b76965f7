import { GetObjectCommand, type S3Client } from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { clockNow, type Millis, SECOND, toDate } from "../kernel/time.ts";
import { filesClient } from "./files.ts";
import { refreshCredentials } from "./signing-credentials.ts";

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
