import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readPrices } from "../../bin/bill/bill.ts";
import { type MessageUsage, priceMessages } from "../../bin/bill/message-price.ts";
import { readTemplateCounts } from "../../bin/bill/template-counts.ts";
import { synthesize } from "../../lib/app.ts";
import { bundleBytes } from "../../lib/bundles/bundle-sizes.ts";
import { startPipeline } from "../support/pipeline.ts";
import { measureFirst, measureInbound, measureReply } from "./batches.ts";
import { type BenchmarkLine, bundleLines, costLines, failsRun, formatLines, priceLines } from "./benchmark-lines.ts";
import { measureColdPaths } from "./cold-start.ts";
import { consoleLines } from "./console.ts";
import type { CpuComparison } from "./cpu-ratio.ts";
import { coldStart, FAIRNESS_RATES, FAULTS, type FaultName, openFairnessBench } from "./fairness.ts";
import { measureFrameCpu } from "./frame-cpu.ts";
import { measureHostile } from "./hostile.ts";
import { detailPageCost, inboxPageCost, replyCost } from "./scenarios.ts";
import { measureStreamOutage } from "./stream-outage.ts";
import { measureTableCpu } from "./table-cpu.ts";
import { costTargets, firstTarget, inboundTarget, replyTarget, usageTarget } from "./targets.ts";
import { attachmentIdsCost, handOverCost, uploadCosts } from "./uploads.ts";
import { measureClientCpu } from "./webhook-client-cpu.ts";

const KILOBYTE = 1_000;
const CLIENT_CPU_RATIO = 1.3;
const FRAME_CPU_RATIO = 0.5;
const TABLE_CPU_RATIO = 0.35;
const COLD_RATIO = 0.4;
const FAIRNESS_RATIO = { others: 1.2, sameTenant: 1.5 };
const STREAM_OUTAGE_RATIO = 1.05;
const HOSTILE_RATIO = 1.5;
const HOSTILE_READ_KB = 300;

/** Requests of the API and hand-overs, each by itself. */
async function unitLines(): Promise<BenchmarkLine[]> {
  const pipeline = await startPipeline();
  try {
    const upload = await uploadCosts(pipeline);
    return [
      ...costLines("one reply without its delivery and echo", await replyCost(pipeline), costTargets.reply),
      ...costLines("one inbox page of 50", await inboxPageCost(pipeline), costTargets.inboxPage),
      ...costLines(
        "one page of a conversation with 50 messages",
        await detailPageCost(pipeline),
        costTargets.detailPage,
      ),
      ...costLines("one upload is created", upload.create, costTargets.createUpload),
      ...costLines("one upload is finished", upload.finish, costTargets.finishUpload),
      ...costLines("one upload is read", upload.poll, costTargets.readUpload),
      ...costLines("one upload is handed over", await handOverCost(pipeline), costTargets.uploadHandOver),
      ...costLines("ten attachment ids in one reply", await attachmentIdsCost(pipeline), costTargets.tenAttachmentIds),
    ];
  } finally {
    await pipeline.close();
  }
}

const BATCHES = [10, 1];
/** Endpoints and open sockets of a tenant. */
const TENANTS = [
  { endpoints: 1, sockets: 0 },
  { endpoints: 2, sockets: 0 },
  { endpoints: 2, sockets: 1 },
  { endpoints: 5, sockets: 0 },
];

/** Each message in batches of ten and of one: every unit, and dollars at the list prices by what they are for. */
async function messageLines(): Promise<BenchmarkLine[]> {
  const pipeline = await startPipeline();
  const prices = readPrices();
  const template = readTemplateCounts();
  const lines: BenchmarkLine[] = [];
  try {
    for (const arrival of TENANTS.flatMap((tenant) => BATCHES.map((batch) => ({ ...tenant, batch })))) {
      const of = `${arrival.endpoints} endpoints, ${arrival.sockets} sockets, in batches of ${arrival.batch}`;
      for (const [name, isReply, measure, toTarget] of [
        ["inbound message of a known person", false, measureInbound, inboundTarget],
        ["reply with its echo", true, measureReply, replyTarget],
      ] as const) {
        const target = toTarget(arrival);
        const { cost, usage } = await measure(pipeline, arrival);
        const price = (of: MessageUsage) => priceMessages(of, template, prices);
        lines.push(
          ...costLines(`${name}, ${of}`, cost, target),
          ...priceLines(`${name}, ${of}`, price(usage), price(usageTarget(arrival, target, isReply))).filter(
            // The parts of one tenant show those of the others.
            (_, index) => index === 0 || arrival.endpoints === 2,
          ),
        );
      }
      lines.push(
        ...costLines(`first message of a person, ${of}`, await measureFirst(pipeline, arrival), firstTarget(arrival)),
      );
    }
  } finally {
    await pipeline.close();
  }
  return lines;
}

