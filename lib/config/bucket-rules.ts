// What a bucket of the service is like, for the template and for the command that adopts an existing one.

export interface BucketRules {
  /** Should the sweep fail. S3 counts from the next midnight, and deletes some hours later. */
  readonly expiresAfterDays: number;
  /** What the keys of its objects start with. */
  readonly prefixes: readonly string[];
  /** Whether a page of any origin may post to it. No page may call it in another way. */
  readonly takesPosts: boolean;
}

/** The id of the one lifecycle rule. */
export const EXPIRY_RULE = "everything-expires";
export const MULTIPART_DAYS = 1;
/** How much longer than the table can be restored to a day an entry of the journal is stored: for the restore itself. */
const JOURNAL_MARGIN_DAYS = 5;

export const rawBucketRules: BucketRules = {
  expiresAfterDays: 7,
  prefixes: ["inbound/", "raw/"],
  takesPosts: false,
};

export const uploadBucketRules: BucketRules = {
  expiresAfterDays: 1,
  prefixes: ["u/", "h/"],
  // The signed form is the permission, from any page. It needs no other header than those that a browser always allows.
  takesPosts: true,
};

/** @param recoveryDays the days of which the table can be restored */
export function journalBucketRules(recoveryDays: number): BucketRules {
  return { expiresAfterDays: recoveryDays + JOURNAL_MARGIN_DAYS, prefixes: ["acts/"], takesPosts: false };
}
