import type { ServerResponse } from "node:http";
import { expect, it } from "vitest";
import { openCallScope } from "#base/kernel/call-scope.ts";
import { startReceiver } from "./receiver.ts";
import { openWebhookClient, webhookRequest } from "./webhook-client-fixture.ts";

const outOfTime = { name: "OutOfTime" };

it("an attempt whose invocation answers first is not made, and its host is not looked up", async () => {
  const receiver = await startReceiver((response) => response.end());
  let lookups = 0;
  const resolver = async () => {
    lookups++;
    return ["127.0.0.1"];
  };
  const webhookClient = openWebhookClient({ resolver });
  const calls = openCallScope();
  const send = (poolKey: string) =>
    calls.run(() => webhookClient.send(webhookRequest(`http://hooks.example.com:${receiver.port}/`, poolKey)));
  expect(await send("first")).toMatchObject({ kind: "answered", status: 200 });
  calls.end();
  await expect(send("second")).rejects.toMatchObject(outOfTime);
  expect([receiver.requests.length, lookups]).toEqual([1, 1]);
});

it("an attempt whose invocation answers first is not made when it waits for a lookup", async () => {
  const receiver = await startReceiver((response) => response.end());
  const lookedUp = Promise.withResolvers<void>();
  const addresses = Promise.withResolvers<string[]>();
  const resolver = () => {
    lookedUp.resolve();
    return addresses.promise;
  };
  const calls = openCallScope();
  const url = `http://hooks.example.com:${receiver.port}/`;
  const attempt = calls.run(() => openWebhookClient({ resolver }).send(webhookRequest(url)));
  await lookedUp.promise;
  calls.end();
  addresses.resolve(["127.0.0.1"]);
  await expect(attempt).rejects.toMatchObject(outOfTime);
  expect(receiver.requests).toEqual([]);
});

it("an attempt whose invocation answers first is not made when it waits for a connection, and the next one is", async () => {
  const first = Promise.withResolvers<ServerResponse>();
  const receiver = await startReceiver((response) => {
    if (receiver.requests.length === 1) first.resolve(response);
    else response.end();
  });
  const webhookClient = openWebhookClient({ connectionsPerPool: 1 });
  const send = () => webhookClient.send(webhookRequest(`http://127.0.0.1:${receiver.port}/`));
  const calls = openCallScope();
  const inProgress = calls.run(send);
  const response = await first.promise;
  const waiting = calls.run(send);
  calls.end();
  response.end();
  expect(await inProgress).toMatchObject({ kind: "answered", status: 200 });
  await expect(waiting).rejects.toMatchObject(outOfTime);
  expect(await send()).toMatchObject({ kind: "answered", status: 200 });
  expect(receiver.requests).toHaveLength(2);
});
