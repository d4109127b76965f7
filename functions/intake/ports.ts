import { filesClient, openFiles } from "#base/aws/files.ts";
import { openQueue, queueClient } from "#base/aws/queues.ts";
import { parsePlatformSecrets, secretReader, secretsClient } from "#base/aws/secrets.ts";
import { requestTimeouts } from "#base/config/request-times.ts";
import { setting } from "#base/config/settings.ts";
import type { IntakePorts } from "#features/inbox/ports.ts";
import { verifyHandshake, verifySignature } from "#platforms/graph/webhooks/signature.ts";
import { type Host, processHost } from "../host.ts";

/** The function has no access to the table: it can verify a signature, store a file and queue a webhook. */
export function intakePorts(host: Host = processHost): IntakePorts {
  const { settings, clients, log } = host;
  const timeout = requestTimeouts.intake;
  return {
    verifySignature,
    verifyHandshake,
    inbound: openQueue(setting("inboundQueueUrl", settings), clients.sqs ?? queueClient(timeout)),
    files: openFiles(setting("rawBucket", settings), clients.s3 ?? filesClient(timeout)),
    platformSecrets: secretReader(
      setting("platformSecretId", settings),
      parsePlatformSecrets,
      clients.secrets ?? secretsClient(timeout),
    ),
    log,
  };
}
