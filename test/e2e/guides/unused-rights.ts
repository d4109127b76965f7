/** Rights that a run uses or not: the socket of `smoke` may have been removed before its tenant is deleted. */
export const sometimesUnused: ReadonlySet<string> = new Set(["smoke: sqs:SendMessage Realtime"]);

/**
 * The rights of commands that their runs in `rights.test.ts` do not use, and why each is there. The test fails for a right that
 * is missing here, and for one here that a run uses.
 */
export const unusedRights: readonly { readonly rights: readonly string[]; readonly reason: string }[] = [
  {
    rights: [
      "key revoke: dynamodb:Query table",
      "key revoke: sqs:SendMessage Realtime",
      "operator-key revoke: dynamodb:Query table",
      "operator-key revoke: sqs:SendMessage Realtime",
      "restore: sqs:SendMessage Realtime",
      "rotate root: dynamodb:Query table",
      "rotate root: sqs:SendMessage Realtime",
      "tenant delete: sqs:SendMessage Realtime",
      "tenant suspend: sqs:SendMessage Realtime",
    ],
    reason: "Only the sockets that are open at that moment are read and ended.",
  },
  {
    rights: [
      "restore: s3:DeleteObject uploads/h",
      "smoke: dynamodb:BatchGetItem table",
      "smoke: s3:DeleteObject uploads/h",
      "smoke: s3:DeleteObject uploads/u",
      "tenant delete: s3:DeleteObject uploads/h",
    ],
    reason: "The tenant of smoke has no upload, and a copy of a file is left only by a process that died.",
  },
  {
    rights: ["smoke: sqs:SendMessage Accounts", "tenant delete: sqs:SendMessage Accounts"],
    reason: "The end of a webhook at the platform is queued if another tenant uses the same page.",
  },
  {
    rights: ["restore: kms:Decrypt account-token", "restore: secretsmanager:GetSecretValue platformSecret"],
    reason: "The tenant that is deleted again has no account whose webhooks end.",
  },
  {
    rights: ["restore: dynamodb:ConditionCheckItem table", "tenant delete: dynamodb:ConditionCheckItem table"],
    reason:
      "A suspension that a restore makes again, and an invite whose row of the address is that of a later invite.",
  },
  {
    rights: ["restore: kms:Encrypt webhook-secret", "restore: sqs:SendMessage Events"],
    reason: "An endpoint whose secret was rotated, and an account that was disconnected, after the time of the copy.",
  },
  {
    rights: ["rotate root: dynamodb:UpdateItem table"],
    reason: "Held messages that wait while the root secret is rotated.",
  },
];
