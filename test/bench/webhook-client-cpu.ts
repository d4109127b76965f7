import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { Pool } from "undici";
import { signWebhook } from "../../shared/domain/delivery/signatures.ts";
import { createGate } from "../../shared/net/egress-gate.ts";
import { createWebhookClient } from "../../shared/net/webhook-client.ts";

export interface WebhookClientCpu {
  /** Microseconds of this thread's CPU per POST, the median of the rounds. */
  readonly client: number;
  readonly bare: number;
  /** Client to bare pool: the quartiles of the ratios of neighboring rounds. */
  readonly ratio: { readonly low: number; readonly median: number; readonly high: number };
}

const WARMUP_ROUNDS = 6;
const ROUNDS = 60;
const POSTS_PER_ROUND = 500;
const CONCURRENCY = 10;
const SECRET = `whs_${Buffer.alloc(32, 7).toString("base64")}`;
const BODY = JSON.stringify({ id: "evt_01KJW8Z0000000000000000000", data: { text: "x".repeat(900) } });

type Post = () => Promise<unknown>;

/**
 * CPU of the webhook client against a bare undici pool that sends the same signed requests. Both keep ten connections.
 * Their rounds alternate, so that other load on the machine affects both.
 */
export async function measureClientCpu(): Promise<WebhookClientCpu> {
  const receiver = new Worker(new URL("./receiver-thread.ts", import.meta.url));
  const [port] = (await once(receiver, "message")) as [number];
  const url = `http://127.0.0.1:${port}/hooks`;
  const client = createWebhookClient({ gate: createGate({ mode: "open" }), connectionsPerPool: CONCURRENCY });
  const pool = new Pool(new URL(url).origin, { connections: CONCURRENCY, pipelining: 1 });
  const headers = () => ({ ...signWebhook([SECRET], "evt_01KJW8Z0000000000000000000", BODY, Date.now()) });

  const viaClient: Post = async () => {
    const outcome = await client.send({ url, poolKey: "endpoint", headers: headers(), body: BODY });
    if (outcome.kind !== "answered") throw new Error(`The receiver was not reached: ${JSON.stringify(outcome)}`);
  };
  const viaPool: Post = async () => {
    const allHeaders = { ...headers(), "content-type": "application/json", "user-agent": "bare", accept: "*/*" };
    const { body } = await pool.request({ method: "POST", path: "/hooks", headers: allHeaders, body: BODY });
    await body.dump();
  };

  try {
    const pairs: { client: number; bare: number }[] = [];
    for (let i = 0; i < WARMUP_ROUNDS + ROUNDS; i++) pairs.push(await runPair(viaClient, viaPool, i % 2 === 0));
    const counted = pairs.slice(WARMUP_ROUNDS);
    const clientRounds = counted.map(({ client }) => client);
    const bareRounds = counted.map(({ bare }) => bare);
    const ratios = counted.map(({ client, bare }) => client / bare);
    return {
      client: quantile(clientRounds, 0.5),
      bare: quantile(bareRounds, 0.5),
      ratio: { low: quantile(ratios, 0.25), median: quantile(ratios, 0.5), high: quantile(ratios, 0.75) },
    };
  } finally {
    await client.close();
    await pool.destroy();
    await receiver.terminate();
  }
}

/** One round of each, back to back. The order alternates. */
async function runPair(viaClient: Post, viaPool: Post, clientFirst: boolean) {
  if (clientFirst) return { client: await measureRound(viaClient), bare: await measureRound(viaPool) };
  const bare = await measureRound(viaPool);
  return { client: await measureRound(viaClient), bare };
}

/** Microseconds of CPU per POST of one round. */
async function measureRound(post: Post): Promise<number> {
  const before = process.threadCpuUsage();
  await Promise.all(
    Array.from({ length: CONCURRENCY }, async () => {
      for (let i = 0; i < POSTS_PER_ROUND / CONCURRENCY; i++) await post();
    }),
  );
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / POSTS_PER_ROUND;
}

function quantile(values: readonly number[], fraction: number): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length * fraction)] ?? Number.NaN;
}
