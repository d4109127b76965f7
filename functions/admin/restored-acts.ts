import { revokeKey, revokeOperatorKey } from "#features/access/flows/key-lists.ts";
import { addressHashes } from "#features/access/rules/address-hash.ts";
import { auditEntry } from "#features/access/rules/callers.ts";
import { runDisconnection } from "#features/accounts/flows/disconnection.ts";
import { deleteData } from "#features/accounts/flows/platform-callbacks/delete-data.ts";
import { eraseConversation } from "#features/erasure/flows/erase.ts";
import { encodeErasure } from "#features/erasure/queue.ts";
import { deriveErasureId } from "#features/erasure/rules/erasures.ts";
import { readConversationId } from "#features/inbox/rules/messages.ts";
import { RESTORE_AUTHOR } from "#features/recovery/flows/member-acts.ts";
import type { ActResult, RestoredActs, RestoreTime } from "#features/recovery/flows/ports.ts";
import { deleteTenant } from "#features/tenants/flows/delete-tenant.ts";
import { setTenantStatus } from "#features/tenants/flows/tenant-status.ts";
import { deleteWebhook, rotateSecret, saveChanges } from "#features/webhooks/flows.ts";
import { effectiveChanges } from "#features/webhooks/rules/endpoints.ts";
import { compose } from "../compose.ts";
import { eraseRequestPorts } from "../ports/erasing.ts";
import { journal } from "../ports/files.ts";
import { dataDeletionKeys } from "../ports/keys.ts";
import { accountWork, events } from "../ports/queues.ts";
import { accounts, authorizations, dataDeletions, endpoints, eventBodies, invites } from "../ports/stores.ts";
import { deletionPorts } from "./deletion-ports.ts";
import { type CommandClients, commandHost, type Environment, tenantPorts } from "./tenant-ports.ts";

/** A run of a restore. */
export interface RestoreRun {
  readonly time: RestoreTime;
  /** Whether the functions use another table. */
  readonly isPreparation: boolean;
}

/** The acts of other features, with the restore as their author. */
export function restoredActs(
  environment: Environment,
  { time, isPreparation }: RestoreRun,
  clients: CommandClients,
): RestoredActs {
  const host = commandHost(environment, clients);
  const setup = tenantPorts(environment, clients);
  const stores = compose(host, { endpoints, invites });
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
      await setTenantStatus(setup, tenant, { author: RESTORE_AUTHOR, status }, now);
      return stored.status === status ? "unchanged" : "made";
    },

    async eraseConversation(conversationId, upTo, { now }) {
      const ref = readConversationId(conversationId);
      if (!ref) return "unchanged";
      const { tenant } = ref;
      const ports = compose(host, eraseRequestPorts);
      const request = { author: RESTORE_AUTHOR, tenant, conversationId, now, time, upTo };
      // Before the functions use the table, their worker would look for the erasure in another one.
      const erasureWork = isPreparation ? { ...ports.erasureWork, send: async () => {} } : ports.erasureWork;
      const result = await eraseConversation({ ...ports, erasureWork }, request, () => true);
      // Also the last passes of an erasure that the preparation, or a run that was killed, has started.
      const erasureId = deriveErasureId(conversationId);
      if (await ports.erasures.get(tenant, erasureId)) {
        await erasureWork.send({ body: encodeErasure({ tenant, erasureId }), group: tenant });
      }
      return "removed" in result && Object.values(result.removed).some((count) => count > 0) ? "made" : "unchanged";
    },

    async deleteData(platformUserId, issuedAt, { now }) {
      const ports = compose(host, { journal, accounts, authorizations, dataDeletions, dataDeletionKeys, accountWork });
      await deleteData(ports, { platformUserId, now, issuedAt });
      return "made";
    },

    async disconnectAccount(tenant, account) {
      const ports = { ...deletionPorts(environment, clients), ...compose(host, { accounts, eventBodies, events }) };
      const request = { author: RESTORE_AUTHOR, tenant, account, reason: "user" } as const;
      const result = await runDisconnection(ports, request, { now: time.now, endsAt: Number.POSITIVE_INFINITY });
      return "refused" in result ? "unchanged" : "made";
    },

    async rotateWebhookSecret(tenant, endpointId, { at, now }): Promise<ActResult> {
      const endpoint = await stores.endpoints.get(tenant, endpointId);
      if (!endpoint || endpoint.status === "deleted") return "unchanged";
      // The secret of the copy was replaced, so it ends a day later. No one knows the one that replaced it.
      if (endpoint.updatedAt < at) {
        const ports = { ...stores, vault: setup.vault, journal: setup.journal };
        await rotateSecret(ports, { tenant, endpointId, author: RESTORE_AUTHOR, now });
      }
      return {
        problem: `The last secret of the endpoint ${endpointId} of ${tenant} is lost. Ask an admin of ${tenant} to rotate it and to give the receiver the new one.`,
      };
    },

    async setWebhookStatus(tenant, endpointId, status, { now }) {
      const endpoint = await stores.endpoints.get(tenant, endpointId);
      if (!endpoint || endpoint.status === "deleted") return "unchanged";
      const changes = effectiveChanges(endpoint, { status });
      if (Object.keys(changes).length === 0) return "unchanged";
      const change = { tenant, endpoint, changes, author: RESTORE_AUTHOR, now };
      const result = await saveChanges({ ...stores, journal: setup.journal }, change);
      return result === "changed" ? "made" : "unchanged";
    },

    async deleteWebhook(tenant, endpointId, { now }) {
      const endpoint = await stores.endpoints.get(tenant, endpointId);
      if (!endpoint || endpoint.status === "deleted") return "unchanged";
      const request = { tenant, endpointId, author: RESTORE_AUTHOR, now };
      return (await deleteWebhook({ ...stores, journal: setup.journal }, request)) === null ? "made" : "unchanged";
    },

    async endInvite(tenant, inviteId, { at, now }) {
      const invite = await stores.invites.get(tenant, inviteId);
      if (invite?.status !== "pending" || invite.createdAt > at) return "unchanged";
      const { id, role, email } = invite;
      const entry = { action: "invite.revoke", resource: `invite:${id}`, detail: { role }, at: now } as const;
      const by = { audit: auditEntry(RESTORE_AUTHOR, entry), actor: null };
      const hashes = addressHashes(await setup.addressKeys(), email);
      return (await stores.invites.revoke(invite, { ...by, addressHashes: hashes })) === "revoked"
        ? "made"
        : "unchanged";
    },

    async deleteTenant(tenant, { at }) {
      const stored = await setup.tenants.get(tenant);
      if (stored && stored.createdAt > at) return "unchanged";
      const deletion = { tenant, author: RESTORE_AUTHOR, time, report: () => {} };
      const result = await deleteTenant(deletionPorts(environment, clients), deletion);
      return result?.isNew ? "made" : "unchanged";
    },
  };
}
