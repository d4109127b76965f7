import type { EventType } from "../../../../shared/domain/events/events.ts";
import type { Message } from "../../../../shared/domain/inbox/messages.ts";
import { renderedEventOf } from "../../../../shared/flows/delivery/rendered-events.ts";
import { type Effects, noEffects } from "../../../../shared/flows/inbox/effects.ts";
import { ingestUpdates } from "../../../../shared/flows/inbox/ingest-updates.ts";
import { accountHomes, type FindHome } from "../../../../shared/flows/inbox/resolve-account.ts";
import type { IngestPorts } from "../../../../shared/flows/ports.ts";
import type { TenantId } from "../../../../shared/kernel/tenant.ts";
import type { Millis } from "../../../../shared/kernel/time.ts";
import { parseUpdates } from "../../../../shared/platforms/parse.ts";
import { readEvent } from "../../../../shared/queues/messages.ts";
import { eventBodyStore } from "../../../../shared/stores/delivery/event-bodies.ts";
import { messageStore } from "../../../../shared/stores/inbox/messages.ts";
import { PERSON } from "../../stores/support/samples.ts";
import type { House } from "./house.ts";

/** One event of a platform's webhook, beside who and when. */
export interface Happening {
  readonly at: Millis;
  /** Who wrote, or was written to. */
  readonly person?: string;
  /** The account itself did it. */
  readonly ours?: boolean;
  readonly content: object;
}

type Rest = Omit<Happening, "at" | "content">;

export const said = (mid: string, text: string, at: Millis, rest: Rest = {}): Happening => ({
  ...rest,
  at,
  content: { message: { mid, text, ...(rest.ours ? { is_echo: true } : {}) } },
});
export const showed = (mid: string, url: string, at: Millis, rest: Rest = {}): Happening => ({
  ...rest,
  at,
  content: { message: { mid, attachments: [{ type: "image", payload: { url } }] } },
});
export const pressed = (mid: string, title: string, at: Millis, rest: Rest = {}): Happening => ({
  ...rest,
  at,
  content: { postback: { mid, title, payload: "P" } },
});
export const unsent = (mid: string, at: Millis, rest: Rest = {}): Happening => ({
  ...rest,
  at,
  content: { message: { mid, is_deleted: true, ...(rest.ours ? { is_echo: true } : {}) } },
});
export const edited = (mid: string, text: string, count: number, at: Millis, rest: Rest = {}): Happening => ({
  ...rest,
  at,
  content: { message_edit: { mid, text, num_edit: count } },
});
export const reacted = (mid: string, action: "react" | "unreact", at: Millis, rest: Rest = {}): Happening => ({
  ...rest,
  at,
  content: { reaction: { mid, action, ...(action === "react" ? { reaction: "love", emoji: "❤️" } : {}) } },
});
export const noise = (mid: string, at: Millis, rest: Rest = {}): Happening => ({
  ...rest,
  at,
  content: { message_edit: { mid, num_edit: 0 } },
});
export const seen = (mid: string, at: Millis, rest: Rest = {}): Happening => ({
  ...rest,
  at,
  content: { read: { mid } },
});
export const ruled = (action: string, at: Millis): Happening => ({
  at,
  content: { policy_enforcement: { action, reason: "spam" } },
});

/** An Instagram webhook about one account, as its bytes come. */
export function webhookOf(account: string, happenings: readonly Happening[]): string {
  const messaging = happenings.map(({ at, person = PERSON, ours, content }) => ({
    sender: { id: ours ? account : person },
    recipient: { id: ours ? person : account },
    timestamp: at,
    ...content,
  }));
  return JSON.stringify({ object: "instagram", entry: [{ id: account, time: happenings[0]?.at, messaging }] });
}

/** Takes one webhook as a process of its own would, up to what is to be announced. */
export async function ingestOf(
  ports: IngestPorts,
  account: string,
  happenings: readonly Happening[],
  now: Millis,
  findHome: FindHome = accountHomes(ports),
): Promise<Effects> {
  const effects = noEffects();
  const updates = parseUpdates(Buffer.from(webhookOf(account, happenings)));
  await ingestUpdates(ports, findHome, updates, effects, now);
  return effects;
}

/** An announcement, with the body that a receiver would get now; null when that is gone. */
export interface Told {
  readonly type: EventType;
  readonly ulid: string;
  readonly body: string | null;
  readonly repeated: boolean;
}

export function toldIn(house: House, tenant: TenantId, announcements: readonly { body: string }[]): Promise<Told[]> {
  const ports = { messages: messageStore(house.table), eventBodies: eventBodyStore(house.table) };
  return Promise.all(
    announcements.map(async ({ body }) => {
      const event = readEvent(body);
      if (!event) throw new Error("An announcement cannot be read.");
      const rendered = await renderedEventOf(ports, tenant, event);
      return { type: event.type, ulid: event.eventUlid, body: rendered?.body ?? null, repeated: event.repeated };
    }),
  );
}

/** What an event's body tells. */
export function dataOf({ body }: Told): Record<string, unknown> {
  return (JSON.parse(body ?? "{}") as { data: Record<string, unknown> }).data;
}

/** Every message that a reader of the tenant sees, newest first. */
export async function feedOf(house: House, tenant: TenantId): Promise<Message[]> {
  const query = { includeTest: false, direction: null, before: null, limit: 100, now: house.now() };
  const { rows } = await messageStore(house.table).feed(tenant, query);
  return rows.map(({ message }) => message);
}
