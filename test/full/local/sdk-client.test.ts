import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { bundleFolders } from "../../../lib/bundles/bundle-sizes.ts";
import { listDeliveries, openSubscribedReceiver, personWrites } from "../../e2e/support/api-calls.ts";
import { startLocalStack } from "../../e2e/support/local-stack.ts";
import { waitFor } from "../../e2e/support/wait-for.ts";

it("the bundles of a stack with PARLEY_AWS_CLIENT=sdk have the SDK, and a message reaches its endpoint", async () => {
  const stack = await startLocalStack({ env: { PARLEY_AWS_CLIENT: "sdk" } });
  onTestFinished(() => stack.stop());
  const bundles = bundleFolders(join(stack.dataDir, "cdk.out"));
  for (const name of ["Intake", "Ingest", "Deliver", "Api"] as const) {
    expect(readFileSync(join(bundles[name], "index.mjs"), "utf8"), name).toContain("aws-sdk-js");
  }
  const receiver = await openSubscribedReceiver(stack);
  onTestFinished(() => receiver.close());
  await personWrites(stack, "messenger", "Sally Dean", "Is it there?");
  const received = () => receiver.deliveries.filter(({ event }) => event.type === "message.received");
  await waitFor("the event arrived", () => received().length > 0);
  expect(received().map(({ event }) => event.data.message?.text)).toEqual(["Is it there?"]);
  const [endpoint] = (await stack.api("GET", "/v1/webhooks")).body.data.endpoints;
  expect((await listDeliveries(stack, endpoint?.id ?? "")).map(({ status }) => status)).toContain("delivered");
});
