import { type Clock, Parley, ParleyError, verifyWebhook } from "#client";

// Runs the published package in a runtime: Node.js 20 and later, and a browser. The test's server answers each path as
// `scenario-server.ts` says.

export interface ScenarioInput {
  readonly baseUrl: string;
  /** A signed delivery. */
  readonly webhook: { readonly body: string; readonly headers: Record<string, string>; readonly secret: string };
  readonly now: number;
}

/** Turns by itself through waits of up to 30 seconds, but not to the end of an attempt. */
function turningClock(now: number, waits: number[]): Clock {
  return {
    now: () => now,
    schedule(callback, delayMs) {
      if (delayMs >= 31_000) return () => {};
      const timer = setTimeout(() => {
        now += delayMs;
        waits.push(delayMs);
        callback();
      });
      return () => clearTimeout(timer);
    },
  };
}

async function outcome(call: Promise<unknown>): Promise<unknown> {
  try {
    return await call;
  } catch (error) {
    return error instanceof ParleyError ? { code: error.code, status: error.status } : String(error);
  }
}

/** What the calls returned, threw and waited. */
export async function runScenario({ baseUrl, webhook, now }: ScenarioInput): Promise<Record<string, unknown>> {
  const waits: number[] = [];
  const clock = turningClock(now, waits);
  const parley = new Parley({ baseUrl, apiKey: "svc_test_k", clock, random: () => 0 });
  const ids: string[] = [];
  for await (const { id } of parley.messages.list()) ids.push(id);
  const results: Record<string, unknown> = { ids };
  for (const id of ["bare-429", "html-502", "lost", "cut", "redirect", "html-200", "missing"]) {
    results[id] = await outcome(parley.messages.get(id));
  }
  results.reply = await outcome(parley.messages.reply({ conversation_id: "c", text: "Grüße" }));
  results.refusedReply = await outcome(parley.messages.reply({ conversation_id: "503", text: "Grüße" }));
  results.held = await outcome(parley.messages.sendAsHumanAgent({ conversation_id: "c", text: "x", actor_id: "amy" }));
  results.aborted = await outcome(parley.ping({ signal: AbortSignal.abort() }));
  const progress: boolean[] = [];
  const file = new Blob([new Uint8Array(150_000)], { type: "application/pdf" });
  results.upload = await outcome(
    parley.attachments.upload(
      { conversation_id: "c", file, filename: "offer.pdf" },
      { onProgress: ({ loaded, total }) => progress.push(loaded === total) },
    ),
  );
  results.isPosted = progress.at(-1);
  results.event = await outcome(verifyWebhook(webhook, webhook.secret, { now }));
  results.forged = await outcome(verifyWebhook({ ...webhook, body: "{}" }, webhook.secret, { now }));
  results.waits = waits;
  results.stream = "WebSocket" in globalThis ? await firstEvents(baseUrl) : "none";
  return results;
}

function firstEvents(baseUrl: string): Promise<string[]> {
  const parley = new Parley({ baseUrl, apiKey: "svc_test_k" });
  return new Promise((resolve) => {
    const reports: string[] = [];
    const stream = parley.connect({
      onHello: () => reports.push("hello"),
      onEvent: ({ id }) => {
        reports.push(id);
        if (id === "evt_last") stream.close();
      },
      onClose: () => resolve(reports),
    });
  });
}
