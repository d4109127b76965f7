import { Parley, type Query } from "#client";
import type { ListedDelivery, ListedMessage } from "./api-response.ts";
import type { LocalStack } from "./local-stack.ts";

/** A client of the stack. It retries nothing, so that no failure is hidden. */
export function openClient({ info }: LocalStack, apiKey = info.live_key): Parley {
  return new Parley({ baseUrl: info.base_url, apiKey, maxRetries: 0 });
}

/** Every message of `GET /v1/messages`, page by page. */
export async function listAllMessages(
  stack: LocalStack,
  query: Query<"GET /v1/messages"> = {},
): Promise<ListedMessage[]> {
  const messages: ListedMessage[] = [];
  for await (const message of openClient(stack).messages.list({ limit: 100, ...query })) messages.push(message);
  return messages;
}

export interface TestWebhook {
  readonly id: string;
  readonly secret: string;
}

/** Creates a webhook endpoint. Without `events`, it receives all event types. */
export async function createTestWebhook(
  stack: LocalStack,
  url: string,
  events?: readonly string[],
  key?: string,
): Promise<TestWebhook> {
  const body = { url, ...(events ? { events: [...events] as EventTypes } : {}) };
  const { endpoint, signing_secret } = await openClient(stack, key).webhooks.create(body);
  return { id: endpoint.id, secret: signing_secret };
}

type EventTypes = NonNullable<Parameters<Parley["webhooks"]["create"]>[0]["events"]>;

/** The newest hundred deliveries of an endpoint. */
export async function listDeliveries(stack: LocalStack, endpointId: string): Promise<readonly ListedDelivery[]> {
  return (await openClient(stack).deliveries.list(endpointId, { limit: 100 })).deliveries;
}
