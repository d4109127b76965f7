import { filesClient, openFiles } from "../../shared/aws/files.ts";
import { consoleLog } from "../../shared/aws/log.ts";
import { openQueue, queueClient } from "../../shared/aws/queues.ts";
import { parsePlatformSecrets, secretReader, secretsClient } from "../../shared/aws/secrets.ts";
import { requestTimeouts } from "../../shared/config/request-times.ts";
import { setting } from "../../shared/config/settings.ts";
import type { IntakePorts } from "../../shared/flows/inbox/ports.ts";
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
