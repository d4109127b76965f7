import type { Millis } from "#base/kernel/time.ts";
import { tenants } from "../world/people.ts";
import { mayBeDeleted } from "./deletion.ts";
import { type Evidence, SLACK, type StoredChange, type StoredItem } from "./evidence.ts";

const endStatuses: Readonly<Record<string, string>> = { delivered: "d", failed: "f", blocked: "f", dlq: "q" };

/** Counters never exceed the truth, but for messages whose event was processed twice beside an erasure. */
export function judgeCounters(evidence: Evidence): string[] {
  const recounted = countersOfRecounted(evidence.changes);
  return counts(evidence).flatMap(({ name, counted, truth }) =>
    counted > truth + recounted.filter((each) => each === name).length
      ? [`the counter of ${name} is ${counted}, and the truth ${truth}`]
      : [],
  );
}

/** Counters are exact when nothing went wrong, but for messages that were removed while they were stored. */
export function judgeExactCounters(evidence: Evidence): string[] {
  if (evidence.history.steps.some(([{ do: act }]) => act === "trouble")) return [];
  const undone = [...countersOfUndone(evidence.changes), ...countersOfGone(evidence.changes)];
  return counts(evidence).flatMap(({ name, counted, truth }) => {
    if (mayBeDeleted(evidence, name.split(" ")[0] ?? "")) return [];
    const least = truth - undone.filter((each) => each === name).length;
    return counted < least ? [`nothing went wrong, and the counter of ${name} is ${counted} of ${truth}`] : [];
  });
}

/** Each counter of each tenant, and what it counts. Nothing of a test key counts. */
function counts({ items, changes }: Evidence): { name: string; counted: number; truth: number }[] {
  const truths = new Map<string, number>();
  const messages = new Set<string>();
  for (const { before, after } of changes) {
    if (!after || after.z) continue;
    const [kind, tenant, endpointId = ""] = after.PK.split("#");
    // A message counts once, also where an erasure removed its row and its sender stores it at another time.
    if (kind === "CONV" && !before && after.SK.startsWith("M#")) messages.add(`${after.PK} ${after.i}`);
    if (kind !== "D" || before?.st === after.st) continue;
    const letter = endStatuses[String(after.st)];
    if (!letter) continue;
    const name = `${tenant} ${letter}${endpointId.slice(-5)}`;
    truths.set(name, (truths.get(name) ?? 0) + 1);
  }
  for (const key of messages) {
    const name = `${key.split("#")[1]} m`;
    truths.set(name, (truths.get(name) ?? 0) + 1);
  }
  const sums = new Map<string, number>();
  for (const tenant of tenants) {
    for (const hour of items.filter(({ PK }) => PK === `S#${tenant}`)) {
      for (const [letter, value] of Object.entries(hour)) {
        if (!/^(m|[dfq].{5})$/.test(letter)) continue;
        const name = `${tenant} ${letter}`;
        sums.set(name, (sums.get(name) ?? 0) + Number(value));
      }
    }
  }
  const names = new Set([...truths.keys(), ...sums.keys()]);
  return [...names].map((name) => ({ name, counted: sums.get(name) ?? 0, truth: truths.get(name) ?? 0 }));
}

/**
 * The counters of the messages that met an erasure between their row and their conversation's head, one for each. Their
 * worker removes them and does not count them. docs/guides/stats.md
 */
function countersOfUndone(changes: readonly StoredChange[]): string[] {
  const storedAt = new Map<string, Millis>();
  const onHead = new Set<string>();
  const undone = new Set<string>();
  for (const { at, before, after } of changes) {
    const { PK, SK, lm, z } = after ?? before ?? { PK: "", SK: "" };
    if (!PK.startsWith("CONV#") || z) continue;
    if (SK === "~HEAD") onHead.add(`${PK} ${lm}`);
    if (!SK.startsWith("M#")) continue;
    const message = `${PK} ${SK.split("#").at(-1)}`;
    const first = storedAt.get(message) ?? at;
    storedAt.set(message, first);
    if (!after && at - first <= SLACK && !onHead.has(message)) undone.add(message);
  }
  return [...undone].map((message) => `${message.split("#")[1]} m`);
}

/**
 * The counters of the messages that were erased or unsent before their event was processed, one for each. The event then
 * has no body, and nothing counts it. docs/guides/stats.md
 */
function countersOfGone(changes: readonly StoredChange[]): string[] {
  // Rows that count an event: its deliveries, and the claim of an event without them.
  const counted = new Set(
    changes.flatMap(({ after }) => (after && !after.PK.startsWith("CONV#") ? eventsOf(after) : [])),
  );
  return changes.flatMap(({ before, after }) => {
    if (!before || (after && !after.un) || before.un || before.z) return [];
    if (!before.PK.startsWith("CONV#") || !before.SK.startsWith("M#")) return [];
    return counted.has(String(before.e)) ? [] : [`${before.PK.split("#")[1]} m`];
  });
}

/** The ids of events in the key of a row. */
function eventsOf({ PK, SK }: StoredItem): string[] {
  return `${PK} ${SK}`.match(/[0-9A-Z]{26}/g) ?? [];
}

/**
 * The counters of the messages whose event was processed twice, and an erasure removed the row that counts them in between,
 * one for each. docs/guides/stats.md
 */
function countersOfRecounted(changes: readonly StoredChange[]): string[] {
  const removed = new Set<string>();
  return changes.flatMap(({ before, after }) => {
    const { PK, SK, ty } = after ?? before ?? { PK: "", SK: "" };
    if (!PK.startsWith("D#") || (ty !== "message.sent" && ty !== "message.received")) return [];
    if (!after) removed.add(`${PK} ${SK}`);
    return !before && removed.has(`${PK} ${SK}`) ? [`${PK.split("#")[1]} m`] : [];
  });
}
