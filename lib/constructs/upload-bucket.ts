import { HttpMethods } from "aws-cdk-lib/aws-s3";
import type { Construct } from "constructs";
import { PrivateBucket } from "./private-bucket.ts";

export interface UploadBucketProps {
  /** The origin of the console, whose pages may read the response of storage and show a progress. Null: no page may. */
  readonly consoleUrl: string | null;
}

/**
 * Uploaded files: those that clients post (`u/`) and the checked copies that the platforms fetch (`h/`). They are deleted
 * when they are no longer needed, and by the sweep before they are a day old.
 */
export class UploadBucket extends PrivateBucket<"u/" | "h/"> {
  constructor(scope: Construct, id: string, { consoleUrl }: UploadBucketProps) {
    // A form needs no other header than those that a browser always allows.
    const rules = consoleUrl === null ? [] : [{ allowedMethods: [HttpMethods.POST], allowedOrigins: [consoleUrl] }];
    super(scope, id, { expiresAfterDays: 1, cors: rules });
  }
}
