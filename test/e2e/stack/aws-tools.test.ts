import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { env } from "#base/config/names.ts";
import { openedOnce } from "../../support/opened.ts";
import { openSharedStack } from "../support/local-stack.ts";

const stack = openedOnce(openSharedStack);

/** Clients without any setting of their own. */
const script = `
  import { DynamoDBClient, ListTablesCommand } from "@aws-sdk/client-dynamodb";
  import { ListBucketsCommand, S3Client } from "@aws-sdk/client-s3";
  import { ListQueuesCommand, SQSClient } from "@aws-sdk/client-sqs";
  const { TableNames } = await new DynamoDBClient().send(new ListTablesCommand({}));
  const { QueueUrls } = await new SQSClient().send(new ListQueuesCommand({}));
  const { Buckets } = await new S3Client({ forcePathStyle: true }).send(new ListBucketsCommand({}));
  console.log(JSON.stringify({ TableNames, QueueUrls, Buckets: Buckets.map(({ Name }) => Name) }));`;

it("the tools of AWS find a running stack by the two files in its data folder", async () => {
  const read = (name: string) => readFileSync(join(stack.dataDir, name), "utf8");
  const environment = JSON.parse(read("environment.json")) as Record<string, string>;
  expect(read("aws-credentials")).toContain(`aws_access_key_id = ${environment.AWS_ACCESS_KEY_ID}\n`);
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", script], {
    env: {
      AWS_CONFIG_FILE: join(stack.dataDir, "aws-config"),
      AWS_SHARED_CREDENTIALS_FILE: join(stack.dataDir, "aws-credentials"),
    },
  });
  const lists = JSON.parse(stdout) as Record<"TableNames" | "QueueUrls" | "Buckets", string[]>;
  expect(lists.TableNames).toEqual([environment[env.table]]);
  expect(lists.QueueUrls).toContain(environment[env.eventsQueueUrl]);
  expect(lists.Buckets).toContain(environment[env.uploadBucket]);
});
