import type { Millis } from "#base/kernel/time.ts";
import type { FaultyOperation } from "../../support/faults.ts";

/** What may be out: a service of AWS, or the platform. The queues stay: without them nothing can be put off. */
export const outServices = ["table", "raw", "uploads", "journal", "key", "platform", "all"] as const;
export type OutService = (typeof outServices)[number];

/** A time in which each call of a service fails; `all` stands for every other one. */
export interface Outage {
  readonly service: OutService;
  readonly from: Millis;
  /** Infinity until it has ended. */
  until: Millis;
}

/** The outages of a world, the past ones too. */
export class Outages {
  readonly all: Outage[] = [];
  /** How many calls each service refused. */
  readonly refused = new Map<OutService, number>();
  readonly #now: () => Millis;

  constructor(now: () => Millis) {
    this.#now = now;
  }

  begin(service: OutService, millis: Millis): void {
    this.all.push({ service, from: this.#now(), until: this.#now() + millis });
  }

  /** Ends every outage now. */
  end(): void {
    for (const outage of this.all) outage.until = Math.min(outage.until, this.#now());
  }

  /** Whether a call of the service fails now. Counts it. */
  isOut(service: OutService): boolean {
    const now = this.#now();
    const isOut = this.all.some(({ from, until, ...outage }) => {
      const isMeant = outage.service === service || outage.service === "all";
      return isMeant && from <= now && now < until;
    });
    if (isOut) this.refused.set(service, (this.refused.get(service) ?? 0) + 1);
    return isOut;
  }

  /** Whether a call to AWS fails. */
  includes({ client, input }: FaultyOperation): boolean {
    if (this.all.length === 0) return false;
    switch (client) {
      case "DynamoDBClient":
        return this.isOut("table");
      case "S3Client":
        return this.isOut((input as { Bucket: "raw" | "uploads" | "journal" }).Bucket);
      case "KMSClient":
        return this.isOut("key");
      default:
        return false;
    }
  }
}
