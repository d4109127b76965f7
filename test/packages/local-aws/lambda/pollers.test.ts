import { afterEach, expect, it } from "vitest";
import { type Pollers, startPollers } from "#local-aws/lambda/pollers.ts";
import { FunctionFailed } from "#local-aws/lambda/sandbox.ts";
import { MINUTE, SECOND } from "#local-aws/support/time.ts";
import { openedEach } from "../../../support/opened.ts";
import { startEmulatorFixture } from "../emulators/support/emulator-fixture.ts";
import { createTestQueue } from "../emulators/support/test-queue.ts";

let pollers: Pollers | undefined;
const fixture = openedEach(startEmulatorFixture);
const queue = openedEach(() =>
  createTestQueue(fixture.sqs, "work", { VisibilityTimeout: String((6 * MINUTE) / SECOND) }),
);
afterEach(async () => {
  await pollers?.close();
});

interface SqsEvent {
  readonly Records: readonly { readonly body: string; readonly attributes: Readonly<Record<string, string>> }[];
}

/** Polls the queue for a function, and returns the bodies and receive counts of each of its events. */
async function poll(handle: (event: SqsEvent, nth: number) => unknown, { concurrency = 2, batchSize = 10 } = {}) {
  const events: string[][] = [];
  const mapping = {
    functionId: "Worker",
    queueUrl: queue.url,
    queueArn: await queue.attribute("QueueArn"),
    batchSize,
    batchWindowSeconds: 0,
    concurrency,
    reportsFailures: true,
  };
  pollers = startPollers([mapping], {
    sqsOf: () => fixture.sqs,
    report: () => {},
    functions: {
      ready: async () => {},
      invoke: async (_id, event) => {
        const { Records } = event as SqsEvent;
        events.push(Records.map(({ body, attributes }) => `${body} ${attributes.ApproximateReceiveCount}`));
        return await handle(event as SqsEvent, events.length);
      },
    },
  });
  return events;
}

it("a batch whose function could not be loaded comes back after 5 seconds, doubled with each receive, long before the visibility timeout", async () => {
  const events = await poll((_event, nth) => {
    if (nth <= 2) throw new FunctionFailed("unloadable", "Worker was not loaded within 16 s.");
    return null;
  });
  await queue.send("a");
  for (const [receive, delay] of [5 * SECOND, 10 * SECOND].entries()) {
    await expect.poll(() => events).toHaveLength(receive + 1);
    await pollers?.settle(MINUTE);
    fixture.advance(delay - 1);
    expect(await queue.attribute("ApproximateNumberOfMessagesNotVisible")).toBe("1");
    // The delay has a jitter of up to a tenth.
    fixture.advance(delay / 10 + SECOND);
  }
  await expect.poll(() => events).toEqual([["a 1"], ["a 2"], ["a 3"]]);
  await pollers?.settle(MINUTE);
  expect(await queue.attribute("ApproximateNumberOfMessagesNotVisible")).toBe("0");
});

it.each(["threw", "timed-out", "died", "throttled"] as const)(
  "%s comes back after the visibility timeout",
  async (reason) => {
    const events = await poll((_event, nth) => {
      if (nth === 1) throw new FunctionFailed(reason, "no");
      return null;
    });
    await queue.send("a");
    await expect.poll(() => events).toHaveLength(1);
    await pollers?.settle(MINUTE);
    fixture.advance(6 * MINUTE - 1);
    expect(await queue.attribute("ApproximateNumberOfMessagesNotVisible")).toBe("1");
    fixture.advance(1);
    // An event source pauses after a refusal.
    await expect.poll(() => events, { timeout: 5_000 }).toEqual([["a 1"], ["a 2"]]);
  },
);

it("an event source runs as many invocations as it may, and receives no more than they take", async () => {
  const answers: (() => void)[] = [];
  const events = await poll(() => new Promise<null>((resolve) => answers.push(() => resolve(null))), {
    concurrency: 3,
    batchSize: 1,
  });
  for (const body of ["a", "b", "c", "d", "e"]) await queue.send(body);
  await expect.poll(() => events).toHaveLength(3);
  expect(await queue.attribute("ApproximateNumberOfMessages")).toBe("2");
  answers[1]?.();
  await expect.poll(() => events).toHaveLength(4);
  expect(await queue.attribute("ApproximateNumberOfMessages")).toBe("1");
  for (const answer of answers) answer();
  await expect.poll(() => events).toHaveLength(5);
  answers[4]?.();
});

it("an event source whose invocation found no place reads the next batch after a pause, so that the others stay visible", async () => {
  const times: number[] = [];
  const events = await poll(
    (_event, nth) => {
      times.push(performance.now());
      if (nth <= 2) throw new FunctionFailed("throttled", "Rate Exceeded");
      return null;
    },
    { batchSize: 1 },
  );
  for (const body of ["a", "b", "c"]) await queue.send(body);
  await expect.poll(() => events, { timeout: 5_000 }).toHaveLength(3);
  const [first = 0, second = 0, third = 0] = times;
  // The pause is a second. A poll that began before the refusal may bring one more batch.
  expect(third - first).toBeGreaterThan(900);
  expect(second).toBeGreaterThan(0);
});
