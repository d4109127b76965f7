import type { TenantId } from "#base/kernel/tenant.ts";
import { revokeKey } from "#features/access/flows/key-lists.ts";
import { createKey } from "#features/access/flows/keys.ts";
import { rotateRoot } from "#features/access/flows/rotation/rotate-root.ts";
import { rotateVerifyToken } from "#features/access/flows/rotation/rotate-verify-token.ts";
import { signOut } from "#features/access/flows/sign-in/sign-out.ts";
import { changeMemberRole, removeMember } from "#features/access/flows/team/members.ts";
import { changeAuthor } from "#features/access/rules/callers.ts";
import { disconnectAccount } from "#features/accounts/flows/disconnect.ts";
import { deleteData } from "#features/accounts/flows/platform-callbacks/delete-data.ts";
import type { AccountDisconnectPorts } from "#features/accounts/ports.ts";
import { eraseConversation } from "#features/erasure/flows/erase.ts";
import type { Journal } from "#features/recovery/journal.ts";
import { setTenantStatus } from "#features/tenants/flows/tenant-status.ts";
import { deleteWebhook, rotateSecret, updateWebhook } from "#features/webhooks/flows.ts";
import type { EndpointRequest } from "#features/webhooks/ports.ts";
import type { EndpointChanges } from "#features/webhooks/rules/endpoints.ts";
import { seedDataSubject, tenantCaller } from "../../../support/flows/data-subject.ts";
import type { TestEnv } from "../../../support/flows/test-env.ts";
import { openStores } from "../../../support/stores/open-stores.ts";
import { sampleEndpoint } from "../../../support/stores/samples.ts";
import { keyVersion } from "../../../support/world/key-rings.ts";
import { openTeamEnv } from "../../access/flows/team/support/team.ts";
import { noStream } from "../../realtime/flows/support/no-stream.ts";
import { runDeletion } from "../../tenants/flows/support/doomed-tenant.ts";

/** An act that can be made, and the ids that its entry must not contain. */
export interface PreparedAct {
  readonly ids: readonly string[];
  make(journal: Journal): Promise<unknown>;
  /** The text of the secret that it changes, where that is not in the table. */
  readonly secret?: () => string;
}

const NEW_URL = "https://93.184.216.34/new";
const cli = { actor: "cli" } as const;
const noQueue = { name: "none", send: async () => {}, sendAll: async () => {} };

