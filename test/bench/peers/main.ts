import { readFileSync } from "node:fs";
import { availableParallelism, cpus, loadavg } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { Worker } from "node:worker_threads";
import { CreateTableCommand, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { CreateQueueCommand, SQSClient } from "@aws-sdk/client-sqs";
import { type Load, type Measurement, measure } from "./measure.ts";
import { type RunningParley, startParley } from "./parley.ts";
import type { Peer, PeerAdapter } from "./peer.ts";
import { residentMegabytes } from "./processes.ts";
import { type BenchReceiver, openBenchReceiver } from "./receiver.ts";
import { bareLoop, clientLoop, twinLoop } from "./twin.ts";

// npm run bench:peers [-- --events N] [--peer FILE] [--rounds N] [--busy N] [--idle]: figures of Parley's local stack, bare loops
// and another system side by side, in Markdown. `docs/benchmarks.md` says what they mean.

const { values } = parseArgs({
  options: {
    events: { type: "string", default: "1000" },
    peer: { type: "string" },
    rounds: { type: "string", default: "0" },
    busy: { type: "string", default: "0" },
    idle: { type: "boolean", default: false },
  },
});
const events = Number(values.events);
const ENDPOINTS = 20;
const PARLEY = "Local stack";
/** What the functions may hold under load, and after a minute and a half without an event. */
const MEGABYTES_MAX = { load: 1_000, idle: 400 };

const body = (number: number): string =>
  JSON.stringify({ id: `bench-loop-${number}`, type: "message.received", data: { text: "x".repeat(640) } });

const print = (line: string): void => void process.stdout.write(`${line}\n`);

async function measureLoops({ dataDir }: RunningParley, receiver: BenchReceiver): Promise<void> {
  const environment = JSON.parse(readFileSync(join(dataDir, "environment.json"), "utf8")) as Record<string, string>;
  const credentials = {
    accessKeyId: environment.AWS_ACCESS_KEY_ID ?? "",
    secretAccessKey: environment.AWS_SECRET_ACCESS_KEY ?? "",
  };
  const settings = { region: environment.AWS_REGION ?? "us-east-1", credentials };
  const sqs = new SQSClient({ ...settings, endpoint: environment.AWS_ENDPOINT_URL ?? "" });
  const dynamodb = new DynamoDBClient({ ...settings, endpoint: environment.AWS_ENDPOINT_URL_DYNAMODB ?? "" });
  const { QueueUrl: queueUrl = "" } = await sqs.send(new CreateQueueCommand({ QueueName: "bench-twin" }));
  const keys = ["PK", "SK"] as const;
  const table = "bench-twin";
  await dynamodb.send(
    new CreateTableCommand({
      TableName: table,
      BillingMode: "PAY_PER_REQUEST",
      AttributeDefinitions: keys.map((AttributeName) => ({ AttributeName, AttributeType: "S" })),
      KeySchema: keys.map((AttributeName, at) => ({ AttributeName, KeyType: at === 0 ? "HASH" : "RANGE" })),
    }),
  );
  const url = receiver.url("/loop");
  const line = (name: string, micros: number) => print(`| ${name} | ${(micros / 1_000).toFixed(2)} |`);
  print("\n| Loop, ten at a time | CPU s per thousand |\n|---|---|");
  line("sign and post with undici", await bareLoop(url, body, events));
  line("sign and post with the client of `Deliver`", await clientLoop(url, body, events));
  line(
    "the twin: AWS's SDK and nothing else",
    await twinLoop({ sqs, dynamodb, queueUrl, table }, { url, body }, events),
  );
  sqs.destroy();
  dynamodb.destroy();
}

const HEADER = ["System and load", "Deliveries/s", "CPU s per thousand", "p50", "p95", "p99", "Twice", "Missing", "MB"];

function row(name: string, measured: Measurement): string {
  const { deliveriesPerSecond, cpuPerThousand, p50, p95, p99, duplicates, missing, megabytes } = measured;
  const cells = [deliveriesPerSecond.toFixed(0), cpuPerThousand.toFixed(2), p50, p95, p99, duplicates, missing];
  return `| ${[name, ...cells, megabytes.toFixed(0)].join(" | ")} |`;
}

/** The run fails, and goes on. */
function fail(reason: string): void {
  print(`\n${reason}\n`);
  process.exitCode = 1;
}

/** @param megabytesMax what the processes may hold. Default: anything */
async function measurePeer(
  name: string,
  peer: Peer,
  receiver: BenchReceiver,
  megabytesMax = Number.POSITIVE_INFINITY,
): Promise<void> {
  print(`\n| ${HEADER.join(" | ")} |\n|${HEADER.map(() => "---").join("|")}|`);
  let endpoints = 0;
  const run = async (label: string, load: Omit<Load, "endpoints">, count: number): Promise<void> => {
    for (; endpoints < count; endpoints++) await peer.createEndpoint(receiver.url(`/${endpoints}`));
    const measured = await measure(peer, receiver, { ...load, endpoints });
    print(row(`${name}: ${label}`, measured));
    // At-least-once delivery permits a repetition; this one machine gives no reason for one.
    if (measured.missing > 0 || (name === PARLEY && measured.duplicates > 0))
      fail("A delivery is missing, or came twice.");
    if (measured.megabytes > megabytesMax) fail(`More than ${megabytesMax.toFixed(0)} MB.`);
  };
  await run(`first ${events} events, 1 endpoint`, { events, rate: null }, 1);
  await run(`${events} more`, { events, rate: null }, 1);
  await run("50 a second", { events: Math.min(events, 500), rate: 50 }, 1);
  await run("200 a second", { events, rate: 200 }, 1);
  const spread = Math.ceil(events / ENDPOINTS);
  await run(`${spread} events, ${ENDPOINTS} endpoints`, { events: spread, rate: null }, ENDPOINTS);
  const steady = { events: Math.min(events, 300), rate: 30 };
  await run(`30 a second, ${ENDPOINTS} endpoints`, steady, ENDPOINTS);
  const threads = Number(values.busy);
  if (threads > 0) {
    const others = Array.from({ length: threads }, () => new Worker(new URL("./load-thread.ts", import.meta.url)));
    await run(`the same beside ${threads} threads that compute`, steady, ENDPOINTS);
    await Promise.all(others.map((each) => each.terminate()));
  }
  const rounds = Number(values.rounds);
  for (let round = 1; round <= rounds; round++)
    await run(`round ${round}, ${spread} events, ${ENDPOINTS} endpoints`, { events: spread, rate: null }, ENDPOINTS);
}

/** The minutes without an event at which memory is read: sandboxes are closed after one minute, the last one after five. */
const IDLE_MINUTES = [0, 1.5, 6];

/** Prints what the functions of a stack hold when nothing happens: its memory beyond that of its start. */
async function measureIdle(parley: RunningParley, atStart: number): Promise<void> {
  print("\n| Without an event for | MB of the functions, with what the services hold since the start |\n|---|---|");
  let waited = 0;
  for (const minutes of IDLE_MINUTES) {
    await wait((minutes - waited) * 60_000);
    waited = minutes;
    const megabytes = residentMegabytes(parley.pids()) - atStart;
    print(`| ${minutes} min | ${megabytes.toFixed(0)} |`);
    if (minutes > 0 && megabytes > MEGABYTES_MAX.idle) fail(`More than ${MEGABYTES_MAX.idle} MB without an event.`);
  }
}

print(
  `${new Date().toISOString()} · ${cpus()[0]?.model ?? "?"}, ${availableParallelism()} processors · Node.js ${process.version}`,
);
// More than the processors have: other programs run, and only CPU seconds mean something.
print(`Load average before the run: ${loadavg()[0]?.toFixed(1)}`);
const receiver = await openBenchReceiver();
const parley = await startParley();
const megabytesAtStart = residentMegabytes(parley.pids());
try {
  await measureLoops(parley, receiver);
  await measurePeer(PARLEY, parley, receiver, megabytesAtStart + MEGABYTES_MAX.load);
  if (values.idle) await measureIdle(parley, megabytesAtStart);
} finally {
  await parley.stop();
}
if (values.peer) {
  const { default: adapter } = (await import(pathToFileURL(resolve(values.peer)).href)) as { default: PeerAdapter };
  const peer = await adapter.start();
  try {
    await measurePeer(adapter.name, peer, receiver);
  } finally {
    await peer.stop();
  }
}
await receiver.close();
