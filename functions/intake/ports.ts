import { filesClient, openFiles } from "#base/aws/files.ts";
import { consoleLog } from "#base/aws/log.ts";
import { openQueue, queueClient } from "#base/aws/queues.ts";
import { parsePlatformSecrets, secretReader, secretsClient } from "#base/aws/secrets.ts";
import { requestTimeouts } from "#base/config/request-times.ts";
import { setting } from "#base/config/settings.ts";
import type { IntakePorts } from "#features/inbox/ports.ts";
import { verifyHandshake, verifySignature } from "../../shared/platforms/parse/signature.ts";

/** The function has no access to the table: it can verify a signature, store a file and queue a webhook. */
export function intakePorts(): IntakePorts {
  const timeout = requestTimeouts.intake;
  return {
    verifySignature,
    verifyHandshake,
    inbound: openQueue(setting("inboundQueueUrl"), queueClient(timeout)),
    files: openFiles(setting("rawBucket"), filesClient(timeout)),
    platformSecrets: secretReader(setting("platformSecretId"), parsePlatformSecrets, secretsClient(timeout)),
    log: consoleLog,
  };
}
