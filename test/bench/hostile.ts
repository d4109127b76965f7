import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import type { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { createGate } from "#base/net/egress-gate.ts";
import { createWebhookClient, type WebhookClient } from "#base/net/webhook-client.ts";

export interface HostileEffect {
  /** The median of a healthy receiver's response times beside twenty hostile ones to that without them. */
  readonly p50Ratio: number;
  readonly attempts: number;
  /** The most that one attempt at a hostile receiver read off its socket. */
  readonly bytesReadMax: number;
}

const RECEIVERS = 20;
/** Pairs of rounds: with and without attempts at the hostile receivers. */
const PAIRS = 6;
const ROUND_MS = 1_000;
/** Each hostile receiver gets an attempt so often, unless the last one still runs. */
const ATTEMPT_EVERY_MS = 250;
const BODY = JSON.stringify({ id: "evt_01KJW8Z0000000000000000000", data: { text: "x".repeat(900) } });

/** The effect of twenty receivers that never stop writing on a healthy one, in rounds side by side. */
export async function measureHostile(): Promise<HostileEffect> {
  const healthyThread = new Worker(new URL("./receiver-thread.ts", import.meta.url));
  const hostileThread = new Worker(new URL("./hostile-thread.ts", import.meta.url), { workerData: RECEIVERS });
  const [[healthyPort], [hostilePorts]] = (await Promise.all([
    once(healthyThread, "message"),
    once(hostileThread, "message"),
  ])) as [[number], [number[]]];
  const client = createWebhookClient({ gate: createGate({ mode: "open" }) });
  const sockets: Socket[] = [];
  const onSocket = (message: unknown) => sockets.push((message as { socket: Socket }).socket);
  subscribe("net.client.socket", onSocket);
  let attempts = 0;

  async function attack(port: number, until: number): Promise<void> {
    while (performance.now() < until) {
      await Promise.all([send(client, port), delay(ATTEMPT_EVERY_MS)]);
      attempts += 1;
    }
  }

  async function healthyP50(until: number): Promise<number> {
    const durations: number[] = [];
    while (performance.now() < until) {
      const startedAt = performance.now();
      await send(client, healthyPort);
      durations.push(performance.now() - startedAt);
    }
    return median(durations);
  }

  try {
    await healthyP50(performance.now() + ROUND_MS);
    const ratios: number[] = [];
    for (let pair = 0; pair < PAIRS; pair++) {
      const alone = await healthyP50(performance.now() + ROUND_MS);
      const until = performance.now() + ROUND_MS;
      const [beside] = await Promise.all([healthyP50(until), ...hostilePorts.map((port) => attack(port, until))]);
      ratios.push(beside / alone);
    }
    const hostile = sockets.filter(({ remotePort }) => remotePort !== healthyPort);
    return {
      p50Ratio: median(ratios),
      attempts,
      bytesReadMax: Math.max(...hostile.map(({ bytesRead }) => bytesRead)),
    };
  } finally {
    unsubscribe("net.client.socket", onSocket);
    await client.close();
    await Promise.all([healthyThread.terminate(), hostileThread.terminate()]);
  }
}

function send(client: WebhookClient, port: number) {
  return client.send({ url: `http://127.0.0.1:${port}/`, poolKey: "endpoint", headers: {}, body: BODY });
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
