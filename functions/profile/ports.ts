import { openQueue } from "#base/aws/queues.ts";
import { openReceivedMessages } from "#base/aws/received-messages.ts";
import { openVault } from "#base/aws/vault.ts";
import { setting } from "#base/config/settings.ts";
import { accountStore } from "#features/accounts/store/accounts.ts";
import { eventBodyStore } from "#features/delivery/store/event-bodies.ts";
import type { ProfilePorts } from "#features/inbox/ports.ts";
import { conversationStore } from "#features/inbox/store/conversations.ts";
import { nameWaitStore } from "#features/inbox/store/name-waits.ts";
import { profileStore } from "#features/inbox/store/profiles.ts";
import { endpointStore } from "#features/webhooks/store/endpoints.ts";
import { type Host, processHost } from "../host.ts";
import { openPlatforms } from "../support/platforms.ts";
import { openServiceTable } from "../support/service-table.ts";
import type { WorkerPorts } from "../worker/batch.ts";

export function profilePorts(host: Host = processHost): ProfilePorts & WorkerPorts {
  const { settings, clients, log } = host;
  const table = openServiceTable(host);
  return {
    conversations: conversationStore(table),
    accounts: accountStore(table),
    vault: openVault(setting("keyId", settings), clients.kms),
    platformFor: openPlatforms(host),
    profiles: profileStore(table),
    nameWaits: nameWaitStore(table),
    endpoints: endpointStore(table),
    eventBodies: eventBodyStore(table),
    events: openQueue(setting("eventsQueueUrl", settings), clients.sqs),
    realtime: openQueue(setting("realtimeQueueUrl", settings), clients.sqs),
    receivedMessages: openReceivedMessages(clients.sqs),
    log,
  };
}
