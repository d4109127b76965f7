import type { ListedDelivery, ListedMessage } from "./api-response.ts";
import type { LocalStack } from "./local-stack.ts";

/** Every message of `GET /v1/messages`, page by page. `filters` such as `&include_test=true`. */
export async function listAllMessages(stack: LocalStack, filters = "", key?: string): Promise<ListedMessage[]> {
  const messages: ListedMessage[] = [];
  let cursor: string | null = null;
  do {
    const cursorParam: string = cursor === null ? "" : `&cursor=${cursor}`;
    const { status, text, body } = await stack.api(
      "GET",
      `/v1/messages?limit=100${filters}${cursorParam}`,
      undefined,
      key,
    );
    if (status !== 200) throw new Error(`GET /v1/messages: ${status} ${text}`);
    messages.push(...body.data.messages);
    cursor = body.data.next_cursor;
  } while (cursor !== null);
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
  const { status, text, body } = await stack.api("POST", "/v1/webhooks", { url, ...(events ? { events } : {}) }, key);
  if (status !== 200) throw new Error(`POST /v1/webhooks: ${status} ${text}`);
  return { id: body.data.endpoint.id, secret: body.data.signing_secret };
}

/** The newest hundred deliveries of an endpoint. */
export async function listDeliveries(stack: LocalStack, endpointId: string): Promise<readonly ListedDelivery[]> {
  const { status, text, body } = await stack.api("GET", `/v1/webhooks/${endpointId}/deliveries?limit=100`);
  if (status !== 200) throw new Error(`GET deliveries: ${status} ${text}`);
  return body.data.deliveries;
}
