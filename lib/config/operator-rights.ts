import type { QueueName, SecretPurpose, table } from "#base/config/names.ts";

/**
 * What a right is for: the table or an index of it, a secret sealed by the key for a purpose, the key itself, a bucket or the
 * objects under a prefix of it, a secret, a queue or all of them, what `doctor` reads, or the account, which has no resource.
 */
export type Target =
  | "table"
  | (typeof table)["feedIndex" | "idIndex" | "failingIndex"]["name"]
  | SecretPurpose
  | "key"
  | "journal"
  | "journal/acts"
  | "uploads/u"
  | "uploads/h"
  | "rootSecret"
  | "platformSecret"
  | QueueName
  | "queues"
  | "deadLetters"
  | "alarmTopic"
  | "mailIdentities"
  | "bootstrapVersion"
  | "account";

/** Actions of IAM by what they are for. */
export type Rights = Readonly<Partial<Record<Target, readonly string[]>>>;

const onTable = (...actions: readonly string[]) => actions.map((action) => `dynamodb:${action}`);
const read = ["secretsmanager:GetSecretValue"];
const replace = [...read, "secretsmanager:PutSecretValue", "secretsmanager:UpdateSecretVersionStage"];
const send = ["sqs:SendMessage"];
const query = ["dynamodb:Query"];
const put = ["s3:PutObject"];
const remove = { "uploads/u": ["s3:DeleteObject"], "uploads/h": ["s3:DeleteObject"] };

const tenantCreate: Rights = { table: onTable("PutItem"), rootSecret: read };
const tenantSuspend: Rights = {
  table: onTable("ConditionCheckItem", "GetItem", "PutItem", "Query", "UpdateItem"),
  "journal/acts": put,
  Realtime: send,
};
/** Only an end of access reads sockets and closes them. */
const tenantResume: Rights = {
  table: onTable("ConditionCheckItem", "PutItem", "Query", "UpdateItem"),
  "journal/acts": put,
};
const tenantDelete: Rights = {
  table: onTable(
    "BatchGetItem",
    "BatchWriteItem",
    "ConditionCheckItem",
    "DeleteItem",
    "GetItem",
    "PutItem",
    "Query",
    "Scan",
    "UpdateItem",
  ),
  "account-token": ["kms:Decrypt"],
  "journal/acts": put,
  ...remove,
  platformSecret: read,
  Realtime: send,
  Accounts: send,
};
const keyCreate: Rights = { table: onTable("GetItem", "PutItem", "UpdateItem"), rootSecret: read };
const keyRevoke: Rights = {
  table: onTable("GetItem", "PutItem", "Query", "UpdateItem"),
  "journal/acts": put,
  Realtime: send,
};

/**
 * What each command with `--stage` needs, besides `cloudformation:DescribeStacks`. docs/operate/rights.md has the same, and the
 * policy for operators is made of it.
 *
 * `adopt` is not here. It changes resources that no stack of the deployment has, so that their rights would be for every table
 * and bucket of the account, and it runs before the deployment that creates the policy.
 */
export const commandRights = {
  doctor: {
    table: onTable("DescribeContinuousBackups", "DescribeTable", "DescribeTimeToLive", "GetItem"),
    key: ["kms:DescribeKey"],
    rootSecret: read,
    platformSecret: read,
    queues: ["sqs:GetQueueAttributes"],
    deadLetters: ["sqs:GetQueueAttributes", "sqs:GetQueueUrl"],
    alarmTopic: ["sns:ListSubscriptionsByTopic"],
    mailIdentities: ["ses:GetEmailIdentity"],
    bootstrapVersion: ["ssm:GetParameter"],
    account: ["lambda:GetAccountSettings", "ses:GetAccount", "sts:GetCallerIdentity"],
  },
  smoke: { ...union([tenantCreate, keyCreate, tenantDelete]), "account-token": ["kms:Decrypt", "kms:Encrypt"] },
  "tenant create": tenantCreate,
  "tenant invite-owner": {
    table: onTable("DeleteItem", "GetItem", "PutItem", "Query", "UpdateItem"),
    rootSecret: read,
  },
  "tenant suspend": tenantSuspend,
  "tenant resume": tenantResume,
  "tenant delete": tenantDelete,
  "sign-in-link": { table: onTable("GetItem", "PutItem", "Query"), rootSecret: read },
  "key create": keyCreate,
  "key list": { table: onTable("GetItem", "Query") },
  "key revoke": keyRevoke,
  "operator-key create": { table: onTable("ConditionCheckItem", "GetItem", "PutItem"), rootSecret: read },
  "operator-key list": { table: onTable("Query") },
  "operator-key revoke": keyRevoke,
  "rotate root": {
    table: onTable("DeleteItem", "GetItem", "PutItem", "Query", "Scan", "UpdateItem"),
    GS1: query,
    "journal/acts": put,
    rootSecret: replace,
    Realtime: send,
  },
  "rotate verify-token": { "journal/acts": put, platformSecret: replace },
  migrate: { table: onTable("GetItem", "Scan", "UpdateItem") },
  restore: {
    table: [...onTable("DescribeTable"), ...(tenantDelete.table ?? [])],
    GS1: query,
    "account-token": ["kms:Decrypt"],
    "webhook-secret": ["kms:Encrypt"],
    journal: ["s3:ListBucket"],
    "journal/acts": [...put, "s3:GetObject"],
    ...remove,
    rootSecret: read,
    platformSecret: read,
    Inbound: ["sqs:GetQueueAttributes"],
    Realtime: send,
    Accounts: send,
    Events: send,
    Erasures: send,
  },
  "dlq list": { table: query },
  "dlq explain": { table: onTable("BatchGetItem", "GetItem", "Query") },
  "dlq redrive": { table: onTable("BatchGetItem", "GetItem", "PutItem", "Query", "UpdateItem"), queues: send },
} as const satisfies Readonly<Record<string, Rights>>;

/** What `doctor` reads of a key and a bucket that settings name, besides the rights above: what `adopt` would set. */
export const existingReads = {
  key: ["kms:GetKeyPolicy", "kms:GetKeyRotationStatus"],
  bucket: [
    "s3:GetBucketCORS",
    "s3:GetBucketOwnershipControls",
    "s3:GetBucketPolicy",
    "s3:GetBucketPublicAccessBlock",
    "s3:GetBucketVersioning",
    "s3:GetEncryptionConfiguration",
    "s3:GetLifecycleConfiguration",
    "s3:ListBucket",
  ],
} as const;

/** The rights of several commands together. */
export function union(all: readonly Rights[]): Rights {
  const actions = new Map<string, Set<string>>();
  for (const [target, granted] of all.flatMap((rights) => Object.entries(rights))) {
    const ofTarget = actions.get(target) ?? new Set();
    actions.set(target, ofTarget);
    for (const action of granted) ofTarget.add(action);
  }
  return Object.fromEntries([...actions].map(([target, granted]) => [target, [...granted].sort()]));
}
