import { ListObjectsV2Command } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ingestWorker } from "../../../functions/ingest/worker.ts";
import { openQueue } from "../../../shared/aws/queues.ts";
import { compress, decompress } from "../../../shared/kernel/compression.ts";
import { DAY } from "../../../shared/kernel/time.ts";
import { readEvent, writeInbound } from "../../../shared/queues/messages.ts";
import { type House, type Lane, openHouse } from "../../shared/flows/support/house.ts";
import { depth, handOut, receiveAll } from "../../shared/flows/support/queue-work.ts";
import { inboundOf, webhook } from "../../shared/flows/support/webhooks.ts";
import { newTenant } from "../../shared/stores/support/samples.ts";
import { injectFaults } from "../../support/faults.ts";

let house: House;
let lane: Lane;
let account: string;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());
beforeEach(async () => {
  lane = await house.newLane();
  account = await house.connect(newTenant());
  house.lines.length = 0;
});

const worker = () => ingestWorker(house.ingestPorts(lane), house.now);
const work = (remaining?: number) => handOut(house.eventSource, lane.inbound, worker(), remaining);
const announced = async () =>
  (await receiveAll(house.eventSource, lane.events)).map(({ body }) => readEvent(body)?.eventUlid);
const saying = (...mids: string[]) =>
  inboundOf(
    webhook(
      account,
      mids.map((mid) => ({ mid, text: mid, at: house.now() })),
    ),
    house.now(),
  );

describe("a batch of webhooks", () => {
  it("has one poison record reported and all its batch-mates done", async () => {
    const queue = openQueue(lane.inbound, house.eventSource);
    const poison = [
      "not json",
      "{}",
      JSON.stringify({ v: 2, at: 1, gz: "" }),
      JSON.stringify({ v: 1, at: house.now(), gz: Buffer.from("no gzip").toString("base64") }),
    ];
    await queue.sendAll([saying("a"), ...poison, saying("b")].map((body) => ({ body })));
    const { records, failed } = await work();
    expect(records.filter(({ messageId }) => failed.includes(messageId)).map(({ body }) => body)).toEqual(poison);
    expect(await announced()).toHaveLength(2);
    expect(house.lines.filter(({ event }) => event === "record_failed")).toHaveLength(poison.length);
  });

  it("has a webhook that cannot be stored reported alone, and whole the next time", async () => {
    const queue = openQueue(lane.inbound, house.eventSource);
    const stuck = saying("s1", "s2");
    await queue.sendAll([saying("a"), stuck, saying("b")].map((body) => ({ body })));
    const end = injectFaults(house.client, ({ input }) => (JSON.stringify(input).includes("#s2") ? "crash" : "pass"));
    const { records, failed } = await work();
    end();
    expect(records.filter(({ messageId }) => failed.includes(messageId)).map(({ body }) => body)).toEqual([stuck]);
    expect(await announced()).toHaveLength(2);
    house.turn(31_000);
    expect((await work()).failed).toEqual([]);
    expect(new Set(await announced()).size).toBe(4);
  });

  it("announces all its messages in one request to the queue, and asks for the person in another", async () => {
    const queue = openQueue(lane.inbound, house.eventSource);
    await queue.sendAll([saying("a", "b"), saying("c"), saying("d", "e", "f")].map((body) => ({ body })));
    const before = { ...house.emulators.sqs.counts };
    await work();
    const { SendMessageBatch = 0, SendMessage = 0 } = house.emulators.sqs.counts;
    expect(SendMessageBatch - (before.SendMessageBatch ?? 0)).toBe(2);
    expect(await depth(house.eventSource, lane.profiles)).toBe(1);
    expect(SendMessage).toBe(before.SendMessage ?? 0);
    expect(new Set(await announced()).size).toBe(6);
  });

  it("keeps its raw copies in one file, byte for byte", async () => {
    const raws = [webhook(account, [{ mid: "r1", text: "é ✓", at: house.now() }]), "{}"];
    await openQueue(lane.inbound, house.eventSource).sendAll(
      raws.map((raw) => ({ body: inboundOf(raw, house.now()) })),
    );
    const { records } = await work();
    const { Contents = [] } = await house.s3.send(new ListObjectsV2Command({ Bucket: "raw", Prefix: "raw/" }));
    const mine = Contents.filter(({ Key }) => Key?.includes(records[0]?.messageId ?? "?"));
    expect(mine).toHaveLength(1);
    const text = Buffer.from(decompress((await house.files.get(mine[0]?.Key ?? "")) ?? new Uint8Array())).toString();
    const lines = text.trim().split("\n");
    expect(lines.map((line) => (JSON.parse(line) as { body: string }).body)).toEqual(raws);
  });

  it("is reported whole when its time is over, and comes again", async () => {
    await openQueue(lane.inbound, house.eventSource).sendAll([{ body: saying("a") }, { body: saying("b") }]);
    const { failed } = await work(3_000);
    expect(failed).toHaveLength(2);
    house.turn(31_000);
    expect((await work()).failed).toEqual([]);
    expect(new Set(await announced()).size).toBe(2);
    expect(await depth(house.eventSource, lane.inbound)).toBe(0);
  });

  it("is reported whole when the events queue refuses, and is announced the next time", async () => {
    await openQueue(lane.inbound, house.eventSource).send({ body: saying("a") });
    const broken = ingestWorker(house.ingestPorts({ ...lane, events: `${lane.events}-gone` }), house.now);
    expect((await handOut(house.eventSource, lane.inbound, broken)).failed).toHaveLength(1);
    house.turn(31_000);
    expect((await work()).failed).toEqual([]);
    expect(await announced()).toHaveLength(1);
  });
});

