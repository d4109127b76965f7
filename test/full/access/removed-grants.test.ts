import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, inject, test } from "vitest";
import { readRecords } from "../../e2e/support/access/access-records.ts";
import { createTestWebhook, personWrites } from "../../e2e/support/api-calls.ts";
import { type LocalStack, startLocalStack } from "../../e2e/support/local-stack.ts";
import {
  demoAccountIds,
  newMessageId,
  newPersonId,
  postWebhook,
  textEntry,
} from "../../e2e/support/platform-webhooks.ts";
import { waitFor } from "../../e2e/support/wait-for.ts";
import { openedOnce } from "../../support/opened.ts";
import { type RemovedGrant, removeGrants } from "./remove-grants.ts";

/** What is taken away, what a stack does without it, and what it then records. */
const cases: readonly {
  readonly removed: RemovedGrant;
  readonly denied: string;
  readonly use: (stack: LocalStack) => Promise<unknown>;
}[] = [
  {
    removed: { functionId: "Intake", action: "s3:PutObject", resource: "/inbound/*" },
    denied: "Intake may not s3:PutObject on RawBucket/inbound/",
    use: async (stack) => {
      const at = await stack.now();
      const entries = Array.from({ length: 300 }, () =>
        textEntry(demoAccountIds.messenger, newPersonId(), newMessageId(), randomBytes(1_400).toString("base64"), at),
      );
      return await postWebhook(stack, "page", entries);
    },
  },
  {
    removed: {
      functionId: "Api",
      action: "kms:Encrypt",
      resource: "TokenKey",
      conditionValue: "webhook-secret",
    },
    denied: "Api may not kms:Encrypt on TokenKey: StringEquals kms:EncryptionContext:purpose is not met",
    use: (stack) => createTestWebhook(stack, "http://127.0.0.1:9/hook", ["message.received"]),
  },
  {
    removed: { functionId: "Api", action: "dynamodb:Query", resource: "/index/GS1" },
    denied: "Api may not dynamodb:Query on SingleTable/index/GS1",
    use: (stack) => stack.api("GET", "/v1/conversations"),
  },
  {
    removed: { functionId: "Profile", action: "kms:Decrypt", resource: "TokenKey" },
    denied: "Profile may not kms:Decrypt on TokenKey",
    use: (stack) => personWrites(stack, "messenger", "Unknown Una"),
  },
  {
    removed: { functionId: "Sweep", action: "sqs:GetQueueAttributes", resource: "MailsQueue" },
    denied: "Sweep may not sqs:GetQueueAttributes on MailsQueue",
    use: (stack) => stack.clock("PT1H"),
  },
];

const stack = openedOnce(async () => {
  const folder = mkdtempSync(join(tmpdir(), "parley-removed-"));
  const assembly = removeGrants(
    inject("limitedAssembly"),
    folder,
    cases.map(({ removed }) => removed),
  );
  const started = await startLocalStack({ assembly });
  return {
    ...started,
    stop: async () => {
      await started.stop();
      rmSync(folder, { recursive: true });
    },
  };
});

test.each(cases)(
  "a removed grant is noticed at its first use: $denied",
  async ({ denied, use }) => {
    const listDenied = () => [...readRecords([stack.dataDir]).denied].filter((each) => each.startsWith(denied));
    await use(stack).catch(() => undefined);
    await waitFor("the denial is recorded", () => listDenied().length > 0);
    const [functionId, action] = denied.split(" may not ");
    expect(stack.errors()).toContain(`${functionId} is denied ${action?.split(" ")[0]} on `);
  },
  60_000,
);
