import { onTestFinished } from "vitest";
import { createGate } from "#base/net/egress-gate.ts";
import type { HostResolver } from "#base/net/host-resolver.ts";
import { createWebhookClient, type WebhookClient, type WebhookClientOptions } from "#base/net/webhook-client.ts";

/** A webhook client that may call loopback and that ends with the test. */
export function openWebhookClient(
  options: Partial<WebhookClientOptions> & { resolver?: HostResolver } = {},
): WebhookClient {
  const { resolver, ...rest } = options;
  const gate = createGate({ mode: "open", ...(resolver ? { resolver } : {}) });
  return closeAfterTest(createWebhookClient({ gate, ...rest }));
}

export function closeAfterTest(webhookClient: WebhookClient): WebhookClient {
  onTestFinished(() => webhookClient.close());
  return webhookClient;
}

export function webhookRequest(url: string, poolKey = "endpoint") {
  return { url, poolKey: poolKey, headers: { "webhook-id": "evt_1" }, body: '{"id":"evt_1"}' };
}
