import type { Log } from "#base/aws/log.ts";
import type { Endpoints } from "#features/webhooks/store/endpoints.ts";
import type { Counters } from "./store.ts";

export interface CountingPorts {
  readonly counters: Pick<Counters, "add">;
  readonly log: Log;
}

export interface StatsPorts {
  readonly counters: Pick<Counters, "window">;
  readonly endpoints: Pick<Endpoints, "list">;
}
