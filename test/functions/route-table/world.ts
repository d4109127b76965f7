import { newUlid } from "#base/kernel/ids.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { DAY, MINUTE } from "#base/kernel/time.ts";
import { createOperatorKey } from "#features/access/flows/keys.ts";
import { deliveryId } from "#features/delivery/rules/deliveries.ts";
import { holdStore } from "#features/holds/store/holds.ts";
import { conversationId } from "#features/inbox/rules/messages.ts";
import { conversationStore } from "#features/inbox/store/conversations.ts";
import { messageStore } from "#features/inbox/store/messages.ts";
import { setTenantStatus } from "#features/tenants/flows/tenant-status.ts";
import { newUploadId } from "#features/uploads/rules/uploads.ts";
import { uploadStore } from "#features/uploads/store/uploads.ts";
import { createKey } from "../../features/access/flows/support/api-keys.ts";
import {
  createInvite,
  createMember,
  createTenant,
  sampleInvite,
} from "../../features/access/store/support/team-samples.ts";
import { openCutOff } from "../../features/realtime/flows/support/no-stream.ts";
import { createEndpointAt } from "../../support/flows/test-endpoints.ts";
import type { TestEnv } from "../../support/flows/test-env.ts";
import type { ApiApp } from "../../support/routes/api-app.ts";
import { holdAuditEntry, sampleHold } from "../../support/stores/hold-samples.ts";
import { PERSON, SAMPLE_INBOX, sampleMessage } from "../../support/stores/samples.ts";
import { sampleUpload } from "../../support/stores/upload-samples.ts";
import type { ResourceKind } from "./rows.ts";

/** Ids as a request has them: percent-encoded. */
type Ids = Readonly<Record<ResourceKind, string>>;

export interface RouteWorld {
  readonly own: TenantId;
  readonly theirs: TenantId;
  readonly paused: TenantId;
  /** Ids of the own tenant's form that name nothing. */
  readonly unknownIds: Ids;
  readonly pausedIds: Ids;
  readonly ownIds: Ids;
  /** Of another tenant, expired or impossible, each with what it is. */
  readonly foreignIds: Readonly<Record<ResourceKind, Readonly<Record<string, string>>>>;
}

