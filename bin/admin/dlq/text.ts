import { printableLine } from "#base/kernel/text/printable.ts";
import { formatTable } from "../text/text-table.ts";
import type { DeadLetterJson, InspectionJson, RedriveJson } from "./views.ts";

const headings = ["ID", "QUEUE", "SENT", "RECEIVED", "DESCRIPTION"];

export function formatList(letters: readonly DeadLetterJson[], more: boolean): string {
  if (letters.length === 0) return "No dead letters.";
  const rows = letters.map(({ id, queue, sent_at, receives, state, description }) => {
    const mark = state === "waiting" ? "" : ` (${state.replaceAll("_", " ")})`;
    return [id, queue, sent_at, `${receives}`, description + mark];
  });
  return [formatTable(headings, rows), ...(more ? ["More dead letters exist. Use --limit N to list more."] : [])].join(
    "\n",
  );
}

const planTexts: Readonly<Record<string, string>> = {
  send: "sends the message to its queue again. All workers tolerate duplicates.",
  publish: "sends the event to the endpoints that have no delivery of it. Other endpoints are not called.",
  replay: "replays the delivery with a new set of attempts.",
  delivery_ended: "only marks the message: the delivery has ended.",
  delivery_moved_on: "only marks the message: the delivery has reached a later attempt.",
  erasure_over: "only marks the message: the erasure has ended.",
  cut: "is not possible: the message is larger than a table item, so only its beginning is stored.",
  before_restore:
    "is not possible: the table was restored since, and the webhook may have messages that were erased. The restore fetches the others.",
  delivery_gone: "is not possible: the delivery was erased or is older than 7 days.",
  endpoint_gone: "is not possible: the endpoint was deleted.",
  event_gone: "is not possible: the source of the event was erased or is older than 7 days.",
};

/** The details of one dead letter, one per line. */
export function formatInspection({
  id,
  queue,
  message_id,
  description,
  inspection,
  redrive,
  log,
  ...rest
}: InspectionJson): string {
  const state = rest.redriven_at ? `redriven ${rest.redriven_at}: ${rest.outcome}` : rest.state.replaceAll("_", " ");
  return [
    `${id}: ${description}`,
    `queue: ${queue}, message ${message_id}`,
    `sent: ${rest.sent_at}, quarantined: ${rest.quarantined_at}, received: ${rest.receives} times`,
    `state: ${state}`,
    ...Object.entries(inspection).flatMap(([name, value]) => formatField(name, value)),
    rest.state === "redriven"
      ? "A message is redriven once."
      : `Redriving ${planTexts[redrive.reason ?? (inspection.kind === "event" ? "publish" : redrive.action)]}`,
    `The error is in the log of ${log.function} (local stack: functions.log): lines ${log.event} with message_id ${log.message_id}.`,
  ].join("\n");
}

function formatField(name: string, value: unknown): string[] {
  const label = name.replaceAll("_", " ");
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values.map((item) => printableLine(`${label}: ${oneLine(item)}`));
}

function oneLine(value: unknown): string {
  if (value === null) return "none";
  if (typeof value !== "object") return String(value);
  return Object.entries(value)
    .map(([name, field]) => `${name.replaceAll("_", " ")} ${field ?? "none"}`)
    .join(", ");
}

const outcomeTexts = {
  sent: "sent to their queues",
  replayed: "deliveries replayed",
  not_needed: "already resolved",
  taken: "already redriven, or being redriven by another command",
  refused: "cannot be redriven",
  failed: "failed and can be retried",
  unknown: "unknown",
} as const;

export function formatRedrive(view: RedriveJson): string {
  const problems = view.results.filter(({ end }) => end === "refused" || end === "failed" || end === "unknown");
  const counts = (Object.keys(outcomeTexts) as (keyof typeof outcomeTexts)[]).filter((end) => view[end] > 0);
  return [
    ...problems.map(({ id, end, reason }) => `${id}: ${end}${reason ? ` (${reason})` : ""}`),
    ...(counts.length > 0 ? counts.map((end) => `${view[end]} ${outcomeTexts[end]}`) : ["No dead letters to redrive."]),
  ].join("\n");
}
