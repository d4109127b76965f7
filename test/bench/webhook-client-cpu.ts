import { Pool } from "undici";
import { createGate } from "#base/net/egress-gate.ts";
import { createWebhookClient } from "#base/net/webhook-client.ts";
import { signWebhook } from "#features/delivery/rules/deliveries.ts";
import { CONCURRENCY, type CpuComparison, compareCpu, withReceiver } from "./cpu-ratio.ts";

const SECRET = `whs_${Buffer.alloc(32, 7).toString("base64")}`;
const BODY = JSON.stringify({ id: "evt_01KJW8Z0000000000000000000", data: { text: "x".repeat(900) } });

/** CPU of the webhook client against a bare undici pool that sends the same signed requests. Both keep ten connections. */
export function measureClientCpu(): Promise<CpuComparison> {
  return withReceiver(async (port) => {
    const url = `http://127.0.0.1:${port}/hooks`;
    const client = createWebhookClient({ gate: createGate({ mode: "open" }), connectionsPerPool: CONCURRENCY });
    const pool = new Pool(new URL(url).origin, { connections: CONCURRENCY, pipelining: 1 });
    const headers = () => ({ ...signWebhook([SECRET], "evt_01KJW8Z0000000000000000000", BODY, Date.now()) });
    const viaClient = async () => {
      const outcome = await client.send({ url, poolKey: "endpoint", headers: headers(), body: BODY });
      if (outcome.kind !== "answered") throw new Error(`The receiver was not reached: ${JSON.stringify(outcome)}`);
    };
    const viaPool = async () => {
      const allHeaders = { ...headers(), "content-type": "application/json", "user-agent": "bare", accept: "*/*" };
      const { body } = await pool.request({ method: "POST", path: "/hooks", headers: allHeaders, body: BODY });
      await body.dump();
    };
    try {
      return await compareCpu(viaClient, viaPool);
    } finally {
      await client.close();
      await pool.destroy();
    }
  });
}
