import type { Data } from "#client";
import type { Tone } from "../admin/tones.ts";
import { percent } from "../common/percent.ts";
import type { Stats } from "../hours/hours.ts";
import { texts } from "./texts.ts";

export type Endpoint = Data<"GET /v1/webhooks/{id}">["endpoint"];
export type EventType = Endpoint["events"][number];

export function isCircuitOpen({ health }: Endpoint): boolean {
  return health.state === "circuit_open";
}

export function isPausedByParley({ status, paused_by }: Endpoint): boolean {
  return status === "paused" && paused_by === "system";
}

/** The state of an endpoint in a word. */
export function endpointState(endpoint: Endpoint): { readonly tone: Tone; readonly words: string } {
  const words = texts.states;
  if (endpoint.status === "deleted") return { tone: "off", words: words.deleted };
  if (isPausedByParley(endpoint)) return { tone: "bad", words: words.pausedByParley };
  if (endpoint.status === "paused") return { tone: "off", words: words.paused };
  const { state } = endpoint.health;
  if (state === "circuit_open") return { tone: "warn", words: words.open };
  if (state === "failing") return { tone: "warn", words: words.failing };
  if (state === "slow") return { tone: "warn", words: words.slow };
  return { tone: "ok", words: words.active };
}

/** The host of its address, without the port. */
export function hostOf(url: string): string {
  return /^[a-z]+:\/\/([^/:?#]+)/i.exec(url)?.[1] ?? url;
}

const NAMED_MAX = 3;

/** The types of an endpoint in a line: three of them, and how many more. */
export function eventsLine(events: readonly EventType[]): string {
  if (events.length <= NAMED_MAX) return events.join(", ");
  const named = events.slice(0, NAMED_MAX - 1);
  return texts.andMore(named.join(", "), events.length - named.length);
}

/**
 * The counts of an endpoint: how many were delivered, how many not, and the share that was.
 * @param stats those of the bars beside it; without them, the endpoint's own counts of the same time are shown
 */
export function countsLine(
  { id, health }: Pick<Endpoint, "id" | "health">,
  stats: Stats | undefined,
): { readonly share: string; readonly words: string } {
  const counts = stats?.endpoints.find(({ endpoint_id }) => endpoint_id === id);
  const delivered = stats ? (counts?.delivered ?? 0) : health.delivered_24h;
  const undelivered = stats ? (counts?.failed ?? 0) + (counts?.dlq ?? 0) : health.failed_24h;
  const all = delivered + undelivered;
  if (all === 0) return { share: "", words: texts.noCounts };
  return { share: percent(delivered / all), words: texts.counts(number.format(delivered), number.format(undelivered)) };
}

const number = new Intl.NumberFormat();
