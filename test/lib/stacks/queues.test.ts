import { expect, test } from "vitest";
import { env, queues as queueNames } from "#base/config/names.ts";
import { resolveReference, resourceProperties, resourcesOfType, synthesizeTemplates } from "../synth-templates.ts";
import { functionEnvironment } from "./support/function-environment.ts";

// The queues, and how functions read them.

const { service } = synthesizeTemplates();

const queues = resourcesOfType(service, "AWS::SQS::Queue");
const redrivePolicy = (id: string) =>
  resourceProperties(service, id).RedrivePolicy as
    | { deadLetterTargetArn: unknown; maxReceiveCount: number }
    | undefined;
const working = queues.map(([id]) => id).filter((id) => redrivePolicy(id) !== undefined);
const dead = queues.map(([id]) => id).filter((id) => redrivePolicy(id) === undefined);
const findResource = (name: string) => {
  const id = working.find((id) => id.startsWith(name));
  if (!id) throw new Error(`The template has no queue ${name}.`);
  return id;
};

test("the queues are ten, each with its own dead letter queue after ten receives", () => {
  expect(working).toHaveLength(10);
  expect(working.map((id) => resolveReference(redrivePolicy(id)?.deadLetterTargetArn)).sort()).toEqual(
    [...dead].sort(),
  );
  for (const id of working) expect(redrivePolicy(id)?.maxReceiveCount).toBe(10);
});

test("the queues are encrypted", () => {
  for (const [, { Properties }] of queues) expect(Properties.SqsManagedSseEnabled).toBe(true);
});

test("the queues keep inbound messages four days and dead seven, profile requests, mails, uploads and frames one, everything else 14", () => {
  const days = (id: string) => Number(resourceProperties(service, id).MessageRetentionPeriod) / 86_400;
  expect(days(findResource("Inbound"))).toBe(4);
  expect(days(findResource("Profiles"))).toBe(1);
  expect(days(findResource("Mails"))).toBe(1);
  expect(days(findResource("Uploads"))).toBe(1);
  expect(days(findResource("Realtime"))).toBe(1);
  const fortnight = ["Events", "Deliveries", "SlowDeliveries", "Erasures", "Accounts"];
  const deadInbound = resolveReference(redrivePolicy(findResource("Inbound"))?.deadLetterTargetArn);
  expect(days(deadInbound)).toBe(7);
  const otherDead = dead.filter((id) => id !== deadInbound);
  for (const id of [...fortnight.map(findResource), ...otherDead]) expect(days(id)).toBe(14);
});

test("each but the dead letter queues, which the sweep reads, has a reader and a visibility timeout of six reader timeouts", () => {
  const sources = resourcesOfType(service, "AWS::Lambda::EventSourceMapping").map(([, { Properties }]) => Properties);
  expect(sources.map(({ EventSourceArn }) => resolveReference(EventSourceArn)).sort()).toEqual([...working].sort());
  for (const { EventSourceArn, FunctionName } of sources) {
    const queue = resourceProperties(service, resolveReference(EventSourceArn));
    const worker = resourceProperties(service, resolveReference(FunctionName));
    expect(Number(queue.VisibilityTimeout)).toBe(6 * Number(worker.Timeout));
  }
  const { Timeout } = resourceProperties(service, "Sweep");
  for (const id of dead) {
    const { VisibilityTimeout } = resourceProperties(service, id);
    expect(Number(VisibilityTimeout)).toBeGreaterThan(Number(Timeout));
    expect(Number(VisibilityTimeout)).toBeLessThan(300);
  }
});

const readers = (template = service) =>
  Object.fromEntries(
    resourcesOfType(template, "AWS::Lambda::EventSourceMapping").map(([, { Properties }]) => [
      resolveReference(Properties.EventSourceArn).replace(/[0-9A-F]{8}$/, ""),
      [
        resolveReference(Properties.FunctionName),
        (Properties.ScalingConfig as { MaximumConcurrency: number }).MaximumConcurrency,
      ],
    ]),
  );

test("each queue has the worker that reads it, with its concurrency limit", () => {
  expect(readers()).toEqual({
    InboundQueue: ["Ingest", 20],
    EventsQueue: ["Deliver", 200],
    DeliveriesQueue: ["Deliver", 50],
    SlowDeliveriesQueue: ["Deliver", 50],
    ProfilesQueue: ["Profile", 5],
    ErasuresQueue: ["Erase", 2],
    MailsQueue: ["Mail", 2],
    UploadsQueue: ["HandOver", 5],
    AccountsQueue: ["Account", 5],
    RealtimeQueue: ["Push", 50],
  });
});

