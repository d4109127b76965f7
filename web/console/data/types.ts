import type { Conversation, Message, OwnTenant, StreamEvent } from "#client";

export type { Conversation, Message, StreamEvent };

/** What a member may do. Each role also has the rights of those before it: agent, admin, owner. */
export type Role = OwnTenant["role"];

export type Platform = Conversation["platform"];

/** What a file is sent as. */
export type FileKind = "image" | "video" | "audio" | "file";

const INSTANTS_MAX = 50_000;
const instants = new Map<string, number>();

/** Epoch milliseconds of an ISO time; 0 for null. A list compares the same times at each frame, so they are parsed once. */
export function millis(time: string | null): number {
  if (time === null) return 0;
  const instant = instants.get(time);
  if (instant !== undefined) return instant;
  if (instants.size >= INSTANTS_MAX) instants.clear();
  const value = Date.parse(time);
  instants.set(time, value);
  return value;
}

/** Epoch milliseconds of a time in ISO 8601. Null for null, and for what is no time. */
export function instant(value: string | null): number | null {
  const at = value === null ? Number.NaN : Date.parse(value);
  return Number.isNaN(at) ? null : at;
}
