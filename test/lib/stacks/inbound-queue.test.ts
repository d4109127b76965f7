import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { compress } from "#base/kernel/compression.ts";
import { INLINE_WEBHOOK_BYTES_MAX } from "#base/kernel/limits.ts";
import { withFirstSentAt } from "#base/queues/envelope.ts";
import { receiveWebhook } from "#features/inbox/flows/inbound-webhooks.ts";
import { decodeInbound, encodeInbound } from "#features/inbox/queue.ts";
import { resourceProperties, resourcesOfType, synthesizeTemplates } from "../synth-templates.ts";

const { service } = synthesizeTemplates();

/** Of the queue and of its dead letter queue, as the template has them. */
const limits = resourcesOfType(service, "AWS::SQS::Queue")
  .map(([id]) => id)
  .filter((id) => id.startsWith("Inbound"))
  .map((id) => resourceProperties(service, id).MaximumMessageSize);

/** A quarantined message of more bytes is cut. */
const DEAD_LETTER_BYTES_MAX = 350_000;

async function queueWebhook(raw: Uint8Array) {
  const [bodies, files]: [string[], string[]] = [[], []];
  const ports = {
    inbound: {
      name: "Inbound",
      send: async ({ body }: { body: string }) => void bodies.push(body),
      sendAll: async () => {},
    },
    files: { put: async (key: string) => void files.push(key) },
  };
  await receiveWebhook(ports, raw, Date.UTC(2026, 0, 1));
  return { body: bodies[0] ?? "", files };
}

test("the inbound queue has its size limit in the template, as its dead letters have", () => {
  expect(limits).toEqual([1_048_576, 1_048_576]);
});

test("the largest webhook on the queue takes at most three quarters of its limit, and fits into a dead letter", async () => {
  const overhead = compress(randomBytes(INLINE_WEBHOOK_BYTES_MAX)).length - INLINE_WEBHOOK_BYTES_MAX;
  const largest = randomBytes(INLINE_WEBHOOK_BYTES_MAX - overhead);
  expect(compress(largest)).toHaveLength(INLINE_WEBHOOK_BYTES_MAX);
  const { body, files } = await queueWebhook(largest);
  expect(files).toEqual([]);
  const inbound = decodeInbound(body) ?? expect.unreachable("it is an inbound message");
  expect(inbound.bytes).toHaveLength(INLINE_WEBHOOK_BYTES_MAX);
  const traced = encodeInbound({ ...inbound, isCopyOnly: true, traceId: "t".repeat(128) });
  const longest = Buffer.byteLength(withFirstSentAt(traced, Date.UTC(2026, 0, 1)));
  for (const limit of limits) expect(longest).toBeLessThanOrEqual(Number(limit) * 0.75);
  expect(longest).toBeLessThanOrEqual(DEAD_LETTER_BYTES_MAX);
});

test("a larger webhook is stored as a file", async () => {
  const { body, files } = await queueWebhook(randomBytes(INLINE_WEBHOOK_BYTES_MAX + 1));
  expect(files).toHaveLength(1);
  expect(decodeInbound(body)).toMatchObject({ bytes: null, file: files[0] });
});
