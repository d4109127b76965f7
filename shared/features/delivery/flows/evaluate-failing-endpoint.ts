import { deriveUlid, ulidTime } from "#base/kernel/ids.ts";
import type { Millis } from "#base/kernel/time.ts";
import { done, drop, type RecordOutcome } from "#base/queues/record-outcome.ts";
import { queueNotice } from "#features/access/mails.ts";
import type { Endpoint } from "#features/webhooks/rules/endpoints.ts";
import type { DeliverPorts } from "../ports.ts";
import type { WarnTask } from "../queue.ts";
import { failureAction } from "../rules/breaker.ts";
import { scheduleTask } from "../schedule.ts";
import { type AutoPause, pauseEndpoint, publishEndpointPaused } from "./pause.ts";

type FailingPorts = Pick<
  DeliverPorts,
  "endpoints" | "eventBodies" | "events" | "retries" | "slowRetries" | "due" | "mails" | "log"
>;

/**
 * Warns the owners of an endpoint whose every attempt fails, or pauses the endpoint. When the worker dies after it marked
 * the endpoint as warned, no warning is sent. When it dies after the pause, the repeated message completes it.
 * @param repeated whether the message was received before
 */
export async function evaluateFailingEndpoint(
  ports: FailingPorts,
  task: WarnTask,
  repeated: boolean,
  now: Millis,
): Promise<RecordOutcome> {
  const { tenant, endpointId, since } = task;
  const endpoint = await ports.endpoints.get(tenant, endpointId);
  if (!endpoint || endpoint.breaker.failingSince !== since) return drop("stale");
  if (endpoint.status === "paused" && repeated && isPausedByTask(task, endpoint))
    return onPaused(ports, { task, endpoint, repeated, now });
  if (endpoint.status !== "active") return drop("stale");
  switch (failureAction(endpoint.breaker, now)) {
    case "warning":
      return warn(ports, task, endpoint, now);
    case "pause": {
      const autoPause = toAutoPause(task, now);
      const isPaused = await pauseEndpoint(ports, autoPause, { url: endpoint.url, failingSince: since }, now);
      if (!isPaused) return drop("stale");
      const pausedEndpoint = { ...endpoint, pausedEvent: autoPause.eventUlid };
      return onPaused(ports, { task, endpoint: pausedEndpoint, repeated: false, now });
    }
    case null:
      return drop("stale");
  }
}

/** Marks the endpoint first, so that only one of two concurrent tasks warns. */
async function warn(ports: FailingPorts, task: WarnTask, endpoint: Endpoint, now: Millis): Promise<RecordOutcome> {
  const { tenant, since } = task;
  const { applied: saved } = await ports.endpoints.saveBreaker(
    tenant,
    endpoint,
    { ...endpoint.breaker, warnedAt: now },
    now,
  );
  // The next failure sends another task.
  if (!saved) return drop("stale");
  ports.log({ event: "endpoint.failing", endpoint: endpoint.id, action: "warned" });
  await queueNotice(ports, tenant, { kind: "endpoint_notice", what: "failing", endpointId: endpoint.id, since });
  return done;
}

/** Sends the probe that blocks the waiting deliveries, and notifies the other endpoints and the owners. */
async function onPaused(
  ports: FailingPorts,
  { task, endpoint, repeated, now }: { task: WarnTask; endpoint: Endpoint; repeated: boolean; now: Millis },
): Promise<RecordOutcome> {
  const { tenant, endpointId, since } = task;
  const { openUntil } = endpoint.breaker;
  if (openUntil !== null) {
    await scheduleTask(ports, { tenant, endpointId, kind: "probe", probe: openUntil, after: null }, now, now);
  }
  const at = ulidTime(endpoint.pausedEvent ?? "");
  await publishEndpointPaused(ports, toAutoPause(task, at), repeated);
  ports.log({ event: "endpoint.failing", endpoint: endpointId, action: "paused" });
  await queueNotice(ports, tenant, { kind: "endpoint_notice", what: "paused", endpointId, since });
  return done;
}

/** Whether this task caused the endpoint's last pause. */
function isPausedByTask(task: WarnTask, { pausedEvent }: Endpoint): boolean {
  return pausedEvent !== null && toAutoPause(task, ulidTime(pausedEvent)).eventUlid === pausedEvent;
}

function toAutoPause({ tenant, endpointId, since }: WarnTask, at: Millis): AutoPause {
  const seed = `${tenant}\n${endpointId}\n${since}\nwebhook.paused`;
  return { tenant, endpointId, reason: "failing", eventUlid: deriveUlid(at, seed) };
}
