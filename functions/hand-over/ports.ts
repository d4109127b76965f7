import { filesClient, openFiles } from "#base/aws/files.ts";
import { openQueue } from "#base/aws/queues.ts";
import { openReceivedMessages } from "#base/aws/received-messages.ts";
import { openUploadLinks } from "#base/aws/upload-files.ts";
import { openVault } from "#base/aws/vault.ts";
import { setting } from "#base/config/settings.ts";
import { accountStore } from "#features/accounts/store/accounts.ts";
import { eventBodyStore } from "#features/delivery/store/event-bodies.ts";
import { conversationStore } from "#features/inbox/store/conversations.ts";
import { attachmentOwnerStore } from "#features/sending/store/attachment-owners.ts";
import { budgetStore } from "#features/sending/store/budgets.ts";
import type { HandOverPorts } from "#features/uploads/ports.ts";
import { uploadStore } from "#features/uploads/store/uploads.ts";
import { type Host, processHost } from "../host.ts";
import { openPlatforms } from "../support/platforms.ts";
import { openServiceTable } from "../support/service-table.ts";
import type { WorkerPorts } from "../worker/batch.ts";

export function handOverPorts(host: Host = processHost): HandOverPorts & WorkerPorts {
  const { settings, clients, log } = host;
  const table = openServiceTable(host);
  const bucket = setting("uploadBucket", settings);
  const s3 = clients.s3 ?? filesClient();
  return {
    uploads: uploadStore(table),
    conversations: conversationStore(table),
    accounts: accountStore(table),
    budgets: budgetStore(table),
    attachmentOwners: attachmentOwnerStore(table),
    eventBodies: eventBodyStore(table),
    events: openQueue(setting("eventsQueueUrl", settings), clients.sqs),
    accountWork: openQueue(setting("accountsQueueUrl", settings), clients.sqs),
    realtime: openQueue(setting("realtimeQueueUrl", settings), clients.sqs),
    vault: openVault(setting("keyId", settings), clients.kms),
    platformFor: openPlatforms(host),
    uploadLinks: openUploadLinks(bucket, s3),
    uploadFiles: openFiles(bucket, s3),
    receivedMessages: openReceivedMessages(clients.sqs),
    log,
  };
}
