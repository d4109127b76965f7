import { createHash } from "node:crypto";
import { type DynamoDBClient, PutItemCommand } from "@aws-sdk/client-dynamodb";
import {
  DeleteMessageBatchCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  type SQSClient,
} from "@aws-sdk/client-sqs";
import { Pool } from "undici";
import { createGate } from "#base/net/egress-gate.ts";
import { createWebhookClient } from "#base/net/webhook-client.ts";
import { signWebhook } from "#features/delivery/rules/deliveries.ts";

const SECRET = `whs_${Buffer.alloc(32, 7).toString("base64")}`;
const CONCURRENCY = 10;

/** What a loop cost: CPU microseconds of this process for each of its rounds. */
export async function cpuOf(rounds: number, round: (number: number) => Promise<void>): Promise<number> {
  let next = 0;
  const loop = async (): Promise<void> => {
    while (next < rounds) await round(next++);
  };
  const before = process.cpuUsage();
  await Promise.all(Array.from({ length: CONCURRENCY }, loop));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / rounds;
}

/** A bare loop: sign a body and post it with undici. */
export async function bareLoop(url: string, body: (number: number) => string, rounds: number): Promise<number> {
  const { origin, pathname } = new URL(url);
  const pool = new Pool(origin, { connections: CONCURRENCY });
  try {
    return await cpuOf(rounds, async (number) => {
      const text = body(number);
      const headers = {
        ...signWebhook([SECRET], `evt_${number}`, text, Date.now()),
        "content-type": "application/json",
      };
      const response = await pool.request({ method: "POST", path: pathname, headers, body: text });
      await response.body.dump();
    });
  } finally {
    await pool.destroy();
  }
}

/** The same with the client of the deliver worker. */
export async function clientLoop(url: string, body: (number: number) => string, rounds: number): Promise<number> {
  const client = createWebhookClient({ gate: createGate({ mode: "open" }) });
  try {
    return await cpuOf(rounds, async (number) => {
      const text = body(number);
      const headers = { ...signWebhook([SECRET], `evt_${number}`, text, Date.now()) };
      await client.send({ url, poolKey: "twin", headers, body: text });
    });
  } finally {
    await client.close();
  }
}

interface TwinServices {
  readonly sqs: SQSClient;
  readonly dynamodb: DynamoDBClient;
  readonly queueUrl: string;
  readonly table: string;
}

/**
 * The twin: the calls that a message costs with one endpoint, made with AWS's SDK and no code between them: a send and a
 * tenth of a receive and of a delete for each of two queues, three rows, and the signed post.
 */
export async function twinLoop(
  { sqs, dynamodb, queueUrl, table }: TwinServices,
  post: { readonly url: string; readonly body: (number: number) => string },
  rounds: number,
): Promise<number> {
  const { origin, pathname } = new URL(post.url);
  const pool = new Pool(origin, { connections: CONCURRENCY });
  const passQueue = async (number: number, text: string): Promise<void> => {
    await sqs.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: text }));
    if (number % 10 !== 9) return;
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({ QueueUrl: queueUrl, MaxNumberOfMessages: 10, MessageSystemAttributeNames: ["All"] }),
    );
    if (Messages.length === 0) return;
    const Entries = Messages.map(({ ReceiptHandle }, at) => ({ Id: String(at), ReceiptHandle }));
    await sqs.send(new DeleteMessageBatchCommand({ QueueUrl: queueUrl, Entries }));
  };
  try {
    return await cpuOf(rounds, async (number) => {
      const text = post.body(number);
      const key = createHash("sha256").update(text).digest("hex");
      await passQueue(number, text);
      for (const kind of ["message", "head", "delivery"]) {
        const Item = { PK: { S: `BENCH#${key}` }, SK: { S: kind }, text: { S: text } };
        await dynamodb.send(new PutItemCommand({ TableName: table, Item }));
      }
      await passQueue(number, text);
      const headers = {
        ...signWebhook([SECRET], `evt_${number}`, text, Date.now()),
        "content-type": "application/json",
      };
      const response = await pool.request({ method: "POST", path: pathname, headers, body: text });
      await response.body.dump();
    });
  } finally {
    await pool.destroy();
  }
}
