import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { Pool } from "undici";
import { sign } from "../../shared/domain/delivery/signatures.ts";
import { createGate } from "../../shared/net/egress-gate.ts";
import { createPoster } from "../../shared/net/webhook-client.ts";

export interface PosterCpu {
  /** Microseconds of this thread's CPU for each POST, the median of the rounds. */
  readonly poster: number;
  readonly bare: number;
  /** Poster to bare: each round beside its neighbour of the other side, the quartiles of all of them. */
  readonly ratio: { readonly low: number; readonly median: number; readonly high: number };
}

const WARMUP_ROUNDS = 6;
const ROUNDS = 60;
const POSTS_A_ROUND = 500;
const AT_ONCE = 10;
const SECRET = `whs_${Buffer.alloc(32, 7).toString("base64")}`;
const BODY = JSON.stringify({ id: "evt_01KJW8Z0000000000000000000", data: { text: "x".repeat(900) } });

type Post = () => Promise<unknown>;

/**
 * CPU of the poster against a bare undici pool that sends the same signed requests. Both keep ten connections; their
 * rounds take turns, so that whatever else the machine does meets both.
 */
export async function posterCpu(): Promise<PosterCpu> {
  const receiver = new Worker(new URL("./receiver-thread.ts", import.meta.url));
  const [port] = (await once(receiver, "message")) as [number];
  const url = `http://127.0.0.1:${port}/hooks`;
  const poster = createPoster({ gate: createGate({ mode: "open" }), connectionsPerLane: AT_ONCE });
  const pool = new Pool(new URL(url).origin, { connections: AT_ONCE, pipelining: 1 });
  const headers = () => ({ ...sign([SECRET], "evt_01KJW8Z0000000000000000000", BODY, Date.now()) });

  const throughPoster: Post = async () => {
    const outcome = await poster.post({ url, lane: "endpoint", headers: headers(), body: BODY });
    if (outcome.kind !== "answered") throw new Error(`The receiver was not reached: ${JSON.stringify(outcome)}`);
  };
  const throughPool: Post = async () => {
    const all = { ...headers(), "content-type": "application/json", "user-agent": "bare", accept: "*/*" };
    const { body } = await pool.request({ method: "POST", path: "/hooks", headers: all, body: BODY });
    await body.dump();
  };

  try {
    const pairs: { poster: number; bare: number }[] = [];
    for (let i = 0; i < WARMUP_ROUNDS + ROUNDS; i++) pairs.push(await pair(throughPoster, throughPool, i % 2 === 0));
    const counted = pairs.slice(WARMUP_ROUNDS);
    const posterRounds = counted.map(({ poster }) => poster);
    const bareRounds = counted.map(({ bare }) => bare);
    const ratios = counted.map(({ poster, bare }) => poster / bare);
    return {
      poster: quantile(posterRounds, 0.5),
      bare: quantile(bareRounds, 0.5),
      ratio: { low: quantile(ratios, 0.25), median: quantile(ratios, 0.5), high: quantile(ratios, 0.75) },
    };
  } finally {
    await poster.close();
    await pool.destroy();
    await receiver.terminate();
  }
}

/** One round of each, at once after each other; whoever goes first changes each time. */
async function pair(throughPoster: Post, throughPool: Post, posterFirst: boolean) {
  if (posterFirst) return { poster: await round(throughPoster), bare: await round(throughPool) };
  const bare = await round(throughPool);
  return { poster: await round(throughPoster), bare };
}

/** Microseconds of CPU for each POST of one round. */
async function round(post: Post): Promise<number> {
  const before = process.threadCpuUsage();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let i = 0; i < POSTS_A_ROUND / AT_ONCE; i++) await post();
    }),
  );
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / POSTS_A_ROUND;
}

function quantile(values: readonly number[], share: number): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN;
}