/** Each act of the journal, by the kind of its entry. A kind that several flows make has each of them. */
export function openActs(testEnv: TestEnv) {
  const stores = openStores(testEnv.table);
  const team = openTeamEnv(testEnv);
  const keys = { current: keyVersion(new Uint8Array(32)), previous: null, next: null };
  const readKeys = async () => keys;

  /** A tenant with an owner and an agent. */
  async function workspace() {
    const tenant = await team.newTenant();
    return { tenant, owner: await team.newMember(tenant, "owner"), admin: await team.newMember(tenant, "admin") };
  }
  async function member(make: (tenant: TenantId, owner: string, admin: string, journal: Journal) => Promise<unknown>) {
    const { tenant, owner, admin } = await workspace();
    return { ids: [tenant, admin], make: (journal: Journal) => make(tenant, owner, admin, journal) };
  }
  const status = (change: "suspended" | "active") => async (): Promise<PreparedAct> => {
    const { tenant } = await workspace();
    if (change === "active")
      await setTenantStatus(team.ports, tenant, { author: cli, status: "suspended" }, testEnv.now());
    return {
      ids: [tenant],
      make: (journal) =>
        setTenantStatus({ ...team.ports, journal }, tenant, { author: cli, status: change }, testEnv.now()),
    };
  };
  async function endpoint(
    make: (request: EndpointRequest, journal: Journal) => Promise<unknown>,
    status: "active" | "paused" = "active",
  ): Promise<PreparedAct> {
    const tenant = await team.newTenant();
    const endpoint = { ...sampleEndpoint(), status };
    const change = { action: "webhook.create", resource: "-", detail: {}, at: testEnv.now() } as const;
    await stores.endpoints.create(tenant, endpoint, changeAuthor(cli, "admin", change));
    return {
      ids: [tenant, endpoint.id, endpoint.url, NEW_URL],
      make: (journal) => make({ tenant, endpointId: endpoint.id, author: cli, now: testEnv.now() }, journal),
    };
  }
  const update = (changes: EndpointChanges) => (request: EndpointRequest, journal: Journal) =>
    updateWebhook({ ...testEnv.apiPorts({}), journal }, { ...request, changes });
  /** A secret in memory. */
  function storedSecret(text: string) {
    let version = { id: "1", text };
    return {
      current: async () => version,
      replace: async (_current: { readonly id: string }, next: string) => {
        version = { id: `${version.id}1`, text: next };
        return true;
      },
      text: () => version.text,
    };
  }

  return {
    "conversation.erase": async () => {
      const tenant = await team.newTenant();
      const subject = await seedDataSubject(testEnv, tenant, [], { messages: 2 });
      const request = {
        tenant,
        conversationId: subject.conversation,
        author: { caller: tenantCaller(tenant), ip: null },
      };
      return {
        ids: [tenant, subject.person, subject.conversation],
        make: (journal) =>
          eraseConversation(
            { ...testEnv.erasePorts({}), erasureWork: noQueue, journal },
            { ...request, now: testEnv.now(), time: testEnv },
            () => true,
          ),
      };
    },
    "data.delete": async () => {
      const platformUserId = `user-${testEnv.now()}`;
      const ports = { ...stores, accountWork: noQueue, dataDeletionKeys: readKeys };
      return {
        ids: [platformUserId],
        make: (journal) => deleteData({ ...ports, journal }, { platformUserId, now: testEnv.now() }),
      };
    },
    "key.revoke": async () => {
      const { tenant } = await workspace();
      const key = await createKey(
        { ...stores, peppers: readKeys },
        tenant,
        { scope: "live", label: "", author: cli },
        testEnv.now(),
      );
      if ("refused" in key) throw new Error(key.refused);
      return {
        ids: [tenant, key.id],
        make: (journal) =>
          revokeKey({ ...team.ports, journal }, { tenant, keyId: key.id, author: cli, now: testEnv.now() }),
      };
    },
    "sessions.end": () =>
      member(async (_tenant, _owner, admin, journal) =>
        signOut({ ...team.ports, journal }, { author: await team.author(admin), now: testEnv.now() }),
      ),
    "member.remove": () =>
      member(async (tenant, owner, userId, journal) =>
        removeMember(
          { ...team.ports, journal },
          { tenant, userId, author: await team.author(owner), now: testEnv.now() },
        ),
      ),
    "member.lower": () =>
      member(async (tenant, owner, userId, journal) => {
        const request = {
          tenant,
          userId,
          role: "agent",
          author: await team.author(owner),
          now: testEnv.now(),
        } as const;
        return changeMemberRole({ ...team.ports, journal }, request);
      }),
    "tenant.suspend": status("suspended"),
    "tenant.resume": status("active"),
    "tenant.delete": async () => {
      const { tenant } = await workspace();
      return {
        ids: [tenant],
        make: (journal) => runDeletion(testEnv, tenant, () => {}, { journal }),
      };
    },
    "account.disconnect": async () => {
      const tenant = await team.newTenant();
      const externalId = await testEnv.connect(tenant);
      const ports: AccountDisconnectPorts = {
        ...stores,
        ...testEnv.accountsPorts(
          {},
          { accountPlatformFor: async () => ({ unsubscribe: async () => ({ kind: "done" }) }) as never },
        ),
        accountWork: noQueue,
        events: noQueue,
      };
      const request = {
        tenant,
        accountKey: `instagram#${externalId}`,
        author: { caller: tenantCaller(tenant), ip: null },
      };
      return {
        ids: [tenant, externalId],
        make: (journal) =>
          disconnectAccount({ ...ports, journal }, request, { now: testEnv.now, endsAt: Number.POSITIVE_INFINITY }),
      };
    },
    "webhook_secret.rotate": () =>
      endpoint((request, journal) => rotateSecret({ ...stores, vault: testEnv.newVault(), journal }, request)),
    "webhook_url.change": () => endpoint(update({ url: NEW_URL })),
    "webhook.pause": () => endpoint(update({ status: "paused" })),
    "webhook.resume": () => endpoint(update({ status: "active" }), "paused"),
    "webhook.delete": () => endpoint((request, journal) => deleteWebhook({ ...stores, journal }, request)),
    "root_secret.rotate": async () => {
      const rootSecret = storedSecret("the first");
      const ports = {
        ...stores,
        ...noStream,
        rootSecret,
        peppers: readKeys,
        addressKeys: readKeys,
        sessionKeys: readKeys,
        rotationRows: async function* () {},
      };
      return {
        ids: [],
        secret: rootSecret.text,
        make: (journal) => rotateRoot({ ...ports, journal }, { isForced: false, now: testEnv.now() }),
      };
    },
    "verify_token.rotate": async () => {
      const platformSecret = storedSecret(JSON.stringify({ verify_token: "the first" }));
      return {
        ids: [],
        secret: platformSecret.text,
        make: (journal) => rotateVerifyToken({ platformSecret, journal }, testEnv.now()),
      };
    },
  } satisfies Record<string, () => Promise<PreparedAct>>;
}
