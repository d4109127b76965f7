import { startRequestTime } from "#base/kernel/request-time.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { PlatformName } from "#features/accounts/rules/accounts.ts";
import { decodeEvent, type EventMessage } from "#features/delivery/event-queue.ts";
import { newEffects } from "#features/inbox/effects.ts";
import { ingestUpdates } from "#features/inbox/flows/ingest-updates.ts";
import { accountResolver } from "#features/inbox/flows/resolve-account.ts";
import { conversationId, type Message } from "#features/inbox/rules/messages.ts";
import type { MessageUpdate, Update } from "#features/inbox/rules/updates.ts";
import { conversationStore } from "#features/inbox/store/conversations.ts";
import { messageStore } from "#features/inbox/store/messages.ts";
import { sendReply } from "#features/sending/flows/reply.ts";
import type { RequestedAttachment } from "#features/sending/rules/send-content.ts";
import type { Platform, SendOutcome } from "#platforms/graph/platform.ts";
import type { ApiPorts } from "../../../functions/api/routes.ts";
import { linkTestAccount } from "../../features/accounts/flows/support/link-test-account.ts";
import { Crash } from "../faults.ts";
import { queryItems } from "../stores/items.ts";
import { openStores } from "../stores/open-stores.ts";
import { newTenant, PERSON } from "../stores/samples.ts";
import { receiveEvents as receiveQueuedEvents } from "./queue-worker.ts";
import type { TestEnv } from "./test-env.ts";

/** A reply that was sent to the platform and has no response yet. */
export interface PendingReply {
  readonly metadata: string;
  /** Responds as the platform and waits for the sender. @returns the caller's result or the error */
  answer(outcome: SendOutcome): Promise<unknown>;
  /** Ends the process while it waits for the platform. */
  crash(): Promise<unknown>;
}

export type ConversationFixture = Awaited<ReturnType<typeof openConversationFixture>>;

/**
 * One conversation of a new tenant in which the person wrote just now, seen from both sides: replies whose response
 * the test controls, and the platform's updates about the account's messages.
 */