/** Three tenants with one resource of each kind: the caller's own, another and a suspended one, which is to be paused. */
export async function openRouteWorld(testEnv: TestEnv, api: ApiApp): Promise<RouteWorld> {
  const { table } = testEnv;
  const [own, theirs, paused] = [await createTenant(table), await createTenant(table), await createTenant(table)];
  const queues = await testEnv.newQueues();

  const conversationOf = (tenant: TenantId, person = PERSON) =>
    conversationId({
      tenant,
      account: { platform: "instagram", externalId: `ig-${tenant}` },
      participantId: person,
    });
  async function recordInbound(tenant: TenantId, sentAt: number, person = PERSON): Promise<string> {
    const id = `mid-${tenant}-${person}`;
    const message = sampleMessage(tenant, {
      id,
      account: { platform: "instagram", externalId: `ig-${tenant}` },
      conversationId: conversationOf(tenant, person),
      participant: { id: person, handle: null, username: null, name: null },
      sentAt,
    });
    await messageStore(table).record(tenant, message, testEnv.now());
    await conversationStore(table).advanceHead(tenant, message, SAMPLE_INBOX);
    return id;
  }
  async function createHold(tenant: TenantId): Promise<string> {
    const times = { createdAt: testEnv.now(), expiresAt: testEnv.now() + 15 * MINUTE };
    const hold = sampleHold(tenant, { ...times, conversationId: conversationOf(tenant) });
    await holdStore(table).create(hold, testEnv.now(), holdAuditEntry(hold));
    return hold.id;
  }
  async function newUpload(tenant: TenantId): Promise<string> {
    const upload = sampleUpload(tenant, {
      id: newUploadId(testEnv.now()),
      conversationId: conversationOf(tenant),
    });
    await uploadStore(table).create(upload, testEnv.now());
    return upload.id;
  }
  async function newInvite(tenant: TenantId): Promise<string> {
    const invite = sampleInvite(tenant);
    await createInvite(table, invite);
    return invite.id;
  }
  async function createResources(tenant: TenantId): Promise<Ids> {
    await testEnv.connect(tenant);
    const message = await recordInbound(tenant, testEnv.now());
    const endpoint = (await createEndpointAt(testEnv, queues, tenant, "http://127.0.0.1:9/")).id;
    const settings = { scope: "live", label: "", author: { actor: "cli" } } as const;
    return {
      conversation: encodeURIComponent(conversationOf(tenant)),
      message,
      endpoint,
      delivery: deliveryId(newUlid(testEnv.now()), endpoint),
      hold: await createHold(tenant),
      upload: await newUpload(tenant),
      key: (await createKey(api.ports, tenant, settings, testEnv.now())).id,
      member: (await createMember(table, tenant, "agent")).id,
      invite: await newInvite(tenant),
      account: encodeURIComponent(`instagram#ig-${tenant}`),
      tenant,
    };
  }

  const [ownIds, theirIds, pausedIds] = [
    await createResources(own),
    await createResources(theirs),
    await createResources(paused),
  ];
  const expiredMessage = await recordInbound(own, testEnv.now() - 7 * DAY, "5550001");
  const operatorKey = { scope: "live", label: "", author: { actor: "cli" } } as const;
  const foreign = (kind: ResourceKind, more: Record<string, string> = {}) => ({
    "another tenant's": theirIds[kind],
    "a suspended tenant's": pausedIds[kind],
    ...more,
    "no id at all": "%20",
    "a path": "..%2F..%2Fadmin",
    "a null byte": "%00",
    "very long": "x".repeat(3_000),
  });
  const world: RouteWorld = {
    own,
    theirs,
    paused,
    ownIds,
    pausedIds,
    unknownIds: {
      conversation: encodeURIComponent(conversationOf(own, "5550009")),
      message: "unsent-message",
      endpoint: newUlid(1),
      delivery: deliveryId(newUlid(1), ownIds.endpoint),
      hold: `hold_${newUlid(1)}`,
      upload: newUploadId(testEnv.now()),
      key: newUlid(1),
      member: `usr_${newUlid(1)}`,
      invite: `inv_${newUlid(1)}`,
      account: "instagram%23unknown",
      tenant: "unknown-tenant",
    },
    foreignIds: {
      conversation: foreign("conversation", {
        expired: encodeURIComponent(conversationOf(own, "5550001")),
        "its parts in another order": encodeURIComponent(`CONV#instagram#${own}#1#2`),
        "encoded twice": encodeURIComponent(ownIds.conversation),
      }),
      message: foreign("message", { expired: expiredMessage }),
      endpoint: foreign("endpoint", { "a lower-case id": ownIds.endpoint.toLowerCase() }),
      delivery: foreign("delivery", { "of no event": ownIds.delivery }),
      hold: foreign("hold", { "of another form": "hold_1" }),
      upload: foreign("upload", {
        "a lower-case id": ownIds.upload.toLowerCase(),
        "a day old": newUploadId(testEnv.now() - DAY),
      }),
      key: foreign("key", {
        "an operator's": (await createOperatorKey(api.ports, [own], operatorKey, testEnv.now())).id,
        "a lower-case id": ownIds.key.toLowerCase(),
      }),
      member: foreign("member", {
        "a lower-case id": ownIds.member.toLowerCase(),
        "an id without its prefix": ownIds.member.slice(4),
      }),
      invite: foreign("invite", {
        "a lower-case id": ownIds.invite.toLowerCase(),
        "an id without its prefix": ownIds.invite.slice(4),
      }),
      account: foreign("account", {
        "its number sign encoded twice": encodeURIComponent(ownIds.account),
        "without its number sign": ownIds.account.replace("%23", ""),
        "of an unknown platform": ownIds.account.replace("instagram", "telegram"),
        "of another platform": ownIds.account.replace("instagram", "messenger"),
        "with a third part": `${ownIds.account}%23more`,
      }),
      tenant: foreign("tenant", { "in capitals": own.toUpperCase(), "too long": `${own}${"x".repeat(40)}` }),
    },
  };
  const suspension = { status: "suspended", author: { actor: "cli" } } as const;
  await setTenantStatus(openCutOff(table), paused, suspension, testEnv.now());
  return world;
}
