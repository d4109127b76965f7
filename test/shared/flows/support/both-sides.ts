import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import type { PlatformName } from "../../../../shared/domain/accounts/accounts.ts";
import { conversationId } from "../../../../shared/domain/inbox/conversations.ts";
import type { Message } from "../../../../shared/domain/inbox/messages.ts";
import type { MessageUpdate } from "../../../../shared/domain/inbox/updates.ts";
import { connectAccount } from "../../../../shared/flows/access/set-up-tenant.ts";
import { noEffects } from "../../../../shared/flows/inbox/effects.ts";
import { ingestUpdates } from "../../../../shared/flows/inbox/ingest-updates.ts";
import { accountHomes } from "../../../../shared/flows/inbox/resolve-account.ts";
import type { ApiPorts } from "../../../../shared/flows/ports.ts";
import { sendReply } from "../../../../shared/flows/sending/reply.ts";
import type { Millis } from "../../../../shared/kernel/time.ts";
import type { Platform, SendOutcome } from "../../../../shared/platforms/platform.ts";
import { type EventMessage, readEvent } from "../../../../shared/queues/messages.ts";
import { accountStore } from "../../../../shared/stores/accounts/accounts.ts";
import { conversationStore } from "../../../../shared/stores/inbox/conversations.ts";
import { messageStore } from "../../../../shared/stores/inbox/messages.ts";
import { Crash } from "../../../support/faults.ts";
import { newTenant, PERSON } from "../../stores/support/samples.ts";
import type { House } from "./house.ts";
import { receiveAll } from "./queue-work.ts";

/** A reply that the platform has been asked for and has not answered. */
export interface InFlight {
  readonly metadata: string;
  /** Lets the platform answer, and waits until the sender is done. @returns what the caller gets, or what was thrown */
  answer(outcome: SendOutcome): Promise<unknown>;
  /** The process ends while it waits for the platform. */
  die(): Promise<unknown>;
}

export type BothSides = Awaited<ReturnType<typeof openBothSides>>;

/**
 * One conversation of a tenant of its own in which the person wrote just now, seen from both sides: replies whose
 * answer the test gives when it likes, and what the platform tells of the account's messages.
 */
export async function openBothSides(house: House, platform: PlatformName = "instagram") {
  const tenant = newTenant();
  const lane = await house.newLane();
  const account = { platform, externalId: `${platform}-${tenant}` };
  const id = conversationId({ tenant, account, participantId: PERSON });
  const connection = platform === "messenger" ? "messenger" : "instagram_login";
  await connectAccount(
    { accounts: accountStore(house.table), vault: house.newVault() },
    tenant,
    { ...account, connection, handle: "@shop", displayName: "Shop", pageId: null },
    { token: "a token", actor: "cli" },
    house.now(),
  );
  const announced: string[] = [];

  /** One update on its way through a worker's process of its own. */
  async function take(update: Partial<MessageUpdate> & { messageId: string }): Promise<void> {
    const ports = house.ingestPorts(lane);
    const effects = noEffects();
    const full: MessageUpdate = {
      kind: "message",
      account,
      participantId: PERSON,
      at: house.now(),
      form: "message",
      text: "hello",
      attachments: [],
      replyTo: null,
      echo: null,
      ...update,
    };
    await ingestUpdates(ports, accountHomes(ports), [full], effects, house.now());
    await ports.events.sendAll(effects.announcements);
  }

  async function told(): Promise<EventMessage[]> {
    announced.push(...(await receiveAll(house.eventSource, lane.events)).map(({ body }) => body));
    return announced.map((body) => {
      const event = readEvent(body);
      if (!event) throw new Error("An announcement of nothing.");
      return event;
    });
  }

  await take({ messageId: `${tenant}-hello` });
  return {
    tenant,
    id,
    account,
    lane,
    /** What the platform tells, on its way through a worker's process of its own. */
    take,

    /** Every event of a message announced so far, in no order. */
    async announcements() {
      return (await told()).flatMap(({ eventUlid, type, source, repeated }) =>
        source ? [{ eventUlid, type, place: source.place, repeated }] : [],
      );
    },

    /** Every event announced so far that has a body of its own, in no order. */
    async ownBodies() {
      return (await told()).flatMap(({ eventUlid, type, source }) => (source ? [] : [{ eventUlid, type }]));
    },

    /** The platform tells that the account sent something. Without `rest`, it names neither app nor metadata. */
    echo(messageId: string, text: string, rest: Partial<MessageUpdate> = {}): Promise<void> {
      return take({ messageId, text, echo: { appId: null, metadata: null }, ...rest });
    },

    /** A reply, up to the platform's having it. */
    async send(text: string, scope: "live" | "test" = "live"): Promise<InFlight> {
      const answer = Promise.withResolvers<SendOutcome>();
      const asked = Promise.withResolvers<string>();
      const double: Pick<Platform, "send" | "textTooLong"> = {
        textTooLong: () => false,
        send: (_account, _token, { metadata }) => {
          asked.resolve(metadata);
          return answer.promise;
        },
      };
      const ports: ApiPorts = { ...house.apiPorts(lane), platformOf: () => double as Platform };
      const caller = { kind: "tenant_key", keyId: "k", tenant, scope } as const;
      const reply = sendReply(ports, caller, { conversationId: id, text, replyTo: null }, house.now);
      const told = reply.catch((error: unknown) => error);
      const metadata = await Promise.race([asked.promise, told]);
      if (typeof metadata !== "string") throw new Error("The platform was not asked.");
      return {
        metadata,
        answer: (outcome) => {
          answer.resolve(outcome);
          return told;
        },
        die: () => {
          answer.reject(new Crash("injected: the process ended"));
          return told;
        },
      };
    },

    async rows(): Promise<{ message: Message; place: string }[]> {
      const query = { includeTest: false, direction: null, before: null, limit: 100, now: house.now() };
      return [...(await messageStore(house.table).feed(tenant, query)).rows];
    },

    head: () => conversationStore(house.table).get(tenant, id, house.now()),

    /** The send records as they lie in the table, oldest first. */
    async records(): Promise<Record<string, unknown>[]> {
      const { Items = [] } = await house.table.client.send(
        new QueryCommand({
          TableName: house.table.name,
          KeyConditionExpression: "PK = :c AND begins_with(SK, :j)",
          ExpressionAttributeValues: { ":c": id, ":j": "J#" },
        }),
      );
      return Items;
    },
  };
}

export const accepted = (messageId: string): SendOutcome => ({ kind: "accepted", messageId });
export const lost: SendOutcome = { kind: "unknown", detail: "outcome_unknown" };
export const refused: SendOutcome = {
  kind: "refused",
  class: "other",
  detail: "no",
  code: null,
  subcode: null,
  accountStatus: null,
  coolDownMs: null,
  humanAgentPauseMs: null,
  humanAgentRefused: false,
  mayPass: false,
};

/** What the head of a conversation with these messages must say. */
export function headFor(rows: readonly { message: Message }[]) {
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
