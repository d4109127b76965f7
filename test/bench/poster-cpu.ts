import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { Pool } from "undici";
import { sign } from "../../shared/domain/signatures.ts";
import { createGate } from "../../shared/net/egress-gate.ts";
import { createPoster } from "../../shared/net/poster.ts";

export interface PosterCpu {
  /** Microseconds of this thread's CPU for each POST, the median of the rounds. */
  readonly poster: number;
  readonly bare: number;
}

const ROUNDS = 21;
const POSTS_A_ROUND = 300;
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
  const poster = createPoster({ gate: createGate({ mode: "open" }), connectionsPerOrigin: AT_ONCE });
  const pool = new Pool(new URL(url).origin, { connections: AT_ONCE, pipelining: 1 });
  const headers = () => ({ ...sign([SECRET], "evt_01KJW8Z0000000000000000000", BODY, Date.now()) });

  const throughPoster: Post = async () => {
    const outcome = await poster.post({ url, headers: headers(), body: BODY });
    if (outcome.kind !== "answered") throw new Error(`The receiver was not reached: ${JSON.stringify(outcome)}`);
  };
  const throughPool: Post = async () => {
    const all = { ...headers(), "content-type": "application/json", "user-agent": "bare", accept: "*/*" };
    const { body } = await pool.request({ method: "POST", path: "/hooks", headers: all, body: BODY });
    await body.dump();
  };

  try {
    const samples = { poster: [] as number[], bare: [] as number[] };
    await round(throughPoster);
    await round(throughPool);
    for (let i = 0; i < ROUNDS; i++) {
      // Whoever goes first changes each time.
      if (i % 2 === 0) samples.poster.push(await round(throughPoster));
      samples.bare.push(await round(throughPool));
      if (i % 2 === 1) samples.poster.push(await round(throughPoster));
    }
    return { poster: median(samples.poster), bare: median(samples.bare) };
  } finally {
    await poster.close();
    await pool.destroy();
    await receiver.terminate();
  }
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

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
