import type { Webhook } from "../api.ts";

type Event = Record<string, unknown>;

function eventsOf({ body }: Webhook): { events: Event[]; isStandby: boolean } {
  const { entry } = JSON.parse(body) as { entry: { messaging?: unknown; standby?: unknown }[] };
  const lists = entry.flatMap((one) => [one?.messaging, one?.standby].flat());
  const events = lists.filter((one): one is Event => typeof one === "object" && one !== null);
  return { events, isStandby: entry.some((one) => one?.standby !== undefined) };
}

/** What the events in a webhook are, by their members. */
export function webhookTitle(webhook: Webhook): string {
  const { events, isStandby } = eventsOf(webhook);
  const members = events
    .flatMap((event) => Object.keys(event))
    .filter((name) => !["sender", "recipient", "timestamp"].includes(name));
  return `${[...new Set(members)].join(", ") || "event"}${isStandby ? ", standby" : ""}`;
}

interface Message {
  text?: unknown;
  attachments?: unknown;
}

/** The text of the first message in a webhook, or else the kinds of its attachments; empty if it has neither. */
export function webhookText(webhook: Webhook): string {
  const messages = eventsOf(webhook).events.flatMap(({ message }) => (message as Message | undefined) ?? []);
  const text = messages.find((one) => typeof one.text === "string")?.text;
  if (typeof text === "string") return text;
  const kinds = messages
    .flatMap(({ attachments }) => attachments ?? [])
    .map((one) => (one as { type?: unknown })?.type);
  return [...new Set(kinds)].join(", ");
}
