import { consoleLog } from "../../shared/aws/log.ts";
import { openQueue } from "../../shared/aws/queues.ts";
import { openReceivedMessages } from "../../shared/aws/received-messages.ts";
import { openVault } from "../../shared/aws/vault.ts";
import { setting } from "../../shared/config/settings.ts";
import type { ProfilePorts } from "../../shared/flows/inbox/ports.ts";
import { accountStore } from "../../shared/stores/accounts/accounts.ts";
import { openTable } from "../../shared/stores/client.ts";
import { conversationStore } from "../../shared/stores/inbox/conversations.ts";
import { profileStore } from "../../shared/stores/inbox/profiles.ts";
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
