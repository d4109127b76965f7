import { DescribeTableCommand, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { KMSClient } from "@aws-sdk/client-kms";
import { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { SQSClient } from "@aws-sdk/client-sqs";
import { countAllMessages } from "#base/aws/depths.ts";
import { openFiles } from "#base/aws/files.ts";
import { openQueue } from "#base/aws/queues.ts";
import { serviceKeysReader } from "#base/aws/service-keys.ts";
import { setting } from "#base/config/settings.ts";
import type { Millis } from "#base/kernel/time.ts";
import { openTable } from "#base/table/client.ts";
import { auditEntry } from "#features/access/author.ts";
import { revokeKey, revokeOperatorKey } from "#features/access/flows/key-lists.ts";
import { addressHashes } from "#features/access/rules/address-hash.ts";
import { inviteStore } from "#features/access/store/invites.ts";
import { membershipStore } from "#features/access/store/memberships.ts";
import { runDisconnection } from "#features/accounts/flows/disconnection.ts";
import { deleteData } from "#features/accounts/flows/platform-callbacks/delete-data.ts";
import { accountCheckStore } from "#features/accounts/store/account-checks.ts";
import { accountStore } from "#features/accounts/store/accounts.ts";
import { authorizationStore } from "#features/accounts/store/authorizations.ts";
import { dataDeletionStore } from "#features/accounts/store/data-deletions.ts";
import { eventBodyStore } from "#features/delivery/store/event-bodies.ts";
import { eraseConversation } from "#features/erasure/flows/erase.ts";
import { holdStore } from "#features/holds/store/holds.ts";
import { readConversationId } from "#features/inbox/rules/messages.ts";
import { RESTORE_AUTHOR } from "#features/recovery/flows/member-acts.ts";
import type { ActResult, RestoredActs, RestorePorts, RestoreTime } from "#features/recovery/flows/ports.ts";
import { restoredErasureStore } from "#features/recovery/store/restored-erasures.ts";
import { restoredRowStore } from "#features/recovery/store/restored-rows.ts";
import { restoreStore } from "#features/recovery/store/restores.ts";
import { deleteTenant } from "#features/tenants/flows/delete-tenant.ts";
import { setTenantStatus } from "#features/tenants/flows/tenant-status.ts";
import { rotateSecret } from "#features/webhooks/flows.ts";
import { endpointStore } from "#features/webhooks/store/endpoints.ts";
import type { Host } from "../host.ts";
import { eraseRequestPorts } from "../support/erase-account-ports.ts";
import { deletionPorts } from "./deletion-ports.ts";
import { clientSettings, type Environment, openStorage, tenantPorts } from "./tenant-ports.ts";

/**
 * The time to which a table was restored, null if it is no point-in-time copy, and when DynamoDB answered by its own clock.
 * @throws an error of DynamoDB
 */
export async function readRestorePoint(
  environment: Environment,
): Promise<{ point: Millis | null; answeredAt: Millis }> {
  const { tableService } = clientSettings(environment);
  const command = new DescribeTableCommand({ TableName: setting("table", environment) });
  let date: string | undefined;
  command.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      date = (result.response as { headers?: Record<string, string> }).headers?.date;
      return result;
    },
    { step: "deserialize", priority: "high" },
  );
  const { Table } = await new DynamoDBClient(tableService).send(command);
  return { point: Table?.RestoreSummary?.RestoreDateTime?.getTime() ?? null, answeredAt: Date.parse(date ?? "") };
}

/** What `restore` needs: the table, the journal, and what the flows need whose acts it makes. */
export function restorePorts(environment: Environment, time: RestoreTime): RestorePorts {
  const { services, tableService } = clientSettings(environment);
  const tableClient = new DynamoDBClient(tableService);
  const table = openTable(setting("table", environment), tableClient);
  const s3 = openStorage(services);
  const sqs = new SQSClient(services);
  const setup = tenantPorts(environment);
  return {
    ...setup,
    journalFiles: openFiles(setting("journalBucket", environment), s3),
    inbound: { count: () => countAllMessages(setting("inboundQueueUrl", environment), sqs) },
    restores: restoreStore(table),
    restoredRows: restoredRowStore(table),
    restoredErasures: restoredErasureStore(table),
    holds: holdStore(table),
    memberships: membershipStore(table),
    accounts: accountStore(table),
    accountChecks: accountCheckStore(table),
    accountWork: { send: async (message) => openQueue(setting("accountsQueueUrl", environment), sqs).send(message) },
    acts: restoredActs(environment, time, {
      settings: environment as NodeJS.ProcessEnv,
      clients: {
        table: tableClient,
        s3,
        sqs,
        kms: new KMSClient(services),
        secrets: new SecretsManagerClient(services),
      },
      log: () => {},
      random: Math.random,
    }),
  };
}

