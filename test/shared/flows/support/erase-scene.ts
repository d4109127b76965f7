import type { Queue } from "../../../../shared/aws/queues.ts";
import { eventTypes } from "../../../../shared/domain/events/events.ts";
import { conversationId } from "../../../../shared/domain/inbox/conversations.ts";
import type { MessageUpdate } from "../../../../shared/domain/inbox/updates.ts";
import { fanOut, newGathered } from "../../../../shared/flows/delivery/fan-out.ts";
import { renderedEventOf } from "../../../../shared/flows/delivery/rendered-events.ts";
import { retryDelivery } from "../../../../shared/flows/delivery/retry.ts";
import { eraseInBackground } from "../../../../shared/flows/erasure/background.ts";
import { eraseConversation } from "../../../../shared/flows/erasure/erase.ts";
import { takeChange } from "../../../../shared/flows/inbox/apply-change.ts";
import { noEffects } from "../../../../shared/flows/inbox/effects.ts";
import { takeMessage } from "../../../../shared/flows/inbox/ingest-message.ts";
import type { ApiPorts, DeliverPorts, ErasePorts, IngestPorts } from "../../../../shared/flows/ports.ts";
import { sendReply } from "../../../../shared/flows/sending/reply.ts";
import { createWebhook } from "../../../../shared/flows/webhooks/create.ts";
import { isRefusal } from "../../../../shared/kernel/refusals.ts";
import type { TenantId } from "../../../../shared/kernel/tenant.ts";
import { MINUTE, type Millis } from "../../../../shared/kernel/time.ts";
import type { Platform } from "../../../../shared/platforms/platform.ts";
import { readErasure, readEvent, readRetry } from "../../../../shared/queues/messages.ts";
import { deliveryStore } from "../../../../shared/stores/delivery/deliveries.ts";
import { PERSON } from "../../stores/support/samples.ts";
import { callerOf } from "./erasing.ts";
import type { House } from "./house.ts";

const nowhere = { inbound: "", events: "", deliveries: "", profiles: "", erasures: "" };

/** A queue that only remembers. */
function listQueue(): { queue: Queue; bodies: string[] } {
  const bodies: string[] = [];
  const queue: Queue = {
    send: async ({ body }) => void bodies.push(body),
    sendAll: async (messages) => void bodies.push(...messages.map(({ body }) => body)),
    postpone: async () => {},
  };
  return { queue, bodies };
}

export type Scene = Awaited<ReturnType<typeof openScene>>;

/**
 * One tenant with one endpoint and one person, who wrote four times, some time ago: the first message's event waits for
 * its first attempt, the second one's delivery for its next, and those of the others have been given up. Platform,
 * receiver, queues and key are doubled; the table is real.
 */
