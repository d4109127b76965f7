import { consoleLog } from "#base/aws/log.ts";
import { openQueue } from "#base/aws/queues.ts";
import { openReceivedMessages } from "#base/aws/received-messages.ts";
import { openVault } from "#base/aws/vault.ts";
import { setting } from "#base/config/settings.ts";
import { openTable } from "#base/table/client.ts";
import { accountStore } from "#features/accounts/store/accounts.ts";
import type { ProfilePorts } from "#features/inbox/ports.ts";
import { conversationStore } from "#features/inbox/store/conversations.ts";
import { profileStore } from "#features/inbox/store/profiles.ts";
import { openPlatforms } from "../support/platforms.ts";
import type { WorkerPorts } from "../worker/batch.ts";

export function profilePorts(): ProfilePorts & WorkerPorts {
  const table = openTable(setting("table"));
  return {
    conversations: conversationStore(table),
    accounts: accountStore(table),
    vault: openVault(setting("keyId")),
    platformFor: openPlatforms(),
    profiles: profileStore(table),
    realtime: openQueue(setting("realtimeQueueUrl")),
    receivedMessages: openReceivedMessages(),
    log: consoleLog,
  };
}
