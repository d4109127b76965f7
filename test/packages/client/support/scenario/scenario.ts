import { Parley, verifyWebhook } from "#client";
import { runAborts } from "./aborts.ts";
import { turningClock } from "./clock.ts";
import { credentials } from "./credentials.ts";
import { runGuidance } from "./guidance.ts";
import { outcome } from "./outcome.ts";
import { runTimeOuts, runUploadTimeOut } from "./time-outs.ts";

// Runs the client in a runtime: Node.js 20 and later, and a browser. The test's server answers each path as `steps.ts`
// says, and each runtime must report what `expected.ts` says.

export interface ScenarioInput {
  readonly baseUrl: string;
  /** A signed delivery. */
  readonly webhook: { readonly body: string; readonly headers: Record<string, string>; readonly secret: string };
  readonly now: number;
  /** The names of the faults in `faults.ts`. */
  readonly faults: readonly string[];
  /** Where a request hangs, by the phase in which it does. */
  readonly hanging: Readonly<Record<string, string>>;
}

type StreamOptions = Pick<Parameters<Parley["connect"]>[0], "WebSocket">;

/** What the calls returned, threw and waited. */
export async function runScenario(input: ScenarioInput, streamOptions: StreamOptions = {}): Promise<object> {
  const { baseUrl, webhook, now } = input;
  const waits: number[] = [];
  const parley = new Parley({ baseUrl, ...credentials, clock: turningClock(now, waits), random: () => 0 });
  const ids: string[] = [];
  for await (const { id } of parley.messages.list()) ids.push(id);
  const progress: boolean[] = [];
  const file = new Blob([new Uint8Array(150_000)], { type: "application/pdf" });
  return {
    ids,
    reply: await outcome(parley.messages.reply({ conversation_id: "c", text: "Grüße" })),
    held: await outcome(parley.messages.sendAsHumanAgent({ conversation_id: "c", text: "x", actor_id: "amy" })),
    aborted: await outcome(parley.ping({ signal: AbortSignal.abort() })),
    upload: await outcome(
      parley.attachments.upload(
        { conversation_id: "c", file, filename: "offer.pdf" },
        { onProgress: ({ loaded, total }) => progress.push(loaded === total) },
      ),
    ),
    isPosted: progress.at(-1),
    waits,
    event: await outcome(verifyWebhook(webhook, webhook.secret, { now })),
    forged: await outcome(verifyWebhook({ ...webhook, body: "{}" }, webhook.secret, { now })),
    guidance: await runGuidance(baseUrl, now, input.faults),
    timeOuts: await runTimeOuts(input.hanging, now),
    uploadTimeOut: await runUploadTimeOut(baseUrl),
    aborts: await runAborts(baseUrl, now),
    stream: await firstEvents(baseUrl, streamOptions),
  };
}

function firstEvents(baseUrl: string, options: StreamOptions): Promise<string[]> {
  const parley = new Parley({ baseUrl, ...credentials });
  return new Promise((resolve) => {
    const reports: string[] = [];
    const stream = parley.connect({
      ...options,
      onHello: () => reports.push("hello"),
      onEvent: ({ id }) => {
        reports.push(id);
        if (id === "evt_last") stream.close();
      },
      onClose: () => resolve(reports),
    });
  });
}
