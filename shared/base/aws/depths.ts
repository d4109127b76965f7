import { GetQueueAttributesCommand, type SQSClient } from "@aws-sdk/client-sqs";
import { callScopePlugin } from "../kernel/call-scope.ts";
import { allDone } from "../kernel/parallel.ts";
import { queueClient } from "./queues.ts";

const visible = ["ApproximateNumberOfMessages"] as const;
const all = [...visible, "ApproximateNumberOfMessagesNotVisible", "ApproximateNumberOfMessagesDelayed"] as const;

export type Depths = ReturnType<typeof openDepths<string>>;

/** Opens queues to count their messages. @param urls the queues' URLs by their names */
export function openDepths<Name extends string>(urls: ReadonlyMap<Name, string>, client: SQSClient = queueClient()) {
  client.middlewareStack.use(callScopePlugin);
  return {
    /** How many messages of each queue a reader could receive now: one request each. SQS counts approximately. */
    async countVisible(): Promise<{ queue: Name; messages: number }[]> {
      return allDone(
        [...urls].map(async ([queue, url]) => ({ queue, messages: await countMessages(client, url, visible) })),
      );
    },
  };
}

/** How many messages a queue has, with those that are being received and those that wait. SQS counts approximately. */
export function countAllMessages(queueUrl: string, client: SQSClient): Promise<number> {
  return countMessages(client, queueUrl, all);
}

async function countMessages(
  client: SQSClient,
  QueueUrl: string,
  names: readonly (typeof all)[number][],
): Promise<number> {
  const { Attributes = {} } = await client.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [...names] }),
  );
  return names.reduce((sum, name) => sum + Number(Attributes[name] ?? 0), 0);
}
