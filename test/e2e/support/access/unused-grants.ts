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
    grants: ["DeadLetters sqs:ChangeMessageVisibility *", "DeadLetters sqs:GetQueueUrl *"],
    reason: "The worker asks for a dead letter again only while the table fails, which no stack's table does.",
  },
  {
    grants: ["Ingest s3:ListBucket RawBucket"],
    reason: "Without it, S3 answers 403 in place of 404 to the second receive of a webhook whose body is deleted.",
  },
  {
    grants: [
      "Account sqs:SendMessage RealtimeQueue",
      "Console sqs:SendMessage RealtimeQueue",
      "Erase sqs:SendMessage RealtimeQueue",
      "Sweep sqs:SendMessage RealtimeQueue",
      "Verify sqs:SendMessage RealtimeQueue",
    ],
    reason:
      "They send only while a client has an open socket. The tests of sockets let other functions change something.",
  },
  {
    grants: [
      "HandOver sqs:SendMessage UploadsQueue",
      "Mail sqs:SendMessage MailsQueue",
      "Profile sqs:SendMessage ProfilesQueue",
    ],
    reason:
      "In an outage of many receives a worker sends the message to its own queue again, so that it is no dead letter.",
  },
  {
    grants: [
      "HandOver dynamodb:PutItem SingleTable",
      "HandOver sqs:SendMessage AccountsQueue",
      "HandOver sqs:SendMessage EventsQueue",
    ],
    reason:
      "A refusal of a hand-over that changes the account's status. test/functions/permissions.test.ts makes each outcome.",
  },
  {
    grants: [
      "Account s3:DeleteObject UploadBucket/*",
      "Api s3:DeleteObject UploadBucket/h/*",
      "Erase s3:DeleteObject UploadBucket/*",
      "Sweep s3:DeleteObject RawBucket/inbound/*",
      "Sweep s3:DeleteObject UploadBucket/*",
    ],
    reason: "Files that an erasure, a failed upload or a crash leaves. The tests of their flows run without a stack.",
  },
  {
    grants: [
      "Account secretsmanager:GetSecretValue SecretsRootSecret",
      "Sweep sqs:SendMessage ErasuresQueue",
      "Verify sqs:SendMessage AccountsQueue",
    ],
    reason: "Data deletions that a platform requests, and a held message whose send shows that the account is refused.",
  },
  {
    grants: ["Account s3:PutObject RawBucket/inbound/*"],
    reason: "Only a page of a backfill that is too large for the queue is stored.",
  },
  {
    grants: [
      "Account dynamodb:ConditionCheckItem SingleTable",
      "Connect dynamodb:BatchGetItem SingleTable",
      "Erase dynamodb:PutItem SingleTable",
      "Ingest dynamodb:DeleteItem SingleTable",
      "Push dynamodb:BatchGetItem SingleTable",
      "Push dynamodb:PutItem SingleTable",
    ],
    reason:
      "Rare steps on the table that no stack reaches. One that the random histories do not reach either can be removed.",
  },
];
