import type { UnusedGrant } from "./access-records.ts";

/**
 * The grants that no test of `npm run test:access` uses, and why each is there. The command fails for a grant that is
 * missing here, and for one here that a test uses.
 */
export const unusedGrants: readonly UnusedGrant[] = [
  {
    grants: ["* logs:CreateLogStream *", "* logs:PutLogEvents *"],
    reason: "Lambda writes the output of each function. The local stack writes it into a file.",
  },
  {
    grants: ["Ingest s3:ListBucket RawBucket"],
    reason: "Without it, S3 answers 403 in place of 404 to the second receive of a webhook whose body is deleted.",
  },
  {
    grants: ["HandOver sqs:SendMessage UploadsQueue", "Profile sqs:SendMessage ProfilesQueue"],
    reason:
      "In an outage of many receives a worker sends the message to its own queue again, so that it is no dead letter.",
  },
  {
    grants: [
      "Erase s3:DeleteObject UploadBucket/*",
      "Sweep s3:DeleteObject RawBucket/inbound/*",
      "Sweep s3:DeleteObject UploadBucket/h/*",
    ],
    reason: "Files that a process left which died: copies, and bodies of webhooks.",
  },
  {
    grants: [
      "Account secretsmanager:GetSecretValue SecretsRootSecret",
      "Sweep sqs:SendMessage ErasuresQueue",
      "Verify sqs:SendMessage AccountsQueue",
    ],
    reason:
      "A data deletion whose account was connected again, an erasure whose message became a dead letter, and a held message that shows the account is refused.",
  },
  {
    grants: ["Account s3:PutObject RawBucket/inbound/*"],
    reason: "Only a page of a backfill that is too large for the queue is stored.",
  },
  {
    grants: [
      "Account dynamodb:ConditionCheckItem SingleTable",
      "Erase dynamodb:PutItem SingleTable",
      "Ingest dynamodb:DeleteItem SingleTable",
    ],
    reason:
      "Rows that only a dead process or a race leaves: a disconnection whose Api died before it, a row that was written during an erasure, and changes that came before a message which an erasure drops.",
  },
  {
    grants: ["HandOver dynamodb:UpdateItem SingleTable if * B#*"],
    reason:
      "A platform that limits an account gets nothing for a while. test/functions/permissions.test.ts has its answer.",
  },
  {
    grants: ["Deliver dynamodb:UpdateItem SingleTable if * W#*"],
    reason: "A slot is taken for a retry of a slow endpoint. `npm run bench:local` has one, for minutes.",
  },
  {
    grants: [
      "Sweep dynamodb:UpdateItem SingleTable if * Q#*",
      "Sweep dynamodb:DeleteItem SingleTable if * CONV#*",
      "Sweep dynamodb:DeleteItem SingleTable if * QUAR#*",
      "Sweep dynamodb:PutItem SingleTable if * ER#*",
      "Sweep dynamodb:PutItem SingleTable if * Q#*",
      "Sweep dynamodb:UpdateItem SingleTable if * B#*",
      "Sweep dynamodb:UpdateItem SingleTable if * QD",
      "Sweep dynamodb:UpdateItem SingleTable if * T#*",
      "Verify dynamodb:DeleteItem SingleTable if * CONV#*",
      "Verify dynamodb:PutItem SingleTable if * ER#*",
    ],
    reason:
      "Dead letters that are scheduled again or a week old, an erasure beside a send, a sender that died when it was refused, rows of a later release, and a table that a daily check reads in parts. Random histories and test/functions have them.",
  },
];