/** The acts of other features, with the restore as their author. */
function restoredActs(environment: Environment, time: RestoreTime, host: Host): RestoredActs {
  const table = openTable(setting("table", environment), host.clients.table);
  const setup = tenantPorts(environment);
  const [endpoints, accounts, invites] = [endpointStore(table), accountStore(table), inviteStore(table)];
  const root = serviceKeysReader(setting("rootSecretId", environment), host.clients.secrets);
  const queue = (name: "accountsQueueUrl" | "eventsQueueUrl") =>
    openQueue(setting(name, environment), host.clients.sqs);
  return {
    async revokeKey(tenant, keyId, { now }) {
      const key = await setup.apiKeys.getListed(tenant, keyId);
      const author = RESTORE_AUTHOR;
      if (tenant === null) await revokeOperatorKey(setup, { keyId, author, now });
      else await revokeKey(setup, { tenant, keyId, author, now });
      return key?.status === "active" ? "made" : "unchanged";
    },

    async setTenantStatus(tenant, status, { at, now }) {
      const stored = await setup.tenants.get(tenant);
      if (!stored || stored.createdAt > at) return "unchanged";
      // Also if it has the status: a run that was killed may not have marked every key.
      await setTenantStatus(setup, tenant, { ...RESTORE_AUTHOR, status }, now);
      return stored.status === status ? "unchanged" : "made";
    },

    async eraseConversation(conversationId, upTo, { now }) {
      const ref = readConversationId(conversationId);
      if (!ref) return "unchanged";
      const request = { ...RESTORE_AUTHOR, tenant: ref.tenant, conversationId, now, time, upTo };
      const result = await eraseConversation(eraseRequestPorts(host, table), request, () => true);
      return "removed" in result && Object.values(result.removed).some((count) => count > 0) ? "made" : "unchanged";
    },

    async deleteData(platformUserId, issuedAt, { now }) {
      const ports = {
        journal: setup.journal,
        accounts,
        authorizations: authorizationStore(table),
        dataDeletions: dataDeletionStore(table),
        dataDeletionKeys: async () => (await root()).dataDeletion,
        accountWork: queue("accountsQueueUrl"),
      };
      await deleteData(ports, { platformUserId, now, issuedAt });
      return "made";
    },

    async disconnectAccount(tenant, account) {
      const ports = {
        ...deletionPorts(environment),
        accounts,
        eventBodies: eventBodyStore(table),
        events: queue("eventsQueueUrl"),
      };
      const request = { ...RESTORE_AUTHOR, tenant, account, reason: "user" } as const;
      const result = await runDisconnection(ports, request, { now: time.now, endsAt: Number.POSITIVE_INFINITY });
      return "refused" in result ? "unchanged" : "made";
    },

    async rotateWebhookSecret(tenant, endpointId, { at, now }): Promise<ActResult> {
      const endpoint = await endpoints.get(tenant, endpointId);
      if (!endpoint || endpoint.status === "deleted") return "unchanged";
      // The secret of the copy was replaced, so it ends a day later. No one knows the one that takes its place.
      if (endpoint.updatedAt < at) {
        const ports = { endpoints, vault: setup.vault, journal: setup.journal };
        await rotateSecret(ports, { tenant, endpointId, author: RESTORE_AUTHOR, now });
      }
      return {
        problem: `The last secret of the endpoint ${endpointId} of ${tenant} is lost. Ask an admin of ${tenant} to rotate it and to give the receiver the new one.`,
      };
    },

    async endInvite(tenant, inviteId, { at, now }) {
      const invite = await invites.get(tenant, inviteId);
      if (invite?.status !== "pending" || invite.createdAt > at) return "unchanged";
      const { id, role, email } = invite;
      const entry = { action: "invite.revoke", resource: `invite:${id}`, detail: { role }, at: now } as const;
      const by = { audit: auditEntry(RESTORE_AUTHOR, entry), actor: null };
      const hashes = addressHashes(await setup.addressKeys(), email);
      return (await invites.revoke(invite, { ...by, addressHashes: hashes })) === "revoked" ? "made" : "unchanged";
    },

    async deleteTenant(tenant, { at }) {
      const stored = await setup.tenants.get(tenant);
      if (stored && stored.createdAt > at) return "unchanged";
      const deletion = { tenant, actor: RESTORE_AUTHOR.actor, time, report: () => {} };
      const result = await deleteTenant(deletionPorts(environment), deletion);
      return result?.isNew ? "made" : "unchanged";
    },
  };
}
