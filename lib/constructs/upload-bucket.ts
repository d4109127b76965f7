import type { Construct } from "constructs";
import { uploadBucketRules } from "../config/bucket-rules.ts";
import { PrivateBucket } from "./private-bucket.ts";

/**
 * Uploaded files: those that clients post (`u/`) and the checked copies that the platforms fetch (`h/`). They are deleted
 * when they are no longer needed, and by the sweep before they are a day old.
 */
export class UploadBucket extends PrivateBucket<"u/" | "h/"> {
  /** @param existing the name of a bucket to import */
  constructor(scope: Construct, id: string, existing: string | null) {
    super(scope, id, { rules: uploadBucketRules, existing });
  }
}
