import { openFiles } from "../../shared/aws/files.ts";
import { consoleLog } from "../../shared/aws/log.ts";
import { openQueue } from "../../shared/aws/queues.ts";
import { parsePlatformSecrets, secretReader } from "../../shared/aws/secrets.ts";
import { setting } from "../../shared/config/settings.ts";
import type { IntakePorts } from "../../shared/flows/inbox/ports.ts";
import { verifyHandshake, verifySignature } from "../../shared/platforms/parse/signature.ts";

/** The function has no access to the table: it can verify a signature, store a file and queue a webhook. */
export function intakePorts(): IntakePorts {
  return {
    verifySignature,
    verifyHandshake,
    inbound: openQueue(setting("inboundQueueUrl")),
    files: openFiles(setting("rawBucket")),
    platformSecrets: secretReader(setting("platformSecretId"), parsePlatformSecrets),
    log: consoleLog,
  };
}
