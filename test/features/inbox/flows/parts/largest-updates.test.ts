import { ScanCommand } from "@aws-sdk/client-dynamodb";
import { describe, expect, it } from "vitest";
import { openQueue } from "#base/aws/queues.ts";
import { eventTypes } from "#base/events/events.ts";
import { MINUTE } from "#base/kernel/time.ts";
import type { WebhookClient } from "#base/net/webhook-client.ts";
import { parseUpdates } from "#platforms/platforms.ts";
import { deliverWorker } from "../../../../../functions/deliver/worker.ts";
import { newConversation } from "../../../../support/flows/new-conversation.ts";
import {
  changeWebhookBody,
  ingestEvents,
  listFeed,
  type PlatformEvent,
} from "../../../../support/flows/platform-events.ts";
import { invokeWorker, passNameWaits } from "../../../../support/flows/queue-worker.ts";
import { createEndpointAt } from "../../../../support/flows/test-endpoints.ts";
import { openTestEnv } from "../../../../support/flows/test-env.ts";
import { type Item, itemSize } from "../../../../support/item-size.ts";
import { openedOnce } from "../../../../support/opened.ts";
import { sampled } from "../../../../support/sampling.ts";

const STORED_BYTES_MAX = 350_000;
const LONGER_THAN_ANY_LIMIT = 100_000;
const testEnv = openedOnce(openTestEnv);

const characters: [name: string, character: string, inUrl: string][] = [
  ["three bytes", "€", "€"],
  ["one byte", "a", "a"],
  ["two bytes", "é", "é"],
  ["four bytes", "😀", "€"],
  ["six bytes of JSON", "\u0001", '"'],
  ["two bytes of JSON", "\\", "\\"],
];

/** The longest address of these characters that is read: each byte more, and it is absent. */
function longestUrl(character: string): string {
  const start = "https://cdn.example/";
  const size = Buffer.byteLength(JSON.stringify(character)) - 2;
  return start + character.repeat(Math.floor((4_096 - start.length) / size));
}

/** One update of each kind that is stored, with the longest of everything. */
function largestUpdates(character: string, inUrl: string, at: number): PlatformEvent[] {
  const long = character.repeat(LONGER_THAN_ANY_LIMIT);
  const url = longestUrl(inUrl);
  const attachment = (type: string) => ({ type, title: long, payload: { url, title: long } });
  const location = {
    type: "location",
    title: long,
    payload: { url, coordinates: { lat: -48.1234567, long: -116.7654321 } },
  };
  const tooLongUrl = `https://cdn.example/${inUrl.repeat(4_076)}`;
  const referral = { ref: long, source: long, type: long, ad_id: long };
  const mid = (name: string) => name.padEnd(512, "€");
  const content = {
    text: long,
    quick_reply: { payload: long },
    reply_to: { mid: mid("other"), story: { id: long, url } },
  };
  const contents: object[] = [
    { message: { mid: mid("files"), ...content, attachments: Array(31).fill(attachment("share")), referral } },
    { message: { mid: mid("places"), ...content, attachments: Array(31).fill(location), referral } },
    {
      message: { mid: mid("mentions"), text: long, attachments: Array(31).fill(attachment("story_mention")), referral },
    },
    {
      message: {
        mid: mid("long addresses"),
        ...content,
        attachments: Array(31).fill({ ...attachment("share"), payload: { url: tooLongUrl, title: long } }),
      },
    },
    { postback: { mid: mid("press"), title: long, payload: long, referral } },
    { message_edit: { mid: mid("files"), text: long, num_edit: 999_999_999 } },
    // Of a message that never arrives.
    { message_edit: { mid: mid("unknown"), text: long, num_edit: 1 } },
    { reaction: { mid: mid("files"), action: "react", reaction: long, emoji: long } },
    { reaction: { mid: mid("unknown"), action: "react", reaction: long, emoji: long } },
    { referral },
    { policy_enforcement: { action: "block", reason: long } },
  ];
  const events = contents.map((update, index) => ({ at: at + index, content: update }));
  const echo = { mid: mid("echo"), text: long, attachments: Array(31).fill(attachment("image")), is_echo: true };
  const reaction = { mid: mid("files"), action: "react", reaction: long, emoji: long };
  return [
    ...events,
    { at: at + 20, fromAccount: true, content: { message: echo } },
    { at: at + 21, fromAccount: true, content: { reaction } },
  ];
}

