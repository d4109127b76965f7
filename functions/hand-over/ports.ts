import { filesClient, openFiles } from "../../shared/aws/files.ts";
import { consoleLog } from "../../shared/aws/log.ts";
import { openQueue } from "../../shared/aws/queues.ts";
import { openReceivedMessages } from "../../shared/aws/received-messages.ts";
import { openUploadLinks } from "../../shared/aws/upload-links.ts";
import { openVault } from "../../shared/aws/vault.ts";
import { setting } from "../../shared/config/settings.ts";
import type { HandOverPorts } from "../../shared/flows/uploads/ports.ts";
import { accountStore } from "../../shared/stores/accounts/accounts.ts";
import { openTable } from "../../shared/stores/client.ts";
import { eventBodyStore } from "../../shared/stores/delivery/event-bodies.ts";
import { conversationStore } from "../../shared/stores/inbox/conversations.ts";
import { attachmentOwnerStore } from "../../shared/stores/sending/attachment-owners.ts";
import { budgetStore } from "../../shared/stores/sending/budgets.ts";
import { uploadStore } from "../../shared/stores/uploads/uploads.ts";
import { openPlatforms } from "../support/platforms.ts";
import type { WorkerPorts } from "../worker/batch.ts";

export function handOverPorts(): HandOverPorts & WorkerPorts {
  const table = openTable(setting("table"));
  const bucket = setting("uploadBucket");
  const s3 = filesClient();
  return {
    uploads: uploadStore(table),
    conversations: conversationStore(table),
    accounts: accountStore(table),
    budgets: budgetStore(table),
    attachmentOwners: attachmentOwnerStore(table),
    eventBodies: eventBodyStore(table),
    events: openQueue(setting("eventsQueueUrl")),
    accountWork: openQueue(setting("accountsQueueUrl")),
    realtime: openQueue(setting("realtimeQueueUrl")),
    vault: openVault(setting("keyId")),
    platformFor: openPlatforms(),
    uploadLinks: openUploadLinks(bucket, s3),
    uploadFiles: openFiles(bucket, s3),
    receivedMessages: openReceivedMessages(),
    log: consoleLog,
  };
}