export async function openScene(house: House, tenant: TenantId, wroteAgo: Millis = 0) {
  const now = house.now();
  const externalId = `ig-${tenant}`;
  const account = { platform: "instagram", externalId } as const;
  const conversation = conversationId({ tenant, account, participantId: PERSON });
  const [events, retries, work] = [listQueue(), listQueue(), listQueue()];
  const posted: string[] = [];
  const vault = { open: async () => "secret", seal: async () => new Uint8Array([1]) };
  const poster = {
    post: async ({ body }: { body: string }) => {
      posted.push(body);
      return { kind: "answered", status: 503, retryAfter: null, durationMs: 1 };
    },
    close: async () => {},
  } as unknown as DeliverPorts["poster"];
  const ingest: IngestPorts = { ...house.ingestPorts(nowhere), events: events.queue, profiles: listQueue().queue };
  const erase: ErasePorts = { ...house.erasePorts(nowhere), erasureWork: work.queue };
  const deliver: DeliverPorts = {
    ...house.deliverPorts(nowhere, poster),
    vault,
    events: events.queue,
    retries: retries.queue,
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
    ...house.apiPorts(nowhere),
    retries: retries.queue,
    erasureWork: work.queue,
    accounts,
    vault,
    events: events.queue,
    platformOf: () => platform,
  };
  const home = { tenant, handle: "@shop", shards: 1, lastErasureAt: null };

  const update = (id: string, at: number, rest: Partial<MessageUpdate> = {}): MessageUpdate => ({
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
  const take = async (one: MessageUpdate, lastErasureAt: number | null = null) => {
    const effects = noEffects();
    const glimpse = (await ingest.conversations.peek([conversation])).get(conversation);
    if (!glimpse) throw new Error("There is no glimpse.");
    await takeMessage(ingest, { ...home, lastErasureAt }, one, glimpse, effects, house.now());
    events.bodies.push(...effects.announcements.map(({ body }) => body));
  };
  const change = async (at: number) => {
    const effects = noEffects();
    const glimpse = (await ingest.conversations.peek([conversation])).get(conversation);
    if (!glimpse) throw new Error("There is no glimpse.");
    const edit = { kind: "edit", account, participantId: PERSON, at, messageId: `${tenant} first`, text: "edited" };
    await takeChange(ingest, home, { ...edit, kind: "edit", editCount: 1 }, glimpse, effects, house.now());
    events.bodies.push(...effects.announcements.map(({ body }) => body));
  };
  const announceOne = async (body: string) => {
    const event = readEvent(body);
    if (!event) throw new Error("An announcement cannot be read.");
    const rendered = await renderedEventOf(deliver, tenant, event);
    const endpoints = await deliver.endpoints.list(tenant);
    await fanOut(deliver, { ...event, repeated: true }, rendered, endpoints, newGathered(), house.now);
  };

  const hook = { url: "http://127.0.0.1:9/", events: eventTypes, caller: callerOf(tenant), ip: null };
  const created = await createWebhook({ ...api, vault }, tenant, hook, now);
  if (isRefusal(created)) throw new Error(`The endpoint was refused: ${created.detail}`);
  const { id } = created.endpoint;
  const says = async (what: string, ago: Millis) => {
    await take(update(what, now - wroteAgo - ago));
    const [announced = ""] = events.bodies.splice(0);
    return { announced, eventUlid: readEvent(announced)?.eventUlid ?? "" };
  };
  const { announced: waits } = await says("first", 20);
  const { announced: failed, eventUlid } = await says("second", 10);
  await announceOne(failed);
  const givenUp: string[] = [];
  for (const [what, status] of [
    ["third", "dlq"],
    ["fourth", "failed"],
  ] as const) {
    const { announced, eventUlid } = await says(what, 15);
    const { source = null } = readEvent(announced) ?? {};
    const delivery = { endpointId: id, eventUlid, eventType: "message.received", source } as const;
    const outcome = { kind: "answered", status: 503, retryAfter: null, durationMs: 1 } as const;
    await deliveryStore(house.table).recordFirst(tenant, delivery, { status }, outcome, now);
    givenUp.push(eventUlid);
  }
  posted.length = 0;
  retries.bodies.length = 0;

  return {
    tenant,
    conversation,
    endpointId: id,
    api,
    profilePorts: { ...house.profilePorts(""), accounts, vault, platformOf: () => platform },
    posted,
    givenUp,
    events: events.bodies,
    update,
    take,
    change,
    announceOne,
    waits,
    eraseNow: (at = house.now()) =>
      eraseConversation(
        erase,
        tenant,
        { conversationId: conversation, caller: callerOf(tenant), ip: null },
        () => true,
        at,
      ),
    reply: (at: number) =>
      sendReply(api, callerOf(tenant), { conversationId: conversation, text: "hi", replyTo: null }, () => at),
    retry: (at: number) =>
      retryDelivery(deliver, { tenant, endpointId: id, eventUlid, attempt: 2 }, newGathered(), () => at),
    /** Every attempt that waits on the queue; each stays there, as it may come again. */
    attempts: (at: number) =>
      Promise.all(
        retries.bodies.flatMap((body) => {
          const message = readRetry(body);
          return message ? [retryDelivery(deliver, message, newGathered(), () => at)] : [];
        }),
      ),
    /** The background, from now to the erasure's end. */
    async untilOver(): Promise<void> {
      for (let rounds = 0; work.bodies.length > 0; rounds++) {
        if (rounds > 20) throw new Error("The erasure does not end.");
        house.turn(MINUTE);
        for (const body of work.bodies.splice(0)) {
          const message = readErasure(body);
          if (message) await eraseInBackground(erase, message, () => true, house.now());
        }
      }
    },
    deliveriesOf: async () =>
      (await deliveryStore(house.table).list(tenant, { endpointId: id, before: null, limit: 100, now: house.now() }))
        .rows,
  };
}
