import { HttpMethods } from "aws-cdk-lib/aws-s3";
import type { Construct } from "constructs";
import { PrivateBucket } from "./private-bucket.ts";

/**
 * Uploaded files: those that clients post (`u/`) and the checked copies that the platforms fetch (`h/`). They are deleted
 * when they are no longer needed, and by the sweep before they are a day old.
 */
export class UploadBucket extends PrivateBucket<"u/" | "h/"> {
  constructor(scope: Construct, id: string) {
    // The signed form is the permission, from any page. It needs no other header than those that a browser always allows.
    const cors = [{ allowedMethods: [HttpMethods.POST], allowedOrigins: ["*"] }];
    super(scope, id, { expiresAfterDays: 1, cors });
  }
}
