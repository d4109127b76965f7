import { CreateQueueCommand, SetQueueAttributesCommand } from "@aws-sdk/client-sqs";
import { GetCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { expect } from "vitest";
import { type QueueName, queues } from "#base/config/names.ts";
import { MINUTE, SECOND } from "#base/kernel/time.ts";
import type { WebhookClient } from "#base/net/webhook-client.ts";
import { queueDepth, toQueueArn } from "../flows/queue-worker.ts";
import { type EventSource, eventSource, type Handler } from "../pipeline/event-source.ts";
import type { SignedWebhook } from "../pipeline/traffic.ts";
import { openWorkspace } from "../pipeline/workspace.ts";
import { startPipeline } from "../pipeline.ts";
import { startFlowTable } from "../world/flow-table.ts";
import { importLaterRelease, LATER_LETTER, LATER_TEXT } from "./later-release.ts";
import { openRelease, type Release } from "./release.ts";

type FunctionName = "intake" | "ingest" | "deliver" | "profile" | "sweep";
type Version = "present" | "later";

/** The functions in the orders that make the most messages unreadable: who sends changes before who receives, and back after. */
const FORWARD = ["intake", "ingest", "profile", "deliver", "sweep"] as const;
const BACK = ["deliver", "sweep", "profile", "ingest", "intake"] as const;

/** Behind which queue each worker stands. Each has a queue of dead letters. */
const workers: readonly (readonly [QueueName, FunctionName])[] = [
  ["Inbound", "ingest"],
  ["Events", "deliver"],
  ["Deliveries", "deliver"],
  ["SlowDeliveries", "deliver"],
  ["Profiles", "profile"],
];

const RECEIVES_MAX = 10;
const PER_TICK = 5;
const TICK = 2 * SECOND;

export interface Rollout {
  /** The ids of all messages, in the order of their webhooks. */
  readonly sent: readonly string[];
  /** The types of the events that the endpoint got, by the id of their message. */
  readonly delivered: ReadonlyMap<string, ReadonlySet<string>>;
  /** How many of the messages had been delivered when every function was back, and when all had been redriven. */
  readonly deliveredBeforeRedrive: number;
  /** The dead letters that the present release could not read, by their queue. */
  readonly deadLetters: ReadonlyMap<QueueName, number>;
  /** The versions in the error lines about messages that a release could not read. */
  readonly unreadableVersions: ReadonlySet<number | null>;
  /** The messages that are left in a queue at the end. */
  readonly left: number;
}

/**
 * Posts webhooks while the functions change one by one to a later release, and back. After that the later release is deployed
 * again and redrives what the present one could not read.
 */
export async function runRollout(webhooks: number): Promise<Rollout> {
  const delivered = new Map<string, Set<string>>();
  const webhookClient: WebhookClient = {
    async send({ body }) {
      const { type, data } = JSON.parse(String(body)) as { type: string; data: { message: { id: string } } };
      delivered.set(data.message.id, (delivered.get(data.message.id) ?? new Set()).add(type));
      return { kind: "answered", status: 200, durationMs: 1, retryAfter: null, response: "" };
    },
    async close() {},
  };
  const later = await importLaterRelease();
  const pipeline = await startPipeline({ webhookClient, startTable: startFlowTable, isMetered: false });
  try {
    const { sqs, queueUrls, host, now } = pipeline;
    const deadUrls = await createDeadLetterQueues(sqs, queueUrls);
    const releases: Readonly<Record<Version, Release>> = {
      present: openRelease(host, now),
      later: later.openRelease(host, now),
    };
    const deployed = new Map<FunctionName, Version>(FORWARD.map((name) => [name, "present"]));
    const running = (name: FunctionName) => releases[deployed.get(name) ?? "present"];
    const handlerOf =
      (name: Exclude<FunctionName, "intake" | "sweep">): Handler =>
      (event, invocation) =>
        running(name)[name](event, invocation);
    const sources: readonly EventSource[] = workers.map(([queue, name]) =>
      eventSource(sqs, queueUrls[queue], handlerOf(name as "ingest")),
    );
    const runWorkers = async () => {
      for (const source of sources)
        for (let batch = await source.next(); batch; batch = await source.next()) await batch.work();
      await running("sweep").sweep({ task: "watch" }, { getRemainingTimeInMillis: () => 50 * SECOND });
    };
    /** Until every message was processed or received ten times. */
    const settle = async () => {
      for (let passed = 0; passed < 40 * MINUTE; passed += MINUTE) {
        await runWorkers();
        pipeline.advance(MINUTE);
      }
    };

    const workspace = await openWorkspace(pipeline, { slug: "a-shop-0001", platform: "instagram", endpoints: 1 });
    await subscribeToLaterType(pipeline, workspace.tenant, workspace.endpointIds[0] ?? "");
    const sent: string[] = [];
    const post = async ({ platform, body, signature }: SignedWebhook) => {
      const request = new Request(`http://gateway/webhooks/${platform}`, {
        method: "POST",
        headers: { "x-hub-signature-256": signature },
        body,
      });
      expect((await running("intake").intake.fetch(request, {})).status).toBe(200);
    };

    const switches = [
      ...FORWARD.map((name) => ({ name, version: "later" as const })),
      ...BACK.map((name) => ({ name, version: "present" as const })),
    ];
    // As many webhooks come before the first switch, between two, and after the last one.
    const interval = Math.ceil(webhooks / (switches.length + 1));
    while (sent.length < webhooks) {
      for (let n = 0; n < PER_TICK && sent.length < webhooks; n++) {
        if (sent.length > 0 && sent.length % interval === 0) {
          const change = switches[sent.length / interval - 1];
          if (change) deployed.set(change.name, change.version);
        }
        const mid = `m-${sent.length}`;
        const text = `${sent.length % 2 === 0 ? LATER_TEXT : "same"} ${sent.length}`;
        await post(workspace.nextWebhookWith(sent.length % 50, { mid, text }));
        sent.push(mid);
      }
      await runWorkers();
      pipeline.advance(TICK);
    }
    expect([...deployed.values()]).toEqual(FORWARD.map(() => "present"));
    await settle();
    const deliveredBeforeRedrive = delivered.size;

    for (const name of FORWARD) deployed.set(name, "later");
    const deadLetters = new Map<QueueName, number>();
    for (const queue of queues) {
      const results = await releases.later.redrive(queue);
      expect(results.filter(({ end }) => end !== "sent")).toEqual([]);
      if (results.length > 0) deadLetters.set(queue, results.length);
    }
    await settle();
    const unreadable = pipeline.lines.flatMap((line) =>
      line.event === "record.failed" && line.error === "UnreadableRecord" ? [line.version ?? null] : [],
    );
    const depths = await Promise.all([...Object.values(queueUrls), ...deadUrls].map((url) => queueDepth(sqs, url)));
    const left = depths.reduce((sum, depth) => sum + depth, 0);
    return { sent, delivered, deliveredBeforeRedrive, deadLetters, unreadableVersions: new Set(unreadable), left };
  } finally {
    await pipeline.close();
  }
}

type Sqs = Awaited<ReturnType<typeof startPipeline>>["sqs"];

/** @returns the URLs of the queues of dead letters */
async function createDeadLetterQueues(sqs: Sqs, queueUrls: Readonly<Record<QueueName, string>>): Promise<string[]> {
  return Promise.all(
    queues.map(async (queue) => {
      const { QueueUrl = "" } = await sqs.send(new CreateQueueCommand({ QueueName: `${queue}-dead` }));
      const RedrivePolicy = JSON.stringify({
        deadLetterTargetArn: toQueueArn(QueueUrl),
        maxReceiveCount: RECEIVES_MAX,
      });
      await sqs.send(new SetQueueAttributesCommand({ QueueUrl: queueUrls[queue], Attributes: { RedrivePolicy } }));
      return QueueUrl;
    }),
  );
}

/** As a person did on the later release. */
async function subscribeToLaterType(
  { table }: Awaited<ReturnType<typeof startPipeline>>,
  tenant: string,
  endpointId: string,
): Promise<void> {
  const Key = { PK: `T#${tenant}`, SK: `WH#${endpointId}` };
  const { Item } = await table.client.send(new GetCommand({ TableName: table.name, Key, ConsistentRead: true }));
  await table.client.send(
    new UpdateCommand({
      TableName: table.name,
      Key,
      UpdateExpression: "SET ev = :letters",
      ExpressionAttributeValues: { ":letters": `${Item?.ev}${LATER_LETTER}` },
    }),
  );
}
