import { onTestFinished } from "vitest";
import { createGate } from "../../../shared/net/egress-gate.ts";
import type { HostResolver } from "../../../shared/net/host-resolver.ts";
import { createPoster, type Poster, type PosterOptions } from "../../../shared/net/webhook-client.ts";

/** A poster that may call loopback, and that ends with the test. */
export function openPoster(options: Partial<PosterOptions> & { resolver?: HostResolver } = {}): Poster {
  const { resolver, ...rest } = options;
  const gate = createGate({ mode: "open", ...(resolver ? { resolver } : {}) });
  return closing(createPoster({ gate, ...rest }));
}

export function closing(poster: Poster): Poster {
  onTestFinished(() => poster.close());
  return poster;
}

export function requestTo(url: string, lane = "endpoint") {
  return { url, lane, headers: { "webhook-id": "evt_1" }, body: '{"id":"evt_1"}' };
}