export async function openConversationFixture(testEnv: TestEnv, platform: PlatformName = "instagram") {
  const tenant = newTenant();
  const queues = await testEnv.newQueues();
  const account = { platform, externalId: `${platform}-${tenant}` };
  const id = conversationId({ tenant, account, participantId: PERSON });
  const connection = platform === "messenger" ? "messenger" : "instagram_login";
  await linkTestAccount(
    { ...openStores(testEnv.table), vault: testEnv.newVault() },
    {
      tenant,
      account: { ...account, connection, handle: "@shop", displayName: "Shop", pageId: null },
      token: "a token",
      author: { actor: "cli" },
      now: testEnv.now(),
    },
  );
  const eventBodies: string[] = [];

  /** Ingests one update in a new worker process. */
  async function ingest(update: Partial<MessageUpdate> & { messageId: string }): Promise<void> {
    const messageUpdate: MessageUpdate = {
      kind: "message",
      account,
      participantId: PERSON,
      at: testEnv.now(),
      form: "message",
      text: "hello",
      attachments: [],
      replyTo: null,
      echo: null,
      ...update,
    };
    await ingestUpdate(messageUpdate);
  }

  async function ingestUpdate(update: Update): Promise<void> {
    const ports = testEnv.ingestPorts(queues);
    const effects = newEffects();
    await ingestUpdates(ports, accountResolver(ports), [update], { effects, now: testEnv.now() });
    await ports.events.sendAll(effects.events);
  }

  async function receiveEvents(): Promise<EventMessage[]> {
    eventBodies.push(...(await receiveQueuedEvents(testEnv, queues)).map(({ body }) => body));
    return eventBodies.map((body) => {
      const event = decodeEvent(body);
      if (!event) throw new Error("The event message cannot be read.");
      return event;
    });
  }

  await ingest({ messageId: `${tenant}-hello` });
  return {
    tenant,
    id,
    account,
    queues,
    /** Ingests a platform update in a new worker process. */
    take: ingest,

    /** Every message event published so far, in no order. */
    async messageEvents() {
      return (await receiveEvents()).flatMap(({ eventUlid, type, source, repeated }) =>
        source ? [{ eventUlid, type, position: source.position, repeated }] : [],
      );
    },

    /** Every event published so far that has its own body, in no order. */
    async standaloneEvents() {
      return (await receiveEvents()).flatMap(({ eventUlid, type, source }) => (source ? [] : [{ eventUlid, type }]));
    },

    /** Ingests an echo: the account sent something. Without `rest`, it names neither app nor metadata. */
    echo(messageId: string, text: string, rest: Partial<MessageUpdate> = {}): Promise<void> {
      return ingest({ messageId, text, echo: { appId: null, metadata: null }, ...rest });
    },

    /** Ingests that the account unsent a message. */
    unsend: (messageId: string): Promise<void> =>
      ingestUpdate({ kind: "unsend", account, participantId: PERSON, at: testEnv.now(), messageId, by: "account" }),

    /** Starts a reply and waits until the platform has it. @param content a text, or attachments as a request has them */
    async startReply(
      content: string | readonly RequestedAttachment[],
      scope: "live" | "test" = "live",
    ): Promise<PendingReply> {
      const answer = Promise.withResolvers<SendOutcome>();
      const platformCall = Promise.withResolvers<string>();
      const platformDouble: Pick<Platform, "send" | "textTooLong"> = {
        textTooLong: () => false,
        send: (_account, _token, { metadata }) => {
          platformCall.resolve(metadata);
          return answer.promise;
        },
      };
      const ports: ApiPorts = { ...testEnv.apiPorts(queues), platformFor: async () => platformDouble as Platform };
      const caller = { kind: "tenant_key", keyId: "k", tenant, scope } as const;
      const reply = sendReply(ports, {
        caller,
        reply: {
          conversationId: id,
          ...(typeof content === "string" ? { text: content } : { attachments: content }),
          replyTo: null,
        },
        time: startRequestTime(testEnv.now),
      });
      const replyResult = reply.catch((error: unknown) => error);
      const metadata = await Promise.race([platformCall.promise, replyResult]);
      if (typeof metadata !== "string") throw new Error("The platform was not called.");
      return {
        metadata,
        answer: (outcome) => {
          answer.resolve(outcome);
          return replyResult;
        },
        crash: () => {
          answer.reject(new Crash("injected: the process ended"));
          return replyResult;
        },
      };
    },

    async messageRows(): Promise<{ message: Message; position: string }[]> {
      const query = { includeTest: false, direction: null, before: null, limit: 100, now: testEnv.now() };
      return [...(await messageStore(testEnv.table).feed(tenant, query)).rows];
    },

    head: () => conversationStore(testEnv.table).get(tenant, id, testEnv.now()),

    /** The stored send records, oldest first. */
    async records(): Promise<Record<string, unknown>[]> {
      const Items = await queryItems(testEnv.table, id, "J#");
      return Items;
    },
  };
}

export const acceptedOutcome = (messageId: string): SendOutcome => ({ kind: "accepted", messageId });
export const unknownOutcome: SendOutcome = { kind: "unknown", detail: "outcome_unknown" };
export const refusedOutcome: SendOutcome = {
  kind: "refused",
  class: "other",
  detail: "no",
  code: null,
  subcode: null,
  accountStatus: null,
  coolDownMs: null,
  humanAgentPauseMs: null,
  humanAgentRefused: false,
  transient: false,
};

/** The expected head of a conversation with these messages. */
export function expectedHead(rows: readonly { message: Message }[]) {
  const order = ["echo", "inbound", "outbound"];
  const newest = rows
    .map(({ message }) => message)
    .sort((a, b) => b.sentAt - a.sentAt || order.indexOf(b.direction) - order.indexOf(a.direction))[0];
  const latest = (inbound: boolean): Millis | null =>
    rows
      .filter(({ message }) => (message.direction === "inbound") === inbound)
      .reduce<Millis | null>((at, { message }) => Math.max(at ?? 0, message.sentAt), null);
  return {
    lastAt: newest?.sentAt,
    lastDirection: newest?.direction,
    lastInboundAt: latest(true),
    lastOutboundAt: latest(false),
  };
}
