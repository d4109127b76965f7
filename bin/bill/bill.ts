import { readFileSync } from "node:fs";
import type { Units } from "./table-counts.ts";
import type { TemplateCounts } from "./template-counts.ts";

/** A list price: dollars for so many, of which some are free in each month of any account. */
export interface Price {
  readonly service: string;
  readonly what: string;
  readonly dollars: number;
  readonly per: number;
  readonly free: number;
}

export interface PriceTable {
  readonly region: string;
  /** When the prices were written down. */
  readonly on: string;
  readonly prices: Readonly<Record<PriceName, Price>>;
  /** What no count of this repository says. */
  readonly assumptions: {
    /**
     * Lambda reads a queue with five connections, and with a maximum concurrency never with fewer. Source: "Configuring scaling
     * behavior for SQS event source mappings" of the AWS Lambda Developer Guide, which also says that the polls are long.
     */
    readonly pollersOfAQueue: number;
    /** The longest poll that SQS accepts. Source: "Setting-up long polling" of the Amazon SQS Developer Guide. */
    readonly secondsOfAPoll: number;
    readonly daysOfAMonth: number;
    readonly millisecondsOf: Readonly<Record<Worker, RunTime>>;
    /** The lines of functions, and a line of the gateway's access log. */
    readonly logBytesOf: {
      readonly invocation: Readonly<Record<Worker, number>>;
      readonly delivery: number;
      readonly request: number;
    };
    /** A process opens a secret again after this time. */
    readonly secondsOfAnOpenedSecret: number;
    /** In the table, with indexes and deliveries. */
    readonly storedBytesOfAMessage: number;
    /** Its raw copy in the table, compressed. */
    readonly rawBytesOfAMessage: number;
    readonly daysStored: number;
    readonly bytesOut: { readonly delivery: number; readonly reply: number; readonly answer: number };
  };
}

/** How long a function runs: for each invocation, and for each of its messages more. */
interface RunTime {
  readonly invocation: number;
  readonly message: number;
}

export type Worker = "Intake" | "Ingest" | "Deliver" | "Api" | "Push" | "Sweep";
export type PriceName =
  | "lambdaRequests"
  | "lambdaTime"
  | "tableWrites"
  | "tableReads"
  | "tableStorage"
  | "tableRecovery"
  | "queueRequests"
  | "bucketWrites"
  | "keys"
  | "keyRequests"
  | "secrets"
  | "gatewayRequests"
  | "socketMessages"
  | "socketMinutes"
  | "alarms"
  | "dashboards"
  | "logBytes"
  | "transferOut";

/** The work of a month. */
export interface Load {
  /** Half of them arrive, the other half are replies through the API. Each has one webhook endpoint. */
  readonly messages: number;
  /** How many messages a worker receives at once. */
  readonly batch: number;
  /** Sockets that are open all the time. */
  readonly sockets: number;
}

export interface BillLine {
  readonly name: PriceName;
  readonly quantity: number;
  /** Dollars at the list price. */
  readonly list: number;
  /** Dollars without what is free each month. */
  readonly due: number;
}

export interface Bill {
  readonly lines: readonly BillLine[];
  readonly list: number;
  readonly due: number;
}

const GB = 1e9;

export function readPrices(): PriceTable {
  return JSON.parse(readFileSync(new URL("./prices.json", import.meta.url), "utf8")) as PriceTable;
}

/** The table's units of one message that arrives and is delivered, and of a reply with its echo and its delivery. */
export function messageUnits(costs: (pattern: string) => Units, batch: number): { inbound: Units; reply: Units } {
  const delivered: Units = {
    wcu: costs("First attempt, delivered").wcu + 1 / batch,
    rcu: costs("Endpoints of a tenant").rcu / batch + costs("Messages of a batch").rcu,
  };
  const [stored, head] = [costs("Store a message"), costs("Advance the head")];
  const [sent, echo] = [costs("Reply, live"), costs("… its echo after it")];
  const route = costs("Account to tenant, and the tenant's state").rcu / batch;
  const snapshot = costs("Conversation snapshot").rcu;
  return {
    // Each webhook, and so each echo, has a raw copy, in a row of its batch.
    inbound: { wcu: stored.wcu + head.wcu + delivered.wcu + 1 / batch, rcu: route + snapshot + delivered.rcu },
    // The key (1 RCU), and the rate limit (1 WCU).
    reply: {
      wcu: 1 + sent.wcu + echo.wcu + 1 / batch + delivered.wcu,
      rcu: 1 + sent.rcu + route + echo.rcu + delivered.rcu,
    },
  };
}

