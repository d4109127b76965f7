import { fork } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { RUNTIME_OVERRIDES } from "#base/kernel/runtime.ts";
import { deleteMessages, receiveMessages, toQueueEvent } from "#local-aws/lambda/batch.ts";
import { bundleHandlers } from "../../lib/bundles/bundle-functions.ts";
import { type HttpRequest, toHttpEvent } from "../histories/cloud/http-event.ts";
import { toQueueArn } from "../support/flows/queue-worker.ts";
import { everyoneWrites, type Workspace } from "../support/pipeline/workspace.ts";
import { type Pipeline, startPipeline } from "../support/pipeline.ts";
import type { ColdResult, ColdStart } from "./cold-sandbox.ts";
import { freshWorkspace } from "./scenarios.ts";

// How long a function takes to load and to handle its first event, beside the same function with the AWS SDK: in its
// bundle, and outside of it as in Lambda's runtime. Each measurement is a process of its own, which calls the emulators in
// this one. The bundles take turns, so that other load on the machine affects all.

export const COLD_FUNCTIONS = ["Api", "Intake", "Ingest", "Deliver"] as const;
type ColdFunction = (typeof COLD_FUNCTIONS)[number];

const CLIENTS = ["lean", "sdk", "runtime-sdk"] as const;
type Client = (typeof CLIENTS)[number];
const RUNS = 7;
/** The replies go to several people, because each may get only some in a minute. */
const PEOPLE = 4;
let replies = 0;

/** What a function took with each client of AWS. */
export interface ColdPath extends Readonly<Record<Client, ColdTimes>> {
  readonly name: ColdFunction;
}

/** Medians of a bundle's runs, in milliseconds of CPU time. */
interface ColdTimes {
  readonly import: number;
  /** With the first event. */
  readonly total: number;
  readonly clock: number;
}

export async function measureColdPaths(runs = RUNS): Promise<ColdPath[]> {
  const folder = mkdtempSync(join(tmpdir(), "parley-cold-"));
  const pipeline = await startPipeline();
  try {
    // The processes have the real clock.
    pipeline.advance(Date.now() - pipeline.now());
    const script = buildSandbox(folder);
    for (const client of CLIENTS) bundleHandlers(join(folder, client), COLD_FUNCTIONS, client);
    // Where the bundles without the SDK look for it.
    symlinkSync(fileURLToPath(new URL("../../node_modules", import.meta.url)), join(folder, "node_modules"));
    const workspace = await freshWorkspace(pipeline);
    await everyoneWrites(pipeline, workspace, PEOPLE);
    const paths: ColdPath[] = [];
    for (const name of COLD_FUNCTIONS) {
      const results: Record<Client, ColdResult[]> = { lean: [], sdk: [], "runtime-sdk": [] };
      for (let run = 0; run < runs; run++) {
        for (const client of run % 2 === 0 ? CLIENTS : CLIENTS.toReversed()) {
          const { event, check } = await firstEvents[name](pipeline, workspace);
          const file = join(folder, client, name, "index.mjs");
          const result = await startCold(script, environment(pipeline), { file, overrides: RUNTIME_OVERRIDES, event });
          check(JSON.parse(result.result));
          if (client === "lean" && result.hasFetch) throw new Error(`${name} loads Node's client of fetch.`);
          results[client].push(result);
        }
      }
      paths.push({
        name,
        lean: toTimes(results.lean),
        sdk: toTimes(results.sdk),
        "runtime-sdk": toTimes(results["runtime-sdk"]),
      });
    }
    return paths;
  } finally {
    await pipeline.close();
    rmSync(folder, { recursive: true });
  }
}

/** As JavaScript, because a process that strips types itself loads a compiler for it. */
function buildSandbox(folder: string): string {
  const outfile = join(folder, "sandbox.mjs");
  const entry = fileURLToPath(new URL("./cold-sandbox.ts", import.meta.url));
  buildSync({ entryPoints: [entry], outfile, format: "esm", platform: "node", logLevel: "error" });
  return outfile;
}

