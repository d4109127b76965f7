import type { DeadLetterJson, InspectionJson, RedriveJson } from "./dlq-views.ts";

const headings = ["ID", "QUEUE", "SENT", "RECEIVED", "WHAT"];

export function formatList(letters: readonly DeadLetterJson[], more: boolean): string {
  if (letters.length === 0) return "Nothing is set aside.";
  const rows = letters.map(({ id, queue, sent_at, receives, state, what }) => {
    const mark = state === "waiting" ? "" : ` (${state.replaceAll("_", " ")})`;
    return [id, queue, sent_at, `${receives}`, what + mark];
  });
  const widths = headings.map((_, column) => Math.max(...[headings, ...rows].map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd();
  return [line(headings), ...rows.map(line), ...(more ? ["There are more: --limit N shows N of them."] : [])].join(
    "\n",
  );
}

const planTexts: Readonly<Record<string, string>> = {
  send: "sends it to its queue again. Everything behind the queues expects to get things twice.",
  announce: "sends the event to the endpoints that have no delivery of it. The others are left alone.",
  replay: "lets the delivery begin anew, with all its attempts.",
  delivery_ended: "does nothing but mark it: the delivery has ended by itself meanwhile.",
  delivery_moved_on: "does nothing but mark it: the delivery has gone on to later attempts meanwhile.",
  erasure_over: "does nothing but mark it: the erasure is over.",
  cut: "is not possible: the message was larger than a row of the table, and only its beginning is kept.",
  delivery_gone: "is not possible: the delivery is gone. It was erased, or is older than 7 days.",
  endpoint_gone: "is not possible: the endpoint was deleted.",
  event_gone: "is not possible: what the event told of is gone. It was erased, or is older than 7 days.",
};

/** What is known of one letter: a line a fact. */
export function formatInspection({
  id,
  queue,
  message_id,
  what,
  found: inspection,
  redrive,
  log,
  ...rest
}: InspectionJson): string {
  const state = rest.redriven_at ? `redriven ${rest.redriven_at}: ${rest.outcome}` : rest.state.replaceAll("_", " ");
  return [
    `${id}: ${what}`,
    `queue: ${queue}, message ${message_id}`,
    `sent: ${rest.sent_at}, set aside: ${rest.set_aside_at}, received: ${rest.receives} times`,
    `state: ${state}`,
    ...Object.entries(inspection).flatMap(([name, value]) => formatField(name, value)),
    rest.state === "redriven"
      ? "It is not redriven a second time."
      : `Redriving ${planTexts[redrive.why ?? (inspection.kind === "event" ? "announce" : redrive.does)]}`,
    `Why it failed is in the log of ${log.function} (functions.log of a local stack): the lines ${log.event} with message_id ${log.message_id}.`,
  ].join("\n");
}

function formatField(name: string, value: unknown): string[] {
  const label = name.replaceAll("_", " ");
  if (Array.isArray(value)) return value.map((one) => `${label}: ${oneLine(one)}`);
  return [`${label}: ${oneLine(value)}`];
}

function oneLine(value: unknown): string {
  if (value === null) return "none";
  if (typeof value !== "object") return String(value);
  return Object.entries(value)
    .map(([name, one]) => `${name.replaceAll("_", " ")} ${one ?? "none"}`)
    .join(", ");
}

const outcomeTexts = {
  sent: "sent to their queues again",
  replayed: "deliveries begun anew",
  not_needed: "needed nothing any more",
  taken: "redriven before, or by someone else right now",
  refused: "cannot be redriven",
  failed: "failed, and may be tried again",
  unknown: "unknown",
} as const;

export function formatRedrive(view: RedriveJson): string {
  const problems = view.results.filter(({ end }) => end === "refused" || end === "failed" || end === "unknown");
  const counts = (Object.keys(outcomeTexts) as (keyof typeof outcomeTexts)[]).filter((end) => view[end] > 0);
  return [
    ...problems.map(({ id, end, why }) => `${id}: ${end}${why ? ` (${why})` : ""}`),
    ...(counts.length > 0 ? counts.map((end) => `${view[end]} ${outcomeTexts[end]}`) : ["Nothing to redrive."]),
  ].join("\n");
}
