import { eventTypes } from "#base/events/events.ts";
import { isRefusal } from "#base/kernel/refusals.ts";
import { startRequestTime } from "#base/kernel/request-time.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { MINUTE, type Millis } from "#base/kernel/time.ts";
import { decodeEvent } from "#features/delivery/event-queue.ts";
import { newBatch } from "#features/delivery/flows/attempt.ts";
import { fanOut } from "#features/delivery/flows/fan-out.ts";
import { retryDelivery } from "#features/delivery/flows/retry.ts";
import type { DeliverPorts } from "#features/delivery/ports.ts";
import { loadRenderedEvent } from "#features/delivery/rendered-events.ts";
import { deliveryStore } from "#features/delivery/store/deliveries.ts";
import { eraseConversation, eraseInBackground } from "#features/erasure/flows/erase.ts";
import type { EraseRequestPorts } from "#features/erasure/ports.ts";
import { decodeErasure } from "#features/erasure/queue.ts";
import { newEffects } from "#features/inbox/effects.ts";
import { applyMessageChange } from "#features/inbox/flows/apply-message-change.ts";
import { ingestMessage } from "#features/inbox/flows/ingest-message.ts";
import type { IngestPorts } from "#features/inbox/ports.ts";
import { conversationId } from "#features/inbox/rules/messages.ts";
import type { MessageUpdate } from "#features/inbox/rules/updates.ts";
import { sendReply } from "#features/sending/flows/reply.ts";
import { createWebhook } from "#features/webhooks/flows.ts";
import type { Platform } from "#platforms/graph/platform.ts";
import type { ApiPorts } from "../../../functions/api/routes.ts";
import { decodeRetry } from "../pipeline/deliveries-messages.ts";
import { PERSON } from "../stores/samples.ts";
import { tenantCaller } from "./data-subject.ts";
import { memoryQueue } from "./memory-queue.ts";
import type { TestEnv } from "./test-env.ts";

export type ErasureFixture = Awaited<ReturnType<typeof openErasureFixture>>;

/**
 * One tenant with one endpoint and one person, who wrote four times, some time ago: the first message's event waits for
 * its first attempt, the second one's delivery waits for a retry, and the deliveries of the others have failed.
 * Platform, receiver, queues and key are doubles; the table is real.
 */