async function startCold(script: string, env: NodeJS.ProcessEnv, start: ColdStart): Promise<ColdResult> {
  const child = fork(script, {
    env,
    execArgv: [],
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => (output += chunk));
  const messages: ColdResult[] = [];
  child.on("message", (message) => messages.push(message as ColdResult));
  child.send(start);
  const [code] = await once(child, "close");
  const [result] = messages;
  if (code !== 0 || !result) throw new Error(`The sandbox of ${start.file} ended with ${code}: ${output}`);
  return result;
}

/** What Lambda and the deployment set. */
function environment({ host, endpoints }: Pipeline): NodeJS.ProcessEnv {
  return {
    ...host.settings,
    AWS_REGION: "us-east-1",
    AWS_ACCESS_KEY_ID: "local",
    AWS_SECRET_ACCESS_KEY: "local",
    AWS_ENDPOINT_URL: endpoints.services,
    AWS_ENDPOINT_URL_DYNAMODB: endpoints.table,
  };
}

interface FirstEvent {
  readonly event: unknown;
  /** @throws Error when the function did not do its work */
  check(result: unknown): void;
}

const firstEvents: Readonly<Record<ColdFunction, (pipeline: Pipeline, workspace: Workspace) => Promise<FirstEvent>>> = {
  async Api(pipeline, workspace) {
    pipeline.loopback.nextMessageId(workspace.newMessageId());
    const body = {
      conversation_id: workspace.conversationIdFor(replies++ % PEOPLE),
      text: randomUUID().padEnd(120, "."),
    };
    const headers = { authorization: `Bearer ${workspace.liveKey}` };
    return {
      event: httpEvent({ path: "/v1/messages/reply", headers, body: JSON.stringify(body) }),
      check: requireStatus,
    };
  },
  async Intake(_pipeline, workspace) {
    const { platform, body, signature } = workspace.nextWebhook(0);
    const headers = { "x-hub-signature-256": signature };
    return { event: httpEvent({ path: `/webhooks/${platform}`, headers, body }), check: requireStatus };
  },
  async Ingest(pipeline, workspace) {
    await pipeline.ingest();
    await pipeline.receive(workspace.nextWebhook(0));
    return { event: await queueEvent(pipeline, "Inbound"), check: requireNoFailures };
  },
  async Deliver(pipeline, workspace) {
    await pipeline.ingest();
    await pipeline.deliver();
    await pipeline.receive(workspace.nextWebhook(0));
    await pipeline.ingest();
    const posts = pipeline.loopback.events.length;
    const event = await queueEvent(pipeline, "Events");
    return {
      event,
      check(result) {
        requireNoFailures(result);
        if (pipeline.loopback.events.length !== posts + 1) throw new Error("The endpoint was not called.");
      },
    };
  },
};

const httpEvent = (request: Omit<HttpRequest, "method">): object =>
  toHttpEvent({ method: "POST", ...request }, randomUUID());

async function queueEvent({ sqs, queueUrls }: Pipeline, name: "Inbound" | "Events"): Promise<object> {
  const messages = await receiveMessages(sqs, { queueUrl: queueUrls[name] });
  if (messages.length !== 1) throw new Error(`${messages.length} messages are in ${name}, and not one.`);
  // Another measurement must not receive it again.
  await deleteMessages(sqs, queueUrls[name], messages);
  return toQueueEvent(messages, toQueueArn(queueUrls[name]));
}

function requireStatus(result: unknown): void {
  const { statusCode } = result as { statusCode: number };
  if (statusCode !== 200) throw new Error(`The function did not accept its first request: ${JSON.stringify(result)}`);
}

function requireNoFailures(result: unknown): void {
  const { batchItemFailures } = result as { batchItemFailures: unknown[] };
  if (batchItemFailures.length > 0) throw new Error("The function did not process its first message.");
}

function toTimes(results: readonly ColdResult[]): ColdTimes {
  return {
    import: median(results.map(({ importCpu }) => importCpu)),
    total: median(results.map(({ totalCpu }) => totalCpu)),
    clock: median(results.map(({ totalTime }) => totalTime)),
  };
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
