import { fileURLToPath } from "node:url";
import { consoleLog } from "../../shared/aws/log.ts";
import { openQueue } from "../../shared/aws/queues.ts";
import { secretReader, serviceKeysOf } from "../../shared/aws/secrets.ts";
import { openVault } from "../../shared/aws/vault.ts";
import { platformUrlSettings, setting } from "../../shared/config/settings.ts";
import type { CheckPorts } from "../../shared/flows/ports.ts";
import { tenantShards } from "../../shared/flows/tenant-shards.ts";
import { randomToken } from "../../shared/kernel/bytes.ts";
import { newUlid } from "../../shared/kernel/ids.ts";
import { clockNow } from "../../shared/kernel/time.ts";
import { platformHttp } from "../../shared/platforms/http.ts";
import { mockPlatform } from "../../shared/platforms/mock.ts";
import { platformFor } from "../../shared/platforms/platform-for.ts";
import { accountStore } from "../../shared/table/accounts.ts";
import { auditStore } from "../../shared/table/audit.ts";
import { budgetStore } from "../../shared/table/budgets.ts";
import { openTable } from "../../shared/table/client.ts";
import { conversationStore } from "../../shared/table/conversations.ts";
import { dueSendStore } from "../../shared/table/due-sends.ts";
import { erasureStore } from "../../shared/table/erasures.ts";
import { eventBodyStore } from "../../shared/table/events.ts";
import { holdStore } from "../../shared/table/holds.ts";
import { messageStore } from "../../shared/table/messages.ts";
import { outboundMessageStore } from "../../shared/table/outbound-messages.ts";
import { sendRecordStore } from "../../shared/table/send-records.ts";
import { tenantStateStore } from "../../shared/table/tenant-states.ts";
import { triesStore } from "../../shared/table/tries.ts";
import { upTo } from "../http/deadline.ts";
import { readCheckPage } from "./check-page.ts";

/** Beside the bundle, where the build of the function put the page. */
const PAGE = fileURLToPath(new URL("./check", import.meta.url));

/** The check page's function: it lets go what is held, and can read nothing of a tenant but that. */
export function checkPorts(): CheckPorts {
  const table = openTable(setting("table"));
  const root = secretReader(setting("rootSecretId"), serviceKeysOf);
  const upstream = platformUrlSettings();
  const http = platformHttp();
  return {
    holds: holdStore(table),
    tries: triesStore(table),
    audit: auditStore(table),
    conversations: conversationStore(table),
    accounts: accountStore(table),
    budgets: budgetStore(table),
    sendRecords: sendRecordStore(table),
    dueSends: dueSendStore(table),
    outboundMessages: outboundMessageStore(table),
    messages: messageStore(table),
    erasures: erasureStore(table),
    eventBodies: eventBodyStore(table),
    events: openQueue(setting("eventsQueueUrl")),
    shardsOf: tenantShards(tenantStateStore(table)),
    vault: openVault(setting("keyId")),
    platformOf: (account, scope) =>
      scope === "test"
        ? mockPlatform(() => newUlid(clockNow()), account.platform)
        : platformFor(account.connection, upstream, http),
    challengeKey: async () => (await root()).challenge,
    random: randomToken,
    upTo,
    page: readCheckPage(PAGE),
    log: consoleLog,
  };
}
