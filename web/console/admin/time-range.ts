import { DAY, HOUR, MINUTE } from "../data/durations.ts";

const spans = { hour: HOUR, day: DAY, week: 7 * DAY, month: 30 * DAY } as const;

/** How a person limits a list in time: a span until now, any time, or two instants of their own. */
export type Span = keyof typeof spans | "any" | "own";

export interface TimeRange {
  readonly span: Span;
  /** ISO 8601; null without a limit. A span is fixed when it is chosen: the pages of a list must have the same limits. */
  readonly from: string | null;
  readonly to: string | null;
}

export const anyTime: TimeRange = { span: "any", from: null, to: null };

/** The range of a span until now; an own one, whose fields show minutes, has whole ones. @param now epoch milliseconds */
export function rangeOfSpan(span: Span, now: number): TimeRange {
  if (span === "any") return anyTime;
  if (span !== "own") return { span, from: new Date(now - spans[span]).toISOString(), to: null };
  const minute = now - (now % MINUTE);
  return { span, from: new Date(minute - spans.day).toISOString(), to: endOfMinute(new Date(minute).toISOString()) };
}

/** The last instant of a minute, so that a range until `13:29` has what happened within it. @param iso its first instant */
export function endOfMinute(iso: string): string {
  return new Date(Date.parse(iso) + MINUTE - 1).toISOString();
}

/** The parameters `from` and `to` of a call. */
export function rangeQuery({ from, to }: TimeRange): { from?: string; to?: string } {
  return { ...(from === null ? {} : { from }), ...(to === null ? {} : { to }) };
}

/** Whether an instant is in the range. Both ends are included. @param at epoch milliseconds */
export function isInRange({ from, to }: TimeRange, at: number): boolean {
  return (from === null || at >= Date.parse(from)) && (to === null || at <= Date.parse(to));
}

/** An instant as a field of the browser takes it, in its time zone: `2026-11-23T13:29`. */
export function toField(iso: string | null): string {
  if (iso === null) return "";
  const at = new Date(iso);
  const local = new Date(at.getTime() - at.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}

/** The first instant of such a field; null when it is empty or no date. */
export function fromField(text: string): string | null {
  const at = new Date(text);
  return text === "" || Number.isNaN(at.getTime()) ? null : at.toISOString();
}
