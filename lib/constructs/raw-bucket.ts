import type { Construct } from "constructs";
import { PrivateBucket } from "./private-bucket.ts";

/**
 * Raw webhook bodies: bodies too large for a queue message (`inbound/`) and copies stored for seven days (`raw/`). The
 * sweep deletes them each hour.
 */
export class RawBucket extends PrivateBucket<"inbound/" | "raw/"> {
  constructor(scope: Construct, id: string) {
    super(scope, id, { expiresAfterDays: 7 });
  }
}