async function fairnessLines(): Promise<BenchmarkLine[]> {
  const bench = await openFairnessBench();
  const lines: BenchmarkLine[] = [];
  try {
    const faults = Object.keys(FAULTS) as FaultName[];
    for (const [rate, fault] of FAIRNESS_RATES.flatMap((each) => faults.map((name) => [each, name] as const))) {
      const { others, sameTenant } = await bench.measure(rate, fault);
      const label = `an endpoint ${fault} at ${rate} events a second: p99 of`;
      lines.push(
        {
          label: `${label} 19 other tenants (${others.withHanging} ms) to that without (${others.without} ms)`,
          value: others.withHanging / others.without,
          target: FAIRNESS_RATIO.others,
          binding: true,
        },
        {
          // Its events need the environments that the endpoint does not give back, so that one may start cold.
          label: `${label} its tenant's other endpoint in ms, to ${FAIRNESS_RATIO.sameTenant} times of without and a cold start`,
          value: sameTenant.withHanging,
          target: FAIRNESS_RATIO.sameTenant * sameTenant.without + coldStart(rate),
          binding: true,
        },
      );
    }
  } finally {
    await bench.close();
  }
  return lines;
}

async function streamOutageLines(): Promise<BenchmarkLine[]> {
  const { answering, dead } = await measureStreamOutage();
  const label = `the management API of the sockets never answers: p99 of endpoints (${dead} ms) to that without (${answering} ms)`;
  return [{ label, value: dead / answering, target: STREAM_OUTAGE_RATIO, binding: true }];
}

async function hostileLines(): Promise<BenchmarkLine[]> {
  const { p50Ratio, attempts, bytesReadMax } = await measureHostile();
  const label = `healthy endpoint beside 20 that never stop writing (${attempts} attempts): its p50 to that without them`;
  return [
    { label, value: p50Ratio, target: HOSTILE_RATIO, binding: true },
    {
      label: "most that one of these attempts read: KB",
      value: bytesReadMax / KILOBYTE,
      target: HOSTILE_READ_KB,
      binding: true,
    },
  ];
}

function bundleSizes(): BenchmarkLine[] {
  const outdir = mkdtempSync(join(tmpdir(), "parley-bench-"));
  try {
    synthesize({ outdir });
    return bundleLines(bundleBytes(outdir));
  } finally {
    rmSync(outdir, { recursive: true });
  }
}

async function cpuLines(): Promise<BenchmarkLine[]> {
  const line = ({ measured, reference, ratio }: CpuComparison, [ours, theirs]: readonly string[], target: number) => {
    const spread = `quartiles ${ratio.low.toFixed(2)}–${ratio.high.toFixed(2)}`;
    const label = `${ours} (${measured.toFixed(1)} µs of CPU) to ${theirs} (${reference.toFixed(1)} µs), ${spread}`;
    // Three of four rounds over the target are not noise of the machine.
    return { label, value: ratio.median, target, binding: ratio.low > target };
  };
  return [
    line(await measureClientCpu(), ["a POST of the webhook client", "one of a bare pool"], CLIENT_CPU_RATIO),
    line(await measureFrameCpu(), ["a frame to a socket", "the SDK client's"], FRAME_CPU_RATIO),
    line(await measureTableCpu(), ["a write of the table by the lean client", "the SDK client's"], TABLE_CPU_RATIO),
  ];
}

async function coldLines(): Promise<BenchmarkLine[]> {
  return (await measureColdPaths()).map(({ name, lean, sdk, "runtime-sdk": runtime }) => {
    const ratios = `${(lean.total / sdk.total).toFixed(2)} with the SDK in the bundle, import alone ${(lean.import / runtime.import).toFixed(2)}`;
    const label = `cold ${name}, import and first event (${lean.total.toFixed(0)} ms of CPU), to its twin with the runtime's SDK (${runtime.total.toFixed(0)} ms), ${ratios}`;
    return { label, value: lean.total / runtime.total, target: COLD_RATIO, binding: true };
  });
}

const lines = [
  ...(await unitLines()),
  ...(await messageLines()),
  ...(await fairnessLines()),
  ...(await streamOutageLines()),
  ...(await hostileLines()),
  ...(await cpuLines()),
  ...(await coldLines()),
  ...(await consoleLines()),
  ...bundleSizes(),
];
// The times of the console are informational. Every other line can fail the run.
const code = lines.some(failsRun) ? 1 : 0;
// The engine of the table and the browser end with the process.
process.stdout.write(`${formatLines(lines)}\n`, () => process.exit(code));
