import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { AppReport } from "../../../../local/simulator/host.ts";
import { startSimulator } from "../../../../local/simulator/simulator.ts";
import { testAccounts, testSecrets } from "../simulator-fixture.ts";

/** A simulator for the page, in a host that records what it is asked, and a receiver whose status can be changed. */
export async function startPageSimulator() {
  const receiver = { status: 200 };
  const server = createServer((request, response) => {
    request.resume();
    request.on("end", () => response.writeHead(receiver.status).end("EVENT_RECEIVED"));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const advances: number[] = [];
  const report: AppReport = { message: null, deliveries: [], problem: null };
  const simulator = await startSimulator({
    port: 0,
    webhookBase: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    metaSecret: testSecrets.meta,
    instagramSecret: testSecrets.instagram,
    verifyToken: "verify-me",
    accounts: Object.values(testAccounts),
    host: {
      async advanceClock(by) {
        advances.push(by);
        const { clock_offset_ms: offset } = await control<{ clock_offset_ms: number }>("/state");
        await control("/clock", { offset_ms: offset + by });
      },
      inspect: async () => report,
    },
  });
  async function control<Answer>(path: string, body?: unknown): Promise<Answer> {
    const request = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
    const headers = { "Content-Type": "application/json" };
    const answer = await fetch(`${simulator.url}/_sim${path}`, { ...request, headers });
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
    return (await answer.json()) as Answer;
  }
  return {
    url: simulator.url,
    receiver,
    advances,
    report,
    control,
    async close() {
      await simulator.close();
      server.closeAllConnections();
      server.close();
    },
  };
}
