import { consoleLog } from "../../shared/aws/log.ts";
import { openQueue } from "../../shared/aws/queues.ts";
import { secretReader, serviceKeysOf } from "../../shared/aws/secrets.ts";
import { openVault } from "../../shared/aws/vault.ts";
import { optionalSetting, platformUrlSettings, setting } from "../../shared/config/settings.ts";
import type { ApiPorts } from "../../shared/flows/ports.ts";
import { newUlid } from "../../shared/kernel/ids.ts";
import { clockNow } from "../../shared/kernel/time.ts";
import { platformHttp } from "../../shared/platforms/http.ts";
import { mockPlatform } from "../../shared/platforms/mock.ts";
import { platformFor } from "../../shared/platforms/platform-for.ts";
import { accountStore } from "../../shared/table/accounts.ts";
import { apiKeyStore } from "../../shared/table/api-keys.ts";
import { auditStore } from "../../shared/table/audit.ts";
import { openTable } from "../../shared/table/client.ts";
import { conversationStore } from "../../shared/table/conversations.ts";
import { counterStore } from "../../shared/table/counters.ts";
import { deliveryStore } from "../../shared/table/deliveries.ts";
import { dueStore } from "../../shared/table/due.ts";
import { endpointStore } from "../../shared/table/endpoints.ts";
import { erasureStore } from "../../shared/table/erasures.ts";
import { traceStore } from "../../shared/table/erasures-traces.ts";
import { eventBodyStore } from "../../shared/table/events.ts";
import { messageStore } from "../../shared/table/messages.ts";
import { outboundMessageStore } from "../../shared/table/outbound-messages.ts";
import { sendRecordStore } from "../../shared/table/send-records.ts";
import { tenantStateStore } from "../../shared/table/tenant-states.ts";
import { openGate } from "./gate.ts";

/** The API function: reads, replies and settings of a tenant. */
export function apiPorts(): ApiPorts {
  const table = openTable(setting("table"));
  const root = secretReader(setting("rootSecretId"), serviceKeysOf);
  const upstream = platformUrlSettings();
  const http = platformHttp();
  return {
    audit: auditStore(table),
    counters: counterStore(table),
    conversations: conversationStore(table),
    messages: messageStore(table),
    outboundMessages: outboundMessageStore(table),
    accounts: accountStore(table),
    endpoints: endpointStore(table),
    deliveries: deliveryStore(table),
    eventBodies: eventBodyStore(table),
    due: dueStore(table),
    sendRecords: sendRecordStore(table),
    erasures: erasureStore(table),
    traces: traceStore(table),
    tenantStates: tenantStateStore(table),
    erasureWork: openQueue(setting("erasuresQueueUrl")),
    apiKeys: apiKeyStore(table),
    events: openQueue(setting("eventsQueueUrl")),
    retries: openQueue(setting("deliveriesQueueUrl")),
    vault: openVault(setting("keyId")),
    gate: openGate(),
    platformOf: (account, scope) =>
      scope === "test"
        ? mockPlatform(() => newUlid(clockNow()), account.platform)
        : platformFor(account.connection, upstream, http),
    pepper: async () => (await root()).pepper,
    cursorKey: async () => (await root()).cursor,
    siteUrl: optionalSetting("siteUrl"),
    log: consoleLog,
  };
}