export async function openErasureFixture(testEnv: TestEnv, tenant: TenantId, messageAge: Millis = 0) {
  const now = testEnv.now();
  const externalId = `ig-${tenant}`;
  const account = { platform: "instagram", externalId } as const;
  const conversation = conversationId({ tenant, account, participantId: PERSON });
  const [eventQueue, retryQueue, erasureQueue] = [memoryQueue(), memoryQueue(), memoryQueue()];
  const postedBodies: string[] = [];
  const vault = { open: async () => "secret", seal: async () => new Uint8Array([1]) };
  const webhookClient = {
    send: async ({ body }: { body: string }) => {
      postedBodies.push(body);
      return { kind: "answered", status: 503, retryAfter: null, durationMs: 1 };
    },
    close: async () => {},
  } as unknown as DeliverPorts["webhookClient"];
  const ingestPorts: IngestPorts = {
    ...testEnv.ingestPorts({}),
    events: eventQueue.queue,
    profiles: memoryQueue().queue,
  };
  const erase: EraseRequestPorts = { ...testEnv.erasePorts({}), erasureWork: erasureQueue.queue };
  const deliver: DeliverPorts = {
    ...testEnv.deliverPorts({}, webhookClient),
    vault,
    events: eventQueue.queue,
    retries: retryQueue.queue,
  };
  const accounts = {
    get: async () => ({
      ...account,
      status: "active",
      sealedToken: new Uint8Array([1]),
      connection: "instagram_login",
    }),
  } as unknown as ApiPorts["accounts"];
  const sendOnce = async () => ({ kind: "accepted", messageId: `${tenant} reply` });
  const fetchProfile = async () => ({ kind: "found", name: "Ada", username: null, pictureUrl: null });
  const platform = { textTooLong: () => false, send: sendOnce, fetchProfile } as unknown as Platform;
  const api: ApiPorts = {
    ...testEnv.apiPorts({}),
    retries: retryQueue.queue,
    erasureWork: erasureQueue.queue,
    accounts,
    vault,
    events: eventQueue.queue,
    platformFor: async () => platform,
  };
  const resolvedAccount = { tenant, handle: "@shop", shards: 1, lastErasureAt: null };

  const textUpdate = (id: string, at: number, rest: Partial<MessageUpdate> = {}): MessageUpdate => ({
    kind: "message",
    account,
    participantId: PERSON,
    at,
    messageId: `${tenant} ${id}`,
    form: "message",
    text: `said ${id}`,
    attachments: [],
    replyTo: null,
    echo: null,
    ...rest,
  });
  const ingest = async (messageUpdate: MessageUpdate, lastErasureAt: number | null = null) => {
    const effects = newEffects();
    const snapshot = (await ingestPorts.conversations.snapshots([conversation])).get(conversation);
    if (!snapshot) throw new Error("The conversation has no snapshot.");
    const account = { ...resolvedAccount, lastErasureAt };
    await ingestMessage(ingestPorts, messageUpdate, { account, snapshot, effects, now: testEnv.now() });
    eventQueue.bodies.push(...effects.events.map(({ body }) => body));
  };
  const ingestEdit = async (at: number) => {
    const effects = newEffects();
    const snapshot = (await ingestPorts.conversations.snapshots([conversation])).get(conversation);
    if (!snapshot) throw new Error("The conversation has no snapshot.");
    const edit = { kind: "edit", account, participantId: PERSON, at, messageId: `${tenant} first`, text: "edited" };
    await applyMessageChange(
      ingestPorts,
      { ...edit, kind: "edit", editCount: 1, by: "participant" },
      { account: resolvedAccount, snapshot, effects, now: testEnv.now() },
    );
    eventQueue.bodies.push(...effects.events.map(({ body }) => body));
  };
  const deliverEvent = async (body: string) => {
    const event = decodeEvent(body);
    if (!event) throw new Error("The event message cannot be read.");
    const rendered = await loadRenderedEvent(deliver, tenant, event);
    const { endpoints } = await deliver.endpoints.listWithSockets(tenant);
    await fanOut(deliver, { event: { ...event, repeated: true }, rendered, endpoints }, newBatch(testEnv.now, false));
  };

  const author = { caller: tenantCaller(tenant), ip: null };
  const webhookRequest = { tenant, url: "http://127.0.0.1:9/", events: eventTypes, author, now };
  const created = await createWebhook({ ...api, vault }, webhookRequest);
  if (isRefusal(created)) throw new Error(`The endpoint was refused: ${created.detail}`);
  const { id } = created.endpoint;
  const ingestText = async (messageName: string, ago: Millis) => {
    await ingest(textUpdate(messageName, now - messageAge - ago));
    const [body = ""] = eventQueue.bodies.splice(0);
    return { body, eventUlid: decodeEvent(body)?.eventUlid ?? "" };
  };
  const { body: undeliveredBody } = await ingestText("first", 20);
  const { body: failedBody, eventUlid } = await ingestText("second", 10);
  await deliverEvent(failedBody);
  const failedEvents: string[] = [];
  for (const [messageName, status] of [
    ["third", "dlq"],
    ["fourth", "failed"],
  ] as const) {
    const { body, eventUlid } = await ingestText(messageName, 15);
    const { source = null } = decodeEvent(body) ?? {};
    const delivery = { endpointId: id, eventUlid, eventType: "message.received", source } as const;
    const outcome = { kind: "answered", status: 503, retryAfter: null, durationMs: 1 } as const;
    await deliveryStore(testEnv.table).recordFirst(tenant, delivery, { verdict: { status }, outcome, settledAt: now });
    failedEvents.push(eventUlid);
  }
  postedBodies.length = 0;
  retryQueue.bodies.length = 0;

  return {
    tenant,
    conversation,
    endpointId: id,
    api,
    profilePorts: {
      ...testEnv.profilePorts(""),
      events: eventQueue.queue,
      accounts,
      vault,
      platformFor: async () => platform,
    },
    posted: postedBodies,
    failedEvents,
    events: eventQueue.bodies,
    update: textUpdate,
    ingest,
    ingestEdit,
    deliverEvent,
    undeliveredBody,
    eraseNow: (at = testEnv.now()) =>
      eraseConversation(
        erase,
        {
          tenant,
          conversationId: conversation,
          author: { caller: tenantCaller(tenant), ip: null },
          now: at,
          time: { now: () => at },
        },
        () => true,
      ),
    reply: (at: number) =>
      sendReply(api, {
        caller: tenantCaller(tenant),
        reply: { conversationId: conversation, text: "hi", replyTo: null },
        time: startRequestTime(() => at),
      }),
    retry: (at: number) =>
      retryDelivery(
        deliver,
        { tenant, endpointId: id, eventUlid, attempt: 2 },
        newBatch(() => at, false),
      ),
    /** Runs every attempt on the queue. Each message stays there, as it may be delivered again. */
    runRetries: (at: number) =>
      Promise.all(
        retryQueue.bodies.flatMap((body) => {
          const message = decodeRetry(body);
          return message
            ? [
                retryDelivery(
                  deliver,
                  message,
                  newBatch(() => at, false),
                ),
              ]
            : [];
        }),
      ),
    /** Runs the background work until the erasure is complete. */
    async drainErasures(): Promise<void> {
      for (let rounds = 0; erasureQueue.bodies.length > 0; rounds++) {
        if (rounds > 20) throw new Error("The erasure did not complete.");
        testEnv.advance(MINUTE);
        for (const body of erasureQueue.bodies.splice(0)) {
          const message = decodeErasure(body);
          if (message) await eraseInBackground(erase, message, { now: testEnv.now, hasTime: () => true });
        }
      }
    },
    listDeliveries: async () =>
      (
        await deliveryStore(testEnv.table).list(tenant, {
          endpointId: id,
          before: null,
          limit: 100,
          now: testEnv.now(),
        })
      ).rows,
  };
}