test("the queues take concurrency limits from the operator", () => {
  const set = synthesizeTemplates({
    "parley:inboundConcurrency": "3",
    "parley:eventsConcurrency": "4",
    "parley:deliveriesConcurrency": "5",
    "parley:slowDeliveriesConcurrency": "6",
  }).service;
  expect(readers(set)).toMatchObject({
    InboundQueue: ["Ingest", 3],
    EventsQueue: ["Deliver", 4],
    DeliveriesQueue: ["Deliver", 5],
    SlowDeliveriesQueue: ["Deliver", 6],
  });
});

test("the queues are passed to Sweep, each with its dead letter queue", () => {
  const urls = JSON.stringify(functionEnvironment("Sweep")[env.deadLetterQueueUrls]);
  for (const name of queueNames) {
    const id = resolveReference(redrivePolicy(findResource(name))?.deadLetterTargetArn);
    expect(urls).toMatch(new RegExp(`${name}[^,]*,{"Ref":"${id}"}`));
  }
  expect(queueNames).toHaveLength(working.length);
});

test("the queues of the size small have one dead letter queue, and each is read by two invocations at once", () => {
  const small = synthesizeTemplates({ "parley:size": "small" }).service;
  const queueIds = resourcesOfType(small, "AWS::SQS::Queue").map(([id]) => id.replace(/[0-9A-F]{8}$/, ""));
  expect(queueIds.sort()).toEqual([...working.map((id) => id.replace(/[0-9A-F]{8}$/, "")), "DeadLetterQueue"].sort());
  for (const [id, { Properties }] of resourcesOfType(small, "AWS::SQS::Queue")) {
    if (id.startsWith("DeadLetterQueue")) {
      // As long as the queue that keeps a message longest, and as large as that of the largest messages.
      expect(Properties).toMatchObject({ MessageRetentionPeriod: 14 * 86_400, MaximumMessageSize: 1_048_576 });
      continue;
    }
    const { deadLetterTargetArn, maxReceiveCount } = Properties.RedrivePolicy as Record<string, unknown>;
    expect([resolveReference(deadLetterTargetArn), maxReceiveCount]).toEqual([
      expect.stringMatching(/^DeadLetterQueue/),
      10,
    ]);
  }
  const limits = Object.entries(readers(small)).map(([queue, [reader, limit]]) => [queue, reader, limit]);
  expect(limits.filter(([, , limit]) => limit !== 2)).toEqual([]);
  expect(limits).toHaveLength(10);
});

test("the queues have one dead letter queue at any size where the operator says so, and keep their own concurrency", () => {
  const one = synthesizeTemplates({ "parley:deadLetterQueues": "one" }).service;
  expect(readers(one)).toEqual(readers());
  expect(functionEnvironment("Sweep", one)).toHaveProperty([env.sourceQueues]);
});

test("the queues of the size small are passed to Sweep by their own names, which a dead letter has", () => {
  const small = synthesizeTemplates({ "parley:size": "small" }).service;
  const variables = functionEnvironment("Sweep", small);
  const names = JSON.stringify(variables[env.sourceQueues]);
  for (const name of queueNames) {
    expect(names).toMatch(new RegExp(`${name}[^,]*,{"Fn::GetAtt":\\["${findResource(name)}","QueueName"\\]`));
  }
});

test("the queues are outputs of the stack, so that a dead letter can be sent back", () => {
  for (const name of queueNames) {
    const output = service.Outputs?.[`${name}QueueUrl`] as { Value: unknown } | undefined;
    expect(resolveReference(output?.Value)).toBe(findResource(name));
  }
});

test("the queues are read in batches of ten, uploads and tasks of accounts one at a time, only the attempts of slow endpoints with a window, and a worker reports failed messages", () => {
  for (const [, { Properties }] of resourcesOfType(service, "AWS::Lambda::EventSourceMapping")) {
    const BatchSize = ["HandOver", "Account"].includes(resolveReference(Properties.FunctionName)) ? 1 : 10;
    expect(Properties).toMatchObject({ BatchSize, FunctionResponseTypes: ["ReportBatchItemFailures"] });
    const queue = resolveReference(Properties.EventSourceArn);
    expect(Properties.MaximumBatchingWindowInSeconds).toBe(queue === findResource("SlowDeliveries") ? 1 : 0);
  }
});
