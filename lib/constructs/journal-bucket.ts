import type { Construct } from "constructs";
import { journalBucketRules } from "../config/bucket-rules.ts";
import { PrivateBucket } from "./private-bucket.ts";

export interface JournalBucketProps {
  /** The days of which the table can be restored. */
  readonly recoveryDays: number;
  /** The name of a bucket to import. Null: a new one. */
  readonly existing: string | null;
}

/**
 * The journal: one object for each act that a restored table does not know (`acts/`). Functions only write to it. An
 * operator's restore reads it.
 */
export class JournalBucket extends PrivateBucket<"acts/"> {
  constructor(scope: Construct, id: string, { recoveryDays, existing }: JournalBucketProps) {
    super(scope, id, { rules: journalBucketRules(recoveryDays), existing });
  }
}
