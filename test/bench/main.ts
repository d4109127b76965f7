import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { synthesize } from "../../lib/app.ts";
import { bundleBytes } from "../../lib/config/bundle-sizes.ts";
import type { FunctionName } from "../../shared/config/names.ts";
import { startPipeline } from "../support/pipeline.ts";
import { fairness } from "./fairness.ts";
import { costLines, formatLines, isOver, type Line } from "./lines.ts";
import { posterCpu } from "./poster-cpu.ts";
import { detailPage, inboundMessage, inboxPage, reply } from "./scenarios.ts";
import { targets } from "./targets.ts";

const KILOBYTE = 1_000;
const BUNDLES: Readonly<Record<FunctionName, number>> = {
  Api: 900,
  Verify: 900,
  Intake: 350,
  Ingest: 600,
  Deliver: 600,
  Profile: 600,
  Erase: 450,
  Sweep: 350,
  DeadLetters: 350,
};
const POSTER_RATIO = 1.3;
const FAIRNESS_RATIO = 1.2;

async function unitLines(): Promise<Line[]> {
  const pipeline = await startPipeline();
  try {
    const inbound = (endpoints: number) => inboundMessage(pipeline, { endpoints });
    return [
      ...costLines("inbound message, 1 endpoint", await inbound(1), targets.inboundWithOneEndpoint),
      ...costLines("inbound message, 2 endpoints", await inbound(2), targets.inboundWithTwoEndpoints),
      ...costLines("inbound message, 5 endpoints", await inbound(5), targets.inboundWithFiveEndpoints),
      ...costLines("reply", await reply(pipeline), targets.reply),
      ...costLines("inbox page of 50", await inboxPage(pipeline), targets.inboxPage),
      ...costLines("conversation with 50 messages", await detailPage(pipeline), targets.detailPage),
    ];
  } finally {
    await pipeline.close();
  }
}

async function fairnessLines(): Promise<Line[]> {
  const { quiet, beside } = await fairness();
  const what = `19 endpoints beside one that hangs: their p99 (${beside} ms) to that without it (${quiet} ms)`;
  return [{ what, value: beside / quiet, target: FAIRNESS_RATIO, binding: true }];
}

function bundleLines(): Line[] {
  const outdir = mkdtempSync(join(tmpdir(), "parley-bench-"));
  try {
    synthesize({ outdir });
    return Object.entries(bundleBytes(outdir)).map(([name, bytes]) => ({
      what: `bundle of ${name}: KB`,
      value: bytes / KILOBYTE,
      target: BUNDLES[name as FunctionName],
      binding: false,
    }));
  } finally {
    rmSync(outdir, { recursive: true });
  }
}

async function posterLines(): Promise<Line[]> {
  const { poster, bare, ratio } = await posterCpu();
  const spread = `quartiles ${ratio.low.toFixed(2)}–${ratio.high.toFixed(2)}`;
  const what = `poster's CPU (${poster.toFixed(1)} µs a POST) to a bare pool's (${bare.toFixed(1)} µs), ${spread}`;
  // Where three of four rounds are over it, it is not the machine.
  return [{ what, value: ratio.median, target: POSTER_RATIO, binding: ratio.low > POSTER_RATIO }];
}

const lines = [...(await unitLines()), ...(await fairnessLines()), ...(await posterLines()), ...bundleLines()];
process.stdout.write(`${formatLines(lines)}\n`);
// Sizes are shown; the rest is what a change may be held to.
process.exitCode = lines.some((line) => line.binding && isOver(line)) ? 1 : 0;
