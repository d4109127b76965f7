import { expect, it } from "vitest";
import { isRefusal } from "#base/kernel/refusals.ts";
import { startRequestTime } from "#base/kernel/request-time.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { MINUTE } from "#base/kernel/time.ts";
import { listKeys, revokeKey } from "#features/access/flows/key-lists.ts";
import { createKey } from "#features/access/flows/keys.ts";
import { createInvite, listInvites, resendInvite, revokeInvite } from "#features/access/flows/team/invites.ts";
import { changeMemberRole, removeMember } from "#features/access/flows/team/members.ts";
import type { CallerAuthor, SessionCaller } from "#features/access/rules/callers.ts";
import { replayWindow } from "#features/delivery/flows/replay-window.ts";
import { replayDelivery } from "#features/delivery/replay.ts";
import { deliveryId } from "#features/delivery/rules/deliveries.ts";
import type { DeliveryRow } from "#features/delivery/store/items.ts";
import { eraseConversation } from "#features/erasure/flows/erase.ts";
import { sendReply } from "#features/sending/flows/reply.ts";
import { createTenant } from "#features/tenants/flows/tenants.ts";
import { changeTenant } from "#features/tenants/own-tenants.ts";
import { createWebhook, deleteWebhook, rotateSecret, sendTestEvent, updateWebhook } from "#features/webhooks/flows.ts";
import type { Endpoint } from "#features/webhooks/rules/endpoints.ts";
import { injectFaults } from "../../../../support/faults.ts";
import { drainErasures } from "../../../../support/flows/data-subject.ts";
import { openReplyFixture, type ReplyFixture } from "../../../../support/flows/reply-fixture.ts";
import { recordMessage } from "../../../../support/flows/test-endpoints.ts";
import { newEmail, type TeamEnv, useTeam } from "./support/team.ts";

const { testEnv, team } = useTeam();

const url = (path: string) => `http://127.0.0.1:9/${path}`;
const refused = { refused: "role_forbidden" };

/** A tenant with one of everything that a person changes: an endpoint, a delivery, a key, an invite, a conversation. */
async function openWorkspace() {
  testEnv.advance(MINUTE);
  const conversation = await openReplyFixture(testEnv);
  const { tenant } = conversation;
  const ports = { ...team.ports, ...conversation.ports() };
  const now = testEnv.now();
  const cli = { actor: "cli" };
  await createTenant(team.ports, tenant, { name: "Shop", ownerEmail: null, author: cli }, now);
  const [owner, agent] = [await team.newMember(tenant, "owner"), await team.newMember(tenant, "agent")];
  const created = await createWebhook(ports, { tenant, url: url("a"), events: ["test.event"], author: cli, now });
  const key = await createKey(ports, tenant, { scope: "live", label: "", author: cli }, now);
  const author = await team.author(owner);
  const invite = await createInvite(team.ports, { tenant, email: newEmail(), role: "agent", author, now });
  if (isRefusal(created) || isRefusal(key) || isRefusal(invite)) throw new Error("The workspace is incomplete.");
  const { message, ref } = await recordMessage(testEnv, tenant);
  const delivery = { endpointId: created.endpoint.id, eventUlid: message.eventUlid, source: ref } as const;
  const failed = { verdict: { status: "dlq" }, outcome: null, settledAt: now } as const;
  await ports.deliveries.recordFirst(tenant, { ...delivery, eventType: "message.received" }, failed);
  const row = await ports.deliveries.get(tenant, created.endpoint.id, message.eventUlid);
  if (!row) throw new Error("The delivery has no row.");
  return { conversation, ports, tenant, owner, agent, key, invite, endpoint: created.endpoint, row };
}
type Workspace = Awaited<ReturnType<typeof openWorkspace>>;

/** What the writes change. The requests of a person who was removed leave all of it as it is. */
async function readState({ ports, tenant, endpoint, conversation }: Workspace, actor: string) {
  const { rows: audits } = await ports.audit.list(tenant, { before: null, limit: 200, now: testEnv.now() });
  const query = { endpointId: endpoint.id, before: null, limit: 100, now: testEnv.now() };
  return {
    audits: audits.filter((audit) => audit.actor === `console:${actor}`),
    endpoints: await ports.endpoints.list(tenant, { consistent: true }),
    deliveries: (await ports.deliveries.list(tenant, query)).rows,
    keys: await listKeys(ports, tenant, testEnv.now()),
    invites: await listInvites(team.ports, tenant, testEnv.now()),
    members: (await team.ports.memberships.list(tenant)).filter(({ userId }) => userId !== actor),
    tenant: await ports.tenants.get(tenant),
    head: (await ports.erasures.getWithHead(conversation.id, testEnv.now())).head,
  };
}

interface Request {
  readonly tenant: TenantId;
  readonly author: CallerAuthor<SessionCaller>;
  readonly now: number;
}
type Write = (request: Request, workspace: Workspace) => Promise<unknown>;

const endpointWrite =
  (write: (ports: ReplyPorts, request: Request & { readonly endpointId: string }) => Promise<unknown>): Write =>
  (request, { ports, endpoint }: { readonly ports: ReplyPorts; readonly endpoint: Endpoint }) =>
    write(ports, { ...request, endpointId: endpoint.id });
type ReplyPorts = ReturnType<ReplyFixture["ports"]>;

