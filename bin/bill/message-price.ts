import { openedSecrets, type PriceName, type PriceTable, toGbSeconds, type Worker } from "./bill.ts";
import type { TemplateCounts } from "./template-counts.ts";

/** What AWS bills of messages, counted or argued. */
export interface MessageUsage {
  readonly messages: number;
  readonly wcu: number;
  readonly rcu: number;
  /** Queue requests. */
  readonly sqs: number;
  /** Objects written to a bucket. */
  readonly objects: number;
  /** Frames to sockets. */
  readonly frames: number;
  readonly invocations: Readonly<Partial<Record<Worker, number>>>;
  /** How many messages a function handles in these. Default: none. */
  readonly handled: Readonly<Partial<Record<Worker, number>>>;
  /** Of functions. */
  readonly logBytes: number;
  /** Posts to endpoints. */
  readonly deliveries: number;
  /** Messages that were sent through the API. */
  readonly replies: number;
  /** Signing secrets and access tokens that these messages need. */
  readonly secrets: { readonly Deliver: number; readonly Api: number };
}

export interface PricedPart {
  readonly name: PriceName;
  /** Dollars for a million messages. */
  readonly dollars: number;
}

const MILLION = 1_000_000;
const GB = 1e9;

/** The list price of a million messages by its parts, without what is free and without what a deployment costs anyway. */
export function priceMessages(
  usage: MessageUsage,
  template: TemplateCounts,
  { prices, assumptions }: PriceTable,
): readonly PricedPart[] {
  const { messages, invocations, handled, deliveries, replies } = usage;
  const { bytesOut, daysStored, daysOfAMonth, storedBytesOfAMessage, rawBytesOfAMessage, logBytesOf } = assumptions;
  const workers = Object.entries(invocations) as [Worker, number][];
  const requests = (invocations.Intake ?? 0) + (invocations.Api ?? 0);
  // Those of a month with a million messages.
  const opened = (name: "Deliver" | "Api") => {
    const perMonth = (count: number | undefined) => ((count ?? 0) / messages) * MILLION;
    const work = { name, invocations: perMonth(invocations[name]), messages: perMonth(handled[name]) };
    return (openedSecrets(work, assumptions) * usage.secrets[name] * messages) / MILLION;
  };
  const stored = (messages * (storedBytesOfAMessage + rawBytesOfAMessage) * daysStored) / daysOfAMonth / GB;
  const out = deliveries * bytesOut.delivery + replies * bytesOut.reply + requests * bytesOut.answer;
  const quantities: Partial<Record<PriceName, number>> = {
    lambdaRequests: workers.reduce((sum, [, count]) => sum + count, 0),
    lambdaTime: workers.reduce(
      (sum, [name, count]) =>
        sum + toGbSeconds({ name, invocations: count, messages: handled[name] ?? 0 }, template, assumptions),
      0,
    ),
    tableWrites: usage.wcu,
    tableReads: usage.rcu,
    tableStorage: stored,
    tableRecovery: stored,
    queueRequests: usage.sqs,
    bucketWrites: usage.objects,
    keyRequests: opened("Deliver") + opened("Api"),
    gatewayRequests: requests,
    socketMessages: usage.frames,
    logBytes: (usage.logBytes + requests * logBytesOf.request) / GB,
    transferOut: out / GB,
  };
  return (Object.entries(quantities) as [PriceName, number][]).map(([name, quantity]) => {
    const { dollars, per } = prices[name];
    return { name, dollars: ((quantity / per) * dollars * MILLION) / messages };
  });
}
