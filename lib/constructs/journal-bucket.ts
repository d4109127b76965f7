import type { Construct } from "constructs";
import { PrivateBucket } from "./private-bucket.ts";

/** How much longer than the table can be restored to a day its entry is stored: for the restore itself. */
const MARGIN_DAYS = 5;

/**
 * The journal: one object for each act that a restored table does not know (`acts/`). Functions only write to it. An
 * operator's restore reads it.
 */
export class JournalBucket extends PrivateBucket<"acts/"> {
  /** @param recoveryDays the days of which the table can be restored */
  constructor(scope: Construct, id: string, { recoveryDays }: { readonly recoveryDays: number }) {
    super(scope, id, { expiresAfterDays: recoveryDays + MARGIN_DAYS });
  }
}
