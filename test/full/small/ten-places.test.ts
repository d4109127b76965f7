import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { expect, it } from "vitest";
import { createTestWebhook, openSubscribedReceiver } from "../../e2e/support/api-calls.ts";
import { startLocalStack } from "../../e2e/support/local-stack.ts";
import {
  demoAccountIds,
  newMessageId,
  newPersonId,
  postWebhook,
  textEntry,
} from "../../e2e/support/platform-webhooks.ts";
import { waitFor } from "../../e2e/support/wait-for.ts";
import { openedOnce } from "../../support/opened.ts";

// What a new AWS account runs: ten invocations of all functions at once. Real time, but for the wait of messages that were
// refused a place.

const WEBHOOKS = 500;
const PER_SECOND = 10;
/** A platform repeats at once, then later and later. */
const REPEAT_AFTER_MS = 500;
/** How long a platform waits for an answer. */
const ANSWER_MAX_MS = 5_000;

const stack = openedOnce(() => startLocalStack({ env: { PARLEY_SIZE: "small", PARLEY_CONCURRENCY: "10" } }));
const receiver = openedOnce(() => openSubscribedReceiver(stack));
const hanging = openedOnce(async () => {
  let requests = 0;
  const server: Server = createServer(() => void requests++);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    requests: () => requests,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
});

it("webhooks beside a hanging endpoint, 500 at ten places, are each answered within 5 seconds and delivered, and none becomes a dead letter", async () => {
  await createTestWebhook(stack, hanging.url, ["message.received"]);
  const answerTimes: number[] = [];
  let refusedCount = 0;
  const posts = Array.from({ length: WEBHOOKS }, async (_, i) => {
    await wait((i * 1_000) / PER_SECOND);
    const entry = textEntry(demoAccountIds.messenger, newPersonId(), newMessageId(), `said ${i}`, await stack.now());
    const postedAt = performance.now();
    // A platform sends a webhook again that was not answered with 200.
    while ((await postWebhook(stack, "page", [entry])).status !== 200) {
      refusedCount++;
      await wait(REPEAT_AFTER_MS);
    }
    answerTimes.push(performance.now() - postedAt);
  });
  await Promise.all(posts);
  const delivered = () => new Set(receiver.deliveries.map(({ event }) => event.data.message.text)).size;
  for (let rounds = 0; delivered() < WEBHOOKS && rounds < 40; rounds++) {
    const before = delivered();
    await wait(2_000);
    if (delivered() > before) continue;
    // What waits is hidden, because its invocation was refused.
    await stack.clock("PT3M");
  }
  const refused = stack.errors().split("Rate Exceeded").length - 1;
  process.stdout.write(
    `${WEBHOOKS} webhooks at ten places: slowest 200 after ${Math.round(Math.max(...answerTimes))} ms, ${refusedCount} ` +
      `requests answered 503, ${refused - refusedCount} batches refused, ${hanging.requests()} requests hung\n`,
  );
  await waitFor("all are delivered", () => delivered() === WEBHOOKS);
  expect(answerTimes).toHaveLength(WEBHOOKS);
  expect(Math.max(...answerTimes)).toBeLessThan(ANSWER_MAX_MS);
  expect(hanging.requests()).toBeGreaterThan(0);
  expect(stack.log()).not.toContain("dead_letter");
}, 300_000);
