import { DAY, HOUR, MINUTE, type Millis } from "#base/kernel/time.ts";
import type { DeliveryStatus } from "#features/delivery/rules/deliveries.ts";

/** The counted end states of deliveries. `failed` includes `blocked`. */
export const endStates = ["delivered", "failed", "dlq"] as const;
export type EndState = (typeof endStates)[number];
export type EndCounts = Readonly<Record<EndState, number>>;

/** @returns null for a status that is not final */
export function toEndState(status: DeliveryStatus): EndState | null {
  switch (status) {
    case "delivered":
    case "dlq":
    case "failed":
      return status;
    case "blocked":
      return "failed";
    default:
      return null;
  }
}

/** How long people waited for an answer. An answer counts in the first that it fits. */
export const answerTimes = [
  "within5Minutes",
  "within15Minutes",
  "within1Hour",
  "within4Hours",
  "within24Hours",
  "later",
] as const;
export type AnswerTime = (typeof answerTimes)[number];
export type AnswerCounts = Readonly<Record<AnswerTime, number>>;

export const NO_ANSWERS: AnswerCounts = {
  within5Minutes: 0,
  within15Minutes: 0,
  within1Hour: 0,
  within4Hours: 0,
  within24Hours: 0,
  later: 0,
};

const limits: Readonly<Record<AnswerTime, Millis>> = {
  within5Minutes: 5 * MINUTE,
  within15Minutes: 15 * MINUTE,
  within1Hour: HOUR,
  within4Hours: 4 * HOUR,
  within24Hours: DAY,
  later: Number.POSITIVE_INFINITY,
};

/** @param answeredAfter from the first message that waited to its answer */
export function answerTime(answeredAfter: Millis): AnswerTime {
  return answerTimes.find((time) => answeredAfter <= limits[time]) ?? "later";
}

/** A stored live message, as it is counted. */
export interface CountedMessage {
  readonly isReceived: boolean;
  /** How long the person waited for it. Null where it answers no message. */
  readonly answeredAfter: Millis | null;
}

/** The messages of either direction. */
export function countedMessages({ received, sent }: { readonly received: number; readonly sent: number }): number {
  return received + sent;
}
