import type { Data } from "#client";
import type { Tone } from "../admin/tones.ts";
import { percent } from "../common/percent.ts";
import { texts } from "./texts.ts";

export type Endpoint = Data<"GET /v1/webhooks/{id}">["endpoint"];
export type EventType = Endpoint["events"][number];

export function isCircuitOpen({ status, circuit }: Endpoint): boolean {
  return status === "active" && circuit.state !== "closed";
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
  if (isCircuitOpen(endpoint)) return { tone: "warn", words: words.open };
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

type Counts = Data<"GET /v1/stats">["endpoints"][number];

/** The counts of an endpoint: how many were delivered, how many not, and the share that was. */
export function countsLine(counts: Counts | undefined): { readonly share: string; readonly words: string } {
  const { delivered = 0, failed = 0, dlq = 0 } = counts ?? {};
  const all = delivered + failed + dlq;
  if (all === 0) return { share: "", words: texts.noCounts };
  const words = texts.counts(number.format(delivered), number.format(failed + dlq));
  return { share: percent(delivered / all), words };
}

const number = new Intl.NumberFormat();