describe("a webhook", () => {
  it("about an account that nobody connected is done, counted and stored nowhere", async () => {
    const raw = webhook("17840000000000000", [{ mid: "x", text: "secret text", at: house.now() }]);
    await openQueue(lane.inbound, house.eventSource).send({ body: inboundOf(raw, house.now()) });
    expect((await work()).failed).toEqual([]);
    expect(await announced()).toEqual([]);
    expect(house.lines).toContainEqual({ event: "unknown_account", platform: "instagram", updates: 1 });
    expect(JSON.stringify(house.lines)).not.toContain("secret text");
  });

  it("of a message past its seven days is done without it, to the millisecond", async () => {
    const at = house.now() - 7 * DAY;
    const raw = webhook(account, [
      { mid: "gone", text: "", at },
      { mid: "kept", text: "x", at: at + 1 },
    ]);
    await openQueue(lane.inbound, house.eventSource).send({ body: inboundOf(raw, house.now()) });
    expect((await work()).failed).toEqual([]);
    expect(await announced()).toHaveLength(1);
  });

  it("whose file is gone was done before: it is dropped", async () => {
    const body = writeInbound({ receivedAt: house.now(), bytes: null, file: "inbound/none.gz" });
    await openQueue(lane.inbound, house.eventSource).send({ body });
    expect((await work()).failed).toEqual([]);
    expect(house.lines).toContainEqual({ event: "record_dropped", worker: "ingest", reason: "gone" });
  });

  it("that lies in a file is read from there, and the file goes once all is announced", async () => {
    const file = "inbound/large.gz";
    await house.files.put(file, compress(webhook(account, [{ mid: "big", text: "x", at: house.now() }])));
    await openQueue(lane.inbound, house.eventSource).send({
      body: writeInbound({ receivedAt: house.now(), bytes: null, file }),
    });
    const broken = ingestWorker(house.ingestPorts({ ...lane, events: `${lane.events}-gone` }), house.now);
    await handOut(house.eventSource, lane.inbound, broken);
    expect(await house.files.get(file)).not.toBeNull();
    house.turn(31_000);
    await work();
    expect(await house.files.get(file)).toBeNull();
    expect(await announced()).toHaveLength(1);
  });
});
