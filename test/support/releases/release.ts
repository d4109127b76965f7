import type { QueueName } from "#base/config/names.ts";
import type { Millis } from "#base/kernel/time.ts";
import { type RedriveResult, redriveQueue } from "#features/dead-letters/flows/redrive.ts";
import { createApp } from "#http/app.ts";
import { redriveSelection } from "../../../functions/admin/redrive-ports.ts";
import { compose } from "../../../functions/compose.ts";
import { composeAll } from "../../../functions/compose-all.ts";
import { deliverWorker } from "../../../functions/deliver/worker.ts";
import type { Host } from "../../../functions/host.ts";
import { ingestWorker } from "../../../functions/ingest/worker.ts";
import { intakeApp } from "../../../functions/intake/app.ts";
import { profileWorker } from "../../../functions/profile/worker.ts";
import { sweepWorker } from "../../../functions/sweep/worker.ts";

export type Release = ReturnType<typeof openRelease>;

/** The functions of a release between a platform's webhook and a receiver. */
export function openRelease(host: Host, now: () => Millis) {
  const functions = composeAll(host);
  const redrivePorts = compose(host, redriveSelection);
  const { log } = host;
  return {
    intake: createApp({ ...intakeApp(functions.intake()), now, log }),
    ingest: ingestWorker(functions.ingest(), now),
    deliver: deliverWorker(functions.deliver(), now),
    profile: profileWorker(functions.profile(), now),
    sweep: sweepWorker(functions.sweep(), now),
    /** Redrives the dead letters of a queue, as `dlq redrive --queue` does. */
    async redrive(queue: QueueName): Promise<RedriveResult[]> {
      const results: RedriveResult[] = [];
      for await (const page of redriveQueue(redrivePorts, queue, now)) results.push(...page);
      return results;
    },
  };
}