const replayRequest = ({ author }: Request, { endpointId, eventUlid }: DeliveryRow) => ({
  author,
  endpointId,
  deliveryId: deliveryId(eventUlid, endpointId),
  force: false,
});

const writes: Readonly<Record<string, Write>> = {
  "creates an endpoint": (request, { ports }) =>
    createWebhook(ports, { ...request, url: url("b"), events: ["test.event"] }),
  "updates an endpoint": endpointWrite((ports, request) =>
    updateWebhook(ports, { ...request, changes: { url: url("c") } }),
  ),
  "rotates a signing secret": endpointWrite(rotateSecret),
  "deletes an endpoint": endpointWrite(deleteWebhook),
  "sends a test event": endpointWrite(sendTestEvent),
  "replays a delivery": (request, { ports, row }) =>
    replayDelivery(ports, request.tenant, replayRequest(request, row), request.now),
  "replays a window": endpointWrite((ports, request) => {
    const window = { from: 0, to: request.now, statuses: ["dlq"], force: false, after: null, limit: 10 } as const;
    return replayWindow(ports, { ...request, window });
  }),
  "creates a key": ({ tenant, author, now }, { ports }) =>
    createKey(ports, tenant, { author, scope: "live", label: "" }, now),
  "revokes a key": (request, { ports, key }) => revokeKey(ports, { ...request, keyId: key.id }),
  "erases a conversation": ({ tenant, author, now }, { ports, conversation }) =>
    eraseConversation(ports, { tenant, author, conversationId: conversation.id, now, time: testEnv }, () => true),
  "invites an address": ({ tenant, author, now }) =>
    createInvite(team.ports, { tenant, email: newEmail(), role: "admin", author, now }),
  "sends an invite again": ({ tenant, author, now }, { invite }) =>
    resendInvite(team.ports, { tenant, inviteId: invite.id, author, now: now + MINUTE }),
  "revokes an invite": ({ tenant, author, now }, { invite }) =>
    revokeInvite(team.ports, { tenant, inviteId: invite.id, author, now }),
  "changes a role": ({ tenant, author, now }, { agent: userId }) =>
    changeMemberRole(team.ports, { tenant, userId, role: "owner", author, now }),
  "removes a member": ({ tenant, author, now }, { agent: userId }) =>
    removeMember(team.ports, { tenant, userId, author, now }),
  "renames the tenant": ({ tenant, author, now }) =>
    changeTenant(team.ports, { slug: tenant, change: { name: "Other" }, author, now }),
};

const changes = {
  removed: removeMember,
  demoted: (ports: TeamEnv["ports"], request: Parameters<typeof removeMember>[1]) =>
    changeMemberRole(ports, { ...request, role: "agent" }),
};

/** Runs a write of an owner, who is removed or demoted before its k-th call to the table. */
async function race(workspace: Workspace, write: Write, { change, k }: { change: keyof typeof changes; k: number }) {
  const { tenant, owner } = workspace;
  const userId = await team.newMember(tenant, "owner");
  const request: Request = { tenant, author: await team.author(userId), now: testEnv.now() };
  const removal = { tenant, userId, author: await team.author(owner), now: testEnv.now() };
  const before = await readState(workspace, userId);
  let calls = 0;
  let isRemoving = false;
  const end = injectFaults(testEnv.client, async (): Promise<"pass"> => {
    if (!isRemoving && calls++ === k) {
      isRemoving = true;
      await changes[change](team.ports, removal);
      isRemoving = false;
    }
    return "pass";
  });
  const answer = (await write(request, workspace)) ?? {};
  end();
  await drainErasures(testEnv, workspace.conversation.queues);
  return { answer, before, after: await readState(workspace, userId), isRemoved: calls > k };
}

it.each(Object.entries(writes))(
  "a request in progress of an owner that %s is refused, or was done before the owner was removed",
  async (_, write) => {
    for (let k = 0, isRemoved = true; isRemoved; k++) {
      const result = await race(await openWorkspace(), write, { change: "removed", k });
      ({ isRemoved } = result);
      const { answer, before, after } = result;
      // Right after the credential was read, and before anything else: always refused.
      if (k === 0) expect(answer).toEqual(refused);
      if (!isRemoved) expect(isRefusal(answer)).toBe(false);
      if (isRefusal(answer)) {
        expect(answer).toEqual(refused);
        expect(after).toEqual(before);
      } else expect(after.audits).toHaveLength(before.audits.length + 1);
    }
  },
);

it.each(Object.entries(writes))(
  "a request in progress of an owner that %s is refused after the owner was demoted",
  async (_, write) => {
    const { answer, before, after } = await race(await openWorkspace(), write, { change: "demoted", k: 0 });
    expect(answer).toEqual(refused);
    expect(after).toEqual(before);
  },
);

it("a reply of an agent who was removed after their credential was read is sent", async () => {
  const { conversation, tenant, owner, agent } = await openWorkspace();
  const { caller } = await team.author(agent);
  await removeMember(team.ports, { tenant, userId: agent, author: await team.author(owner), now: testEnv.now() });
  const reply = { conversationId: conversation.id, text: "hi", replyTo: null };
  const time = startRequestTime(testEnv.now);
  expect(await sendReply(conversation.ports(), { caller, reply, time })).toHaveProperty("messageId");
  const next = (await team.author(agent)).caller;
  expect(await sendReply(conversation.ports(), { caller: next, reply, time })).toEqual({
    refused: "conversation_not_found",
  });
});
