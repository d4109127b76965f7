import fc from "fast-check";
import type { Millis } from "#base/kernel/time.ts";
import {
  editEvent,
  emptyEditEvent,
  type PlatformEvent,
  photoEvent,
  postbackEvent,
  reactionEvent,
  readReceiptEvent,
  textEvent,
  unsendEvent,
} from "../platform-events.ts";

/** One platform event, with its message ID. */
export interface HistoryStep {
  readonly event: PlatformEvent;
  readonly mid: string;
  /** The published event that it causes, or null when it causes none. */
  readonly expectedEvent: string | null;
}

const newMessageKinds = ["text", "photo", "postback", "echo"] as const;
const changeKinds = ["edit", "edit", "unsend", "react", "unreact", "read", "noise"] as const;

interface StepDraft {
  readonly kind: (typeof newMessageKinds)[number] | (typeof changeKinds)[number];
  readonly person: number;
  readonly messageIndex: number;
}

/**
 * The events between an account and one to three people, in order: each message may be edited, reacted to and finally
 * unsent. Two events share each instant, to cover ties. No message is edited after it was unsent, because no platform
 * allows it.
 */
export function interleavings(startAt: Millis, length: number): fc.Arbitrary<HistoryStep[]> {
  const draft = fc.record<StepDraft>({
    kind: fc.constantFrom(...newMessageKinds, ...changeKinds, ...changeKinds),
    person: fc.nat({ max: 2 }),
    messageIndex: fc.nat({ max: 99 }),
  });
  return fc.array(draft, { minLength: 2, maxLength: length }).map((drafts) => toSteps(drafts, startAt));
}

interface MessageState {
  readonly mid: string;
  readonly person: string;
  readonly fromAccount: boolean;
  edits: number;
  unsent: boolean;
}

function toSteps(drafts: readonly StepDraft[], startAt: Millis): HistoryStep[] {
  const messages: MessageState[] = [];
  return drafts.flatMap((draft, i): HistoryStep[] => {
    const at = startAt + Math.floor(i / 2);
    const newKind = newMessageKinds.find((each) => each === draft.kind) ?? (messages.length === 0 ? "text" : null);
    if (newKind) {
      const message: MessageState = {
        mid: `m${messages.length}`,
        person: `person-${draft.person}`,
        fromAccount: newKind === "echo",
        edits: 0,
        unsent: false,
      };
      messages.push(message);
      return [messageStep(newKind, message, at)];
    }
    const message = messages[draft.messageIndex % messages.length];
    const step = message && changeStep(draft.kind, message, at, i);
    return step ? [step] : [];
  });
}

function messageStep(
  kind: (typeof newMessageKinds)[number],
  { mid, person, fromAccount }: MessageState,
  at: Millis,
): HistoryStep {
  const rest = { person, fromAccount };
  const event = {
    text: () => textEvent(mid, `text of ${mid}`, at, rest),
    echo: () => textEvent(mid, `our ${mid}`, at, rest),
    photo: () => photoEvent(mid, `https://cdn.example/${mid}`, at, rest),
    postback: () => postbackEvent(mid, `press of ${mid}`, at, rest),
  }[kind]();
  return { event, mid, expectedEvent: `${fromAccount ? "message.sent" : "message.received"} ${mid}` };
}

function changeStep(kind: StepDraft["kind"], message: MessageState, at: Millis, i: number): HistoryStep | null {
  const { mid, person, fromAccount } = message;
  const rest = { person, fromAccount };
  switch (kind) {
    case "edit":
      if (message.unsent) return null;
      message.edits++;
      return {
        event: editEvent(mid, `edit ${message.edits} of ${mid}`, message.edits, at, { person }),
        mid,
        expectedEvent: `message.edited ${mid} ${message.edits}`,
      };
    case "unsend":
      if (message.unsent) return null;
      message.unsent = true;
      return { event: unsendEvent(mid, at, rest), mid, expectedEvent: `message.deleted ${mid}` };
    case "react":
    case "unreact":
      // Each has its own instant, which distinguishes two reactions.
      return {
        event: reactionEvent(mid, kind, at + i, { person, fromAccount: i % 3 === 0 }),
        mid,
        expectedEvent: `message.reaction ${mid} ${kind} ${at + i}${i % 3 === 0 ? " account" : ""}`,
      };
    case "read":
      return { event: readReceiptEvent(mid, at, { person }), mid, expectedEvent: null };
    default:
      return { event: emptyEditEvent(mid, at, { person }), mid, expectedEvent: null };
  }
}

/** The webhooks of a history: every step at least once, some twice, in any order and in batches of any size. */
export function webhookBatches(steps: readonly HistoryStep[]): fc.Arbitrary<HistoryStep[][]> {
  return fc
    .tuple(
      fc.shuffledSubarray([...steps], { minLength: steps.length }),
      fc.array(fc.constantFrom(...steps), { maxLength: 5 }),
      fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 8 }),
    )
    .chain(([all, duplicates, sizes]) =>
      fc
        .shuffledSubarray([...all, ...duplicates], { minLength: all.length + duplicates.length })
        .map((order) => splitIntoBatches(order, sizes)),
    );
}

function splitIntoBatches(order: readonly HistoryStep[], sizes: readonly number[]): HistoryStep[][] {
  const webhooks: HistoryStep[][] = [];
  for (let from = 0; from < order.length; ) {
    const size = sizes[webhooks.length % sizes.length] ?? 1;
    webhooks.push(order.slice(from, from + size));
    from += size;
  }
  return webhooks;
}

const isUnsend = (step: HistoryStep): boolean => step.expectedEvent === `message.deleted ${step.mid}`;
const messageEventPattern = /^message\.(received|sent|edited|reaction) /;

/** The events that an unsend may suppress when it comes first: the message itself, its edits and its reactions. */
export function suppressible(steps: readonly HistoryStep[]): Set<string> {
  const unsentMids = new Set(steps.filter(isUnsend).map(({ mid }) => mid));
  return new Set(
    steps.flatMap(({ mid, expectedEvent }) =>
      expectedEvent && unsentMids.has(mid) && messageEventPattern.test(expectedEvent) ? [expectedEvent] : [],
    ),
  );
}

/** The events published by the steps in this order: all except those after an unsend of their message. */
export function expectedInOrder(order: readonly HistoryStep[]): Set<string> {
  const expected = new Set<string>();
  const unsentMids = new Set<string>();
  for (const step of order) {
    if (isUnsend(step)) unsentMids.add(step.mid);
    if (step.expectedEvent && !(unsentMids.has(step.mid) && messageEventPattern.test(step.expectedEvent)))
      expected.add(step.expectedEvent);
  }
  return expected;
}
