import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Conversations } from "./inbox.ts";
import { type Scenario, seededAccount, UNKNOWN_ULID } from "./scenario.ts";

/** An endpoint, its deliveries and their replay. */
export async function recordWebhooks(scenario: Scenario, { messenger }: Conversations): Promise<void> {
  const received: string[] = [];
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      received.push(request.url ?? "");
      response.end("ok");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const { port } = server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/parley`;
    scenario.texts[url] = "https://hooks.example.com/parley";
    await recordEndpoint(scenario, { url, conversation: messenger });
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

async function recordEndpoint(
  scenario: Scenario,
  { url, conversation }: { readonly url: string; readonly conversation: string },
): Promise<void> {
  const { example, send, stack, live: headers } = scenario;
  const path = "/v1/webhooks";
  await example("listEventTypes", "All event types", { path: "/v1/event-types", headers });
  await example("listEventTypes", null, { path: "/v1/event-types" });
  const created = await example("createWebhook", "An endpoint for two event types", {
    path,
    headers,
    body: { url, events: ["message.received", "message.sent"] },
  });
  await example("createWebhook", null, { path, headers, body: { url: "ftp://example.com" } });
  const one = `${path}/${created.data.endpoint.id}`;
  const unknown = `${path}/${UNKNOWN_ULID}`;
  await example("listWebhooks", "The endpoints of a workspace", { path, headers });
  await example("listWebhooks", null, { path });
  await example("getWebhook", "An endpoint", { path: one, headers });
  await example("getWebhook", null, { path: unknown, headers });
  await example("updateWebhook", "More event types", {
    method: "PATCH",
    path: one,
    headers,
    body: { events: ["message.received", "message.sent", "message.failed", "test.event"] },
  });
  await example("updateWebhook", null, { method: "PATCH", path: one, headers, body: { status: "gone" } });
  await example("sendTestEvent", "A test event", { method: "POST", path: `${one}/test`, headers });
  await example("sendTestEvent", null, { method: "POST", path: `${unknown}/test`, headers });

  const { id: account } = seededAccount(scenario, "messenger");
  const person = conversation.split("#").at(-1);
  await stack.simulate("/person-sends", { account, connection: "messenger", person, text: "Thank you!" });
  const delivered = await stack.until("the delivery of the message", async () => {
    const { data } = await send({ path: `${one}/deliveries?event_type=message.received`, headers });
    return data.deliveries.find(({ status }: { status: string }) => status === "delivered");
  });
  await example("listDeliveries", "The newest delivered messages", {
    path: `${one}/deliveries?status=delivered&event_type=message.received`,
    headers,
  });
  await example("listDeliveries", null, { path: `${one}/deliveries?status=lost`, headers });
  await example("summarizeDeliveries", "Deliveries by status", { path: `${one}/deliveries/summary`, headers });
  await example("summarizeDeliveries", null, { path: `${unknown}/deliveries/summary`, headers });
  const delivery = `${one}/deliveries/${delivered.delivery_id}`;
  await example("getDelivery", "A delivery with its attempts", { path: delivery, headers });
  await example("getDelivery", null, { path: `${one}/deliveries/unknown`, headers });
  await example("replayDelivery", null, { method: "POST", path: `${delivery}/replay`, headers });
  await example("replayDelivery", "A delivered event", {
    method: "POST",
    path: `${delivery}/replay?force=true`,
    headers,
  });
  await stack.until("the repeated delivery", async () => {
    const { data } = await send({ path: one, headers });
    // Of the test event, of the message, and of its repetition.
    return data.endpoint.health.delivered_24h === 3;
  });
  const from = new Date(await stack.now()).toISOString();
  await example("replayDeliveries", "Undelivered events of a time window", {
    path: `${one}/deliveries/replay`,
    headers,
    body: { from },
  });
  await example("replayDeliveries", null, { path: `${unknown}/deliveries/replay`, headers, body: { from: 0 } });
  await example("rotateWebhookSecret", "A new secret", { method: "POST", path: `${one}/rotate`, headers });
  await example("rotateWebhookSecret", null, { method: "POST", path: `${unknown}/rotate`, headers });
  await example("deleteWebhook", "An endpoint", { method: "DELETE", path: one, headers });
  await example("deleteWebhook", null, { method: "DELETE", path: unknown, headers });
}
