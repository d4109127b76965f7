import type { Log } from "../../aws/log.ts";
import type { Counters } from "../../stores/stats/counters.ts";
import type { Endpoints } from "../../stores/webhooks/endpoints.ts";

export interface CountingPorts {
  readonly counters: Pick<Counters, "add">;
  readonly log: Log;
}

export interface StatsPorts {
  readonly counters: Pick<Counters, "window">;
  readonly endpoints: Pick<Endpoints, "list">;
}
