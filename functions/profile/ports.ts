import { consoleLog } from "../../shared/aws/log.ts";
import { openReceivedMessages } from "../../shared/aws/received-messages.ts";
import { openVault } from "../../shared/aws/vault.ts";
import { platformUrlSettings, setting } from "../../shared/config/settings.ts";
import type { ProfilePorts } from "../../shared/flows/inbox/ports.ts";
import { platformHttp } from "../../shared/platforms/api/http.ts";
import { platformFor } from "../../shared/platforms/api/platform-for.ts";
import { accountStore } from "../../shared/stores/accounts/accounts.ts";
import { openTable } from "../../shared/stores/client.ts";
import { conversationStore } from "../../shared/stores/inbox/conversations.ts";
import { profileStore } from "../../shared/stores/inbox/profiles.ts";
import type { WorkerPorts } from "../worker/batch.ts";

export function profilePorts(): ProfilePorts & WorkerPorts {
  const table = openTable(setting("table"));
  const upstream = platformUrlSettings();
  const http = platformHttp();
  return {
    conversations: conversationStore(table),
    accounts: accountStore(table),
    vault: openVault(setting("keyId")),
    platformFor: ({ connection }) => platformFor(connection, upstream, http),
    profiles: profileStore(table),
    receivedMessages: openReceivedMessages(),
    log: consoleLog,
  };
}
