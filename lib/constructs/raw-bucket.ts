import type { Construct } from "constructs";
import { rawBucketRules } from "../config/bucket-rules.ts";
import { PrivateBucket } from "./private-bucket.ts";

/**
 * Raw webhook bodies: bodies too large for a queue message (`inbound/`) and copies stored for seven days (`raw/`). The
 * sweep deletes them each hour.
 */
export class RawBucket extends PrivateBucket<"inbound/" | "raw/"> {
  /** @param existing the name of a bucket to import */
  constructor(scope: Construct, id: string, existing: string | null) {
    super(scope, id, { rules: rawBucketRules, existing });
  }
}