/** The bill of a month in dollars. */
export function computeBill(
  { messages, batch, sockets }: Load,
  template: TemplateCounts,
  costs: (pattern: string) => Units,
  { prices, assumptions }: PriceTable,
): Bill {
  const { daysOfAMonth, bytesOut, logBytesOf } = assumptions;
  const seconds = daysOfAMonth * 86_400;
  const half = messages / 2;
  const perBatch = (count: number) => count / batch;
  // A message that arrives, and the echo of a reply, are webhooks. Both kinds of message are delivered.
  const pushes = sockets > 0 ? perBatch(messages) : 0;
  const invocations: Readonly<Record<Worker, number>> = {
    Intake: messages,
    Ingest: perBatch(messages),
    Deliver: perBatch(messages),
    Api: half,
    Push: pushes,
    Sweep: template.runsOfADay * daysOfAMonth,
  };
  const workers = Object.entries(invocations) as [Worker, number][];
  const invoked = workers.reduce((sum, [, count]) => sum + count, 0);
  const handled = { Intake: 0, Ingest: messages, Deliver: messages, Api: 0, Push: pushes * batch, Sweep: 0 };
  const gbSeconds = workers.reduce(
    (sum, [name, count]) =>
      sum + toGbSeconds({ name, invocations: count, messages: handled[name] }, template, assumptions),
    0,
  );
  const units = messageUnits(costs, batch);
  const sweeps = template.sweepsOfADay * daysOfAMonth;
  const watches = template.watchesOfADay * daysOfAMonth;
  const requests = messages + half;
  const sweep = costs("Sweep, idle");
  const push = costs("Push an event of a message");
  const emptyPolls = template.polledQueues * assumptions.pollersOfAQueue * (seconds / assumptions.secondsOfAPoll);
  const storedMonths = assumptions.daysStored / daysOfAMonth;
  const storedInTable =
    (messages * (assumptions.storedBytesOfAMessage + assumptions.rawBytesOfAMessage) * storedMonths) / GB;
  const quantities: Readonly<Record<PriceName, number>> = {
    lambdaRequests: invoked,
    lambdaTime: gbSeconds,
    tableWrites: half * (units.inbound.wcu + units.reply.wcu) + sweeps * sweep.wcu,
    tableReads: half * (units.inbound.rcu + units.reply.rcu) + sweeps * sweep.rcu + pushes * push.rcu,
    tableStorage: storedInTable,
    tableRecovery: storedInTable,
    // Each send, and of each batch a receive and a delete: to Inbound, Events and, with a socket, Realtime. Events of a batch
    // that arrived are sent together; a reply sends its own.
    // Each check reads each dead letter queue, and counts what waits in each queue of background work.
    queueRequests:
      emptyPolls +
      watches * template.watchedQueues +
      messages +
      half +
      perBatch(half) +
      4 * perBatch(messages) +
      3 * pushes,
    // The purge. Raw copies of more than 8 KB, which would be files, are rare.
    bucketWrites: 24 * daysOfAMonth,
    keys: template.keys,
    // The endpoint's secret, the account's token, and of each check the key's state.
    keyRequests:
      openedSecrets({ name: "Deliver", invocations: invocations.Deliver, messages }, assumptions) +
      openedSecrets({ name: "Api", invocations: invocations.Api, messages: 0 }, assumptions) +
      watches,
    secrets: template.secrets,
    gatewayRequests: requests,
    socketMessages: sockets * messages,
    socketMinutes: sockets * daysOfAMonth * 1_440,
    alarms: template.alarmMetrics,
    dashboards: template.dashboards,
    logBytes:
      (workers.reduce((sum, [name, count]) => sum + count * logBytesOf.invocation[name], 0) +
        messages * logBytesOf.delivery +
        requests * logBytesOf.request) /
      GB,
    transferOut: (messages * (bytesOut.delivery + bytesOut.answer) + half * (bytesOut.reply + bytesOut.answer)) / GB,
  };
  const lines = (Object.keys(prices) as PriceName[]).map((name): BillLine => {
    const { dollars, per, free } = prices[name];
    const quantity = quantities[name];
    const price = (count: number) => (count / per) * dollars;
    return { name, quantity, list: price(quantity), due: price(Math.max(0, quantity - free)) };
  });
  const sum = (of: (line: BillLine) => number) => lines.reduce((total, line) => total + of(line), 0);
  return { lines, list: sum(({ list }) => list), due: sum(({ due }) => due) };
}

/** What a function did in a month. */
interface Work {
  readonly name: Worker;
  readonly invocations: number;
  readonly messages: number;
}

function toSeconds({ name, invocations, messages }: Work, { millisecondsOf }: PriceTable["assumptions"]): number {
  const { invocation, message } = millisecondsOf[name];
  return (invocations * invocation + messages * message) / 1_000;
}

export function toGbSeconds(work: Work, template: TemplateCounts, assumptions: PriceTable["assumptions"]): number {
  return toSeconds(work, assumptions) * memoryOf(template, work.name);
}

/**
 * How often a secret that a function uses in each invocation is opened in a month: each process opens it once in a while. Even
 * work needs as many processes as run at once.
 */
export function openedSecrets(work: Work, assumptions: PriceTable["assumptions"]): number {
  const { daysOfAMonth, secondsOfAnOpenedSecret } = assumptions;
  const seconds = daysOfAMonth * 86_400;
  const processes = Math.max(1, toSeconds(work, assumptions) / seconds);
  return Math.min(work.invocations, processes * (seconds / secondsOfAnOpenedSecret));
}

function memoryOf({ memory }: TemplateCounts, name: Worker): number {
  const gb = memory[name] ?? Object.entries(memory).find(([id]) => id.replace(/[0-9A-F]{8}$/, "") === name)?.[1];
  if (gb === undefined) throw new Error(`The template has no function ${name}.`);
  return gb;
}
