// The settings that name resources which exist already, in place of those that the data stack would create.

const bucket = { regex: /^[a-z\d][a-z\d.-]{1,61}[a-z\d]$/, expected: "the name of a bucket" };
const secret = {
  regex: /^arn:[\w-]+:secretsmanager:[\w-]+:\d{12}:secret:[\w/+=.@-]{1,512}-[A-Za-z\d]{6}$/,
  expected: "the whole ARN of a secret of Secrets Manager",
};

/** Each with what a value looks like. */
export const existingForms = {
  existingTable: { regex: /^[A-Za-z0-9_.-]{3,255}$/, expected: "the name of a table of DynamoDB" },
  existingKey: {
    regex: /^(arn:[\w-]+:kms:[\w-]+:\d{12}:key\/)?(mrk-[\da-f]{32}|[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12})$/,
    expected: "the id or the ARN of a key of KMS",
  },
  existingRawBucket: bucket,
  existingUploadBucket: bucket,
  existingJournalBucket: bucket,
  existingRootSecret: secret,
  existingPlatformSecret: secret,
} as const;
export type ExistingName = keyof typeof existingForms;
export const existingNames = Object.keys(existingForms) as readonly ExistingName[];

/** The resources that the data stack imports. Null: it creates and owns its own. */
export interface ExistingResources {
  readonly table: string | null;
  /** The id or the ARN. */
  readonly key: string | null;
  readonly rawBucket: string | null;
  readonly uploadBucket: string | null;
  readonly journalBucket: string | null;
  /** The whole ARN, as policies need it. */
  readonly rootSecret: string | null;
  readonly platformSecret: string | null;
}

export const NOTHING_EXISTING: ExistingResources = {
  table: null,
  key: null,
  rawBucket: null,
  uploadBucket: null,
  journalBucket: null,
  rootSecret: null,
  platformSecret: null,
};

/** The id of a key that a setting names by its id or its ARN. */
export function toKeyId(key: string): string {
  return key.slice(key.lastIndexOf("/") + 1);
}
