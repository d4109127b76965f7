import { expect, test } from "vitest";
import { platformHttp } from "#platforms/graph/http.ts";
import { accountPlatformFor } from "#platforms/platforms.ts";
import {
  simulatorUpstream,
  startTestSimulator,
  startWebhookReceiver,
  testAccounts,
  testSecrets,
} from "../../packages/simulator/simulator-fixture.ts";

// The calls against the simulator, which shares no code with them.

test.each(["login", "viaPage", "messenger"] as const)("the simulator answers each call of %s", async (name) => {
  const hook = await startWebhookReceiver();
  const simulator = await startTestSimulator(hook.url);
  const { person } = await simulator.personSends(name);
  const { connection, token, externalId, pageId } = testAccounts[name];
  const app = { metaAppId: null, metaSecret: testSecrets.meta };
  const calls = accountPlatformFor(connection, { upstream: simulatorUpstream(simulator), http: platformHttp(), app });
  const account = { platform: name === "messenger" ? "messenger" : "instagram", externalId, pageId } as const;
  expect(await calls.unsubscribe(account, token)).toEqual({ kind: "done" });
  expect(await calls.readSubscription(account, token)).toEqual({ kind: "read", isComplete: false });
  expect(await calls.subscribe(account, token)).toEqual({ kind: "done" });
  expect(await calls.readSubscription(account, token)).toEqual({ kind: "read", isComplete: true });
  const picture = await calls.readPicture(account, token);
  const shown = await fetch(picture.kind === "read" ? (picture.url ?? "") : "");
  expect([shown.status, shown.headers.get("content-type")]).toEqual([200, "image/png"]);
  const list = await calls.listThreads(account, token, { after: null, limit: 10 });
  expect(list).toMatchObject({ kind: "listed", threads: [{ updatedAt: expect.any(Number) }], next: null });
  const threadId = list.kind === "listed" ? (list.threads[0]?.id ?? "") : "";
  expect(await calls.readThread(account, token, threadId)).toMatchObject({
    kind: "read",
    messages: [{ participantId: person, direction: "inbound" }],
  });
});