describe.each(sampled(characters, { step: 4 }))("characters of %s", (_name, character, inUrl) => {
  it("the largest updates leave no row and no delivered body of more than 350 KB", async () => {
    const { tenant, account } = await newConversation(testEnv);
    const queues = await testEnv.newQueues();
    await createEndpointAt(testEnv, queues, tenant, "http://127.0.0.1:9/hook", eventTypes);
    const bodies: string[] = [];
    const webhookClient: WebhookClient = {
      send: async ({ body }) => {
        bodies.push(body);
        return { kind: "answered", status: 200, durationMs: 1, retryAfter: null, response: character.repeat(64) };
      },
      close: async () => {},
    };

    const updates = largestUpdates(character, inUrl, testEnv.now() - MINUTE);
    const ingest = () => ingestEvents(testEnv.ingestPorts(queues), account, updates, testEnv.now());
    await openQueue(queues.events, testEnv.sqs).sendAll((await ingest()).events);
    const deliver = deliverWorker(testEnv.deliverPorts(queues, webhookClient), testEnv.now);
    await passNameWaits(testEnv, queues);
    for (let records = 1; records > 0; ) {
      const result = await invokeWorker(testEnv.eventSource, queues.events, deliver);
      expect(result.failed).toEqual([]);
      records = result.records.length;
    }

    const rows = await rowsOf(tenant);
    const sizes = rows.map((row) => itemSize(row));
    expect(Math.max(...sizes)).toBeLessThan(STORED_BYTES_MAX);
    expect(bodies).toHaveLength(updates.length);
    const bodySizes = bodies.map((body) => Buffer.byteLength(body));
    expect(Math.max(...bodySizes)).toBeLessThan(STORED_BYTES_MAX);
    const stored = await listFeed(testEnv, tenant);
    expect(stored.map(({ attachments }) => attachments.length).toSorted()).toEqual([0, 30, 30, 30, 30, 30]);
    const longest = stored.filter(({ id }) => !id.startsWith("long addresses"));
    expect(longest.flatMap(({ attachments }) => attachments).filter(({ url }) => url === null)).toEqual([]);
    // Otherwise the updates would not be the largest.
    expect(Math.max(...sizes, ...bodySizes)).toBeGreaterThan(180_000);
  });
});

it("ordinary texts and addresses are stored as they came", async () => {
  const url = `https://cdn.example/${"a".repeat(3_900)}`;
  for (const text of ["😀".repeat(2_000), "€".repeat(20_000), '"\n'.repeat(1_000), "a".repeat(20_000)]) {
    const title = "€".repeat(300);
    const payload = "€".repeat(1_000);
    const message = {
      mid: "m",
      text,
      quick_reply: { payload },
      attachments: [{ type: "share", payload: { url, title } }],
    };
    const raw = Buffer.from(changeWebhookBody("1", [{ at: testEnv.now(), content: { message } }]));
    expect(parseUpdates(raw, testEnv.now())).toMatchObject([
      { text, attachments: [{ url, title }], context: { quickReply: { payload } } },
    ]);
  }
});

/** Every row with the tenant in its key. */
async function rowsOf(tenant: string): Promise<Item[]> {
  const rows: Item[] = [];
  let ExclusiveStartKey: Item | undefined;
  do {
    const page = await testEnv.client.send(new ScanCommand({ TableName: testEnv.table.name, ExclusiveStartKey }));
    rows.push(...((page.Items ?? []) as Item[]).filter((item) => item.PK?.S?.includes(tenant)));
    ExclusiveStartKey = page.LastEvaluatedKey;
  } while (ExclusiveStartKey);
  return rows;
}
