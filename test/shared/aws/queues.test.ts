import { CreateQueueCommand, SendMessageBatchCommand, SQSClient } from "@aws-sdk/client-sqs";
import { mockClient } from "aws-sdk-client-mock";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Outgoing, openQueue } from "../../../shared/aws/queues.ts";
import { MINUTE, SECOND } from "../../../shared/kernel/time.ts";
import { type Bench, startBench } from "../../local/emulators/support/bench.ts";
import { depth, receive, receiveAll } from "../flows/support/queue-work.ts";

let bench: Bench;
let url: string;
let queues = 0;
beforeAll(async () => {
  bench = await startBench();
});
afterAll(() => bench.close());
beforeEach(async () => {
  const { QueueUrl } = await bench.sqs.send(new CreateQueueCommand({ QueueName: `queue-${++queues}` }));
  url = QueueUrl ?? "";
});

const bodies = (count: number, of = (i: number) => `m${i}`): Outgoing[] =>
  Array.from({ length: count }, (_, i) => ({ body: of(i) }));
const batches = () => bench.emulators.sqs.counts.SendMessageBatch ?? 0;

describe("sending many", () => {
  it.each([
    [0, 0],
    [1, 1],
    [10, 1],
    [11, 2],
    [25, 3],
  ])("%i messages takes %i requests, and each arrives once", async (count, requests) => {
    const before = batches();
    await openQueue(url, bench.sqs).sendAll(bodies(count));
    expect(batches() - before).toBe(requests);
    const arrived = await receiveAll(bench.sqs, url);
    expect(arrived.map(({ body }) => body).sort()).toEqual(
      bodies(count)
        .map(({ body }) => body)
        .sort(),
    );
  });

  it("makes ten requests at once, and no more", async () => {
    let [under, most] = [0, 0];
    const gauge = "gauge";
    bench.sqs.middlewareStack.add(
      (next) => async (args) => {
        most = Math.max(most, ++under);
        return next(args).finally(() => under--);
      },
      { step: "initialize", name: gauge },
    );
    await openQueue(url, bench.sqs).sendAll(bodies(200));
    bench.sqs.middlewareStack.remove(gauge);
    expect(most).toBe(10);
    expect(await depth(bench.sqs, url)).toBe(200);
  });

  it("never puts more into a request than the queue takes at once", async () => {
    const before = batches();
    await openQueue(url, bench.sqs).sendAll(bodies(6, (i) => `${i}${"é".repeat(150_000)}`));
    expect(batches() - before).toBe(2);
    expect(await depth(bench.sqs, url)).toBe(6);
  });

  it("fails as a whole when one message of a batch was not taken, and says with which code", async () => {
    const failing = mockClient(SQSClient);
    failing.on(SendMessageBatchCommand).resolves({
      Successful: [],
      Failed: [{ Id: "1", Code: "InternalError", SenderFault: false }],
    });
    try {
      const queue = openQueue(url, new SQSClient({ region: "us-east-1" }));
      await expect(queue.sendAll(bodies(2))).rejects.toThrow("InternalError");
      failing.on(SendMessageBatchCommand).resolves({ Successful: [], Failed: [] });
      await expect(queue.sendAll(bodies(2))).resolves.toBeUndefined();
    } finally {
      failing.restore();
    }
  });
});

describe("a message", () => {
  it("waits to the second, rounded up, and never a negative time", async () => {
    const queue = openQueue(url, bench.sqs);
    await queue.send({ body: "late", delay: 1_001 });
    await queue.send({ body: "now", delay: -5 });
    expect((await receive(bench.sqs, url)).map(({ body }) => body)).toEqual(["now"]);
    bench.turn(2 * SECOND - 1);
    expect(await receive(bench.sqs, url)).toEqual([]);
    bench.turn(1);
    expect((await receive(bench.sqs, url)).map(({ body }) => body)).toEqual(["late"]);
  });

  it("may wait fifteen minutes, which the queue takes, and not a second more", async () => {
    const queue = openQueue(url, bench.sqs);
    await queue.send({ body: "x", delay: 15 * MINUTE });
    await expect(queue.send({ body: "x", delay: 15 * MINUTE + 1 })).rejects.toMatchObject({
      name: expect.stringContaining("InvalidParameterValue"),
    });
  });

  it("that was received is put off for as long as asked", async () => {
    const queue = openQueue(url, bench.sqs);
    await queue.send({ body: "x" });
    const [first] = await receive(bench.sqs, url);
    await queue.postpone(first?.receiptHandle ?? "", 5_500);
    bench.turn(6 * SECOND - 1);
    expect(await receive(bench.sqs, url)).toEqual([]);
    bench.turn(1);
    expect(await receive(bench.sqs, url)).toMatchObject([{ attributes: { ApproximateReceiveCount: "2" } }]);
  });
});
