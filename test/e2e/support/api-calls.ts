import { Parley, type Query } from "#client";
import type { Connection } from "#features/accounts/rules/accounts.ts";
import type { ListedDelivery, ListedMessage } from "./api-response.ts";
import { waitUntilIdle } from "./emulator-journals.ts";
import type { LocalStack } from "./local-stack.ts";
import { openReceiver, type Receiver } from "./webhook-receiver.ts";

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

/** Creates a webhook endpoint. Without `events`, it receives the default event types. */
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

/** A receiver with an endpoint for all event types, or for `events`. */
export async function openSubscribedReceiver(stack: LocalStack, events?: readonly string[]): Promise<Receiver> {
  const receiver = await openReceiver();
  await createTestWebhook(stack, receiver.url, events);
  return receiver;
}

/** The key of the demo tenant's account with this connection. */
export function accountKeyOf(stack: LocalStack, connection: Connection): string {
  return stack.info.accounts.find((account) => account.connection === connection)?.account_key ?? "";
}

/** The demo tenant's account with this connection, as the simulator's control routes name it. */
export function simulatedAccount(stack: LocalStack, connection: Connection) {
  return { account: accountKeyOf(stack, connection).split("#")[1] ?? "", connection };
}

/** A person writes to an account, and the message is processed. @returns the conversation id */
export async function personWrites(
  stack: LocalStack,
  connection: Connection,
  person: string,
  text = "hello",
): Promise<string> {
  const sends = { ...simulatedAccount(stack, connection), person, text };
  const { person: id } = await stack.sim<{ person: string }>("POST", "/person-sends", sends);
  await waitUntilIdle(stack);
  return `CONV#demo#${accountKeyOf(stack, connection)}#${id}`;
}

/** The demo tenant's account with this connection, as the API lists it. */
export async function readAccount(
  stack: LocalStack,
  connection: Connection,
): Promise<Record<string, unknown> | undefined> {
  const { accounts } = (await stack.api("GET", "/v1/accounts")).body.data;
  return accounts.find(({ account_key }) => account_key === accountKeyOf(stack, connection)) as never;
}

/** A message that the platform accepted. */
export interface SentMessage {
  readonly mid: string;
  readonly person: string;
  readonly request: {
    readonly message?: { readonly text?: string };
    readonly messaging_type?: string;
    readonly tag?: string;
    readonly appsecret_proof?: string;
  };
}

/** The messages that the platform accepted, of this text if it is given. */
export async function sentMessages(stack: LocalStack, text?: string): Promise<SentMessage[]> {
  const { sent } = await stack.sim<{ sent: SentMessage[] }>("GET", "/sent");
  return text === undefined ? sent : sent.filter(({ request }) => request.message?.text === text);
}
