import { consoleLog } from "../../shared/aws/log.ts";
import { openQueue } from "../../shared/aws/queues.ts";
import { secretReader, serviceKeysOf } from "../../shared/aws/secrets.ts";
import { openVault } from "../../shared/aws/vault.ts";
import { optionalSetting, platformUrlSettings, setting } from "../../shared/config/settings.ts";
import type { ApiPorts } from "../../shared/flows/ports.ts";
import { tenantShards } from "../../shared/flows/tenant-shards.ts";
import { newUlid } from "../../shared/kernel/ids.ts";
import { clockNow } from "../../shared/kernel/time.ts";
import { platformHttp } from "../../shared/platforms/http.ts";
import { mockPlatform } from "../../shared/platforms/mock.ts";
import { platformFor } from "../../shared/platforms/platform-for.ts";
import { accountStore } from "../../shared/table/accounts.ts";
import { apiKeyStore } from "../../shared/table/api-keys.ts";
import { auditStore } from "../../shared/table/audit.ts";
import { budgetStore } from "../../shared/table/budgets.ts";
import { openTable } from "../../shared/table/client.ts";
import { conversationStore } from "../../shared/table/conversations.ts";
import { counterStore } from "../../shared/table/counters.ts";
import { deliveryStore } from "../../shared/table/deliveries.ts";
import { dueStore } from "../../shared/table/due.ts";
import { dueSendStore } from "../../shared/table/due-sends.ts";
import { endpointStore } from "../../shared/table/endpoints.ts";
import { erasureStore } from "../../shared/table/erasures.ts";
import { traceStore } from "../../shared/table/erasures-traces.ts";
import { eventBodyStore } from "../../shared/table/events.ts";
import { holdStore } from "../../shared/table/holds.ts";
import { idempotencyKeyStore } from "../../shared/table/idempotency-keys.ts";
import { lookUpStore } from "../../shared/table/look-ups.ts";
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
  const tenantStates = tenantStateStore(table);
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
    budgets: budgetStore(table),
    dueSends: dueSendStore(table),
    holds: holdStore(table),
    idempotencyKeys: idempotencyKeyStore(table),
    shardsOf: tenantShards(tenantStates),
    erasures: erasureStore(table),
    traces: traceStore(table),
    tenantStates,
    erasureWork: openQueue(setting("erasuresQueueUrl")),
    apiKeys: apiKeyStore(table),
    events: openQueue(setting("eventsQueueUrl")),
    retries: openQueue(setting("deliveriesQueueUrl")),
    vault: openVault(setting("keyId")),
    gate: openGate(),
    lookUps: lookUpStore(table),
    platformOf: (account, scope) =>
      scope === "test"
        ? mockPlatform(() => newUlid(clockNow()), account.platform)
        : platformFor(account.connection, upstream, http),
    holdKey: async () => (await root()).holdSecret,
    baseUrl: setting("baseUrl"),
    pepper: async () => (await root()).pepper,
    cursorKey: async () => (await root()).cursor,
    siteUrl: optionalSetting("siteUrl"),
    log: consoleLog,
  };
}
