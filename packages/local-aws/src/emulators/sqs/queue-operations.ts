import { randomUUID } from "node:crypto";
import { z } from "zod";
import { type Operation, operation } from "../json-service.ts";
import { ServiceError } from "../service-error.ts";
import { normalizeAttributes } from "./attributes.ts";
import type { Queue } from "./queue.ts";
import type { Queues } from "./queues.ts";

const strings = z.record(z.string(), z.string());
const queueUrl = z.object({ QueueUrl: z.string() });

/** The operations on queues. */
export function queueOperations(queues: Queues): Record<string, Operation> {
  return {
    CreateQueue: operation(
      z.object({ QueueName: z.string(), Attributes: strings.optional(), tags: strings.optional() }),
      (input) => ({ QueueUrl: queues.url(create(queues, input.QueueName, input.Attributes, input.tags)) }),
    ),
    GetQueueUrl: operation(z.object({ QueueName: z.string() }), (input) => ({
      QueueUrl: queues.url(queues.get(input.QueueName)),
    })),
    ListQueues: operation(z.object({ QueueNamePrefix: z.string().optional() }), (input) => ({
      QueueUrls: queues
        .list()
        .filter((queue) => queue.name.startsWith(input.QueueNamePrefix ?? ""))
        .map((queue) => queues.url(queue)),
    })),
    DeleteQueue: operation(queueUrl, (input) => queues.drop(queues.get(input.QueueUrl))),
    PurgeQueue: operation(queueUrl, (input) => queues.get(input.QueueUrl).purge()),
    GetQueueAttributes: operation(queueUrl.extend({ AttributeNames: z.array(z.string()).optional() }), (input) => ({
      Attributes: pick(allAttributes(queues.get(input.QueueUrl)), input.AttributeNames ?? []),
    })),
    SetQueueAttributes: operation(queueUrl.extend({ Attributes: strings }), (input) => {
      queues.configure(queues.get(input.QueueUrl), { attributes: normalizeAttributes(input.Attributes) });
    }),
    TagQueue: operation(queueUrl.extend({ Tags: strings }), (input) => {
      const queue = queues.get(input.QueueUrl);
      queues.configure(queue, { tags: { ...queue.settings.tags, ...input.Tags } });
    }),
    ListQueueTags: operation(queueUrl, (input) => ({ Tags: queues.get(input.QueueUrl).settings.tags })),
    ListDeadLetterSourceQueues: operation(queueUrl, (input) => ({
      queueUrls: deadLetterSources(queues, queues.get(input.QueueUrl)).map((queue) => queues.url(queue)),
    })),
    StartMessageMoveTask: operation(
      z.object({ SourceArn: z.string(), DestinationArn: z.string().optional() }),
      (input) => {
        startMove(queues, input.SourceArn, input.DestinationArn);
        return { TaskHandle: randomUUID() };
      },
    ),
  };
}

type Strings = Readonly<Record<string, string>>;

function create(queues: Queues, name: string, attributes: Strings = {}, tags: Strings = {}): Queue {
  if (!/^[\w-]{1,80}$/.test(name)) {
    throw new ServiceError(
      "InvalidParameterValue",
      "A queue's name is 1 to 80 letters, digits, hyphens or underscores; FIFO queues are not emulated.",
    );
  }
  const normalized = normalizeAttributes(attributes);
  const existing = queues.find(name);
  if (!existing) return queues.create(name, normalized, tags);
  const mismatch = Object.keys(normalized).find((key) => (existing.settings.attributes[key] ?? "") !== normalized[key]);
  if (mismatch === undefined) return existing;
  throw new ServiceError(
    "QueueNameExists",
    `A queue already exists with the same name and a different value for attribute ${mismatch}: use SetQueueAttributes.`,
    { queryCode: "QueueAlreadyExists" },
  );
}

function allAttributes(queue: Queue): Strings {
  const { attributes, createdAt, modifiedAt } = queue.settings;
  const { visible, inFlight, delayed } = queue.counts();
  return {
    ...attributes,
    QueueArn: queue.arn,
    CreatedTimestamp: String(Math.floor(createdAt / 1000)),
    LastModifiedTimestamp: String(Math.floor(modifiedAt / 1000)),
    ApproximateNumberOfMessages: String(visible),
    ApproximateNumberOfMessagesNotVisible: String(inFlight),
    ApproximateNumberOfMessagesDelayed: String(delayed),
  };
}

function pick(attributes: Strings, names: readonly string[]): Strings {
  if (names.includes("All")) return attributes;
  return Object.fromEntries(Object.entries(attributes).filter(([name]) => names.includes(name)));
}

function deadLetterSources(queues: Queues, deadLetters: Queue): Queue[] {
  return queues.list().filter((queue) => queue.redrive?.targetArn === deadLetters.arn);
}

function startMove(queues: Queues, sourceArn: string, destinationArn: string | undefined): void {
  const from = requireQueueByArn(queues, sourceArn);
  const target = destinationArn === undefined ? null : requireQueueByArn(queues, destinationArn);
  if (deadLetterSources(queues, from).length === 0) {
    throw new ServiceError("InvalidParameterValue", "Source queue must be configured as a Dead Letter Queue.");
  }
  from.moveAll(target);
}

function requireQueueByArn(queues: Queues, arn: string): Queue {
  const queue = queues.queueByArn(arn);
  if (queue) return queue;
  throw new ServiceError("ResourceNotFoundException", `No queue has the ARN ${arn}.`);
}
