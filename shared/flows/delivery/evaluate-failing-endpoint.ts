import { dueFor } from "../../domain/delivery/breaker.ts";
import type { Endpoint } from "../../domain/webhooks/endpoints.ts";
import { timeOfUlid, ulidOf } from "../../kernel/ids.ts";
import type { Millis } from "../../kernel/time.ts";
import type { DeliverPorts } from "../ports.ts";
import { done, drop, type RecordEnd } from "../record-outcome.ts";
import { type FailingStep, sendStep } from "./endpoint-tasks.ts";
import { mailOwner, pausedMailOf, warningOf } from "./mails.ts";
import { type Pausing, pauseEndpoint, tellPaused } from "./pause.ts";

type FailingPorts = Pick<
  DeliverPorts,
  "endpoints" | "eventBodies" | "events" | "retries" | "due" | "mail" | "tenants" | "log"
>;

/**
 * Warns the owners of an endpoint whose every attempt fails, or pauses it. A worker that dies after it marked the
 * endpoint as warned has warned nobody; one that dies after it paused it is made up for when the message comes again.
 * @param repeated whether the message came before
 */
export async function judgeFailing(
  ports: FailingPorts,
  step: FailingStep,
  repeated: boolean,
  now: Millis,
): Promise<RecordEnd> {
  const { tenant, endpointId, since } = step;
  const endpoint = await ports.endpoints.get(tenant, endpointId);
  if (!endpoint || endpoint.breaker.failingSince !== since) return drop("stale");
  if (endpoint.status === "paused" && repeated && isOurs(step, endpoint))
    return afterPause(ports, step, endpoint, true, now);
  if (endpoint.status !== "active") return drop("stale");
  switch (dueFor(endpoint.breaker, now)) {
    case "warning":
      return warn(ports, step, endpoint, now);
    case "pause": {
      const pausing = pausingOf(step, now);
      const paused = await pauseEndpoint(ports, tenant, pausing, { url: endpoint.url, failingSince: since }, now);
      if (!paused) return drop("stale");
      return afterPause(ports, step, { ...endpoint, pausedEvent: pausing.eventUlid }, false, now);
    }
    case null:
      return drop("stale");
  }
}

/** Marked first: of two that come at once, one warns. */
async function warn(ports: FailingPorts, step: FailingStep, endpoint: Endpoint, now: Millis): Promise<RecordEnd> {
  const { tenant, since } = step;
  const { kept } = await ports.endpoints.keepBreaker(tenant, endpoint, { ...endpoint.breaker, warnedAt: now }, now);
  // The next failure says so again.
  if (!kept) return drop("stale");
  ports.log({ event: "endpoint_failing", endpoint: endpoint.id, action: "warned" });
  await mailOwner(ports, tenant, warningOf(tenant, { endpoint, since }));
  return done;
}

/** What waits becomes blocked by way of the probe that is due; the other endpoints and the owner are told. */
async function afterPause(
  ports: FailingPorts,
  step: FailingStep,
  endpoint: Endpoint,
  repeated: boolean,
  now: Millis,
): Promise<RecordEnd> {
  const { tenant, endpointId, since } = step;
  const { openUntil } = endpoint.breaker;
  if (openUntil !== null) {
    await sendStep(ports, { tenant, endpointId, step: "probe", probe: openUntil, after: null }, now, now);
  }
  const at = timeOfUlid(endpoint.pausedEvent ?? "");
  await tellPaused(ports, tenant, pausingOf(step, at), repeated);
  ports.log({ event: "endpoint_failing", endpoint: endpointId, action: "paused" });
  await mailOwner(ports, tenant, pausedMailOf(tenant, { endpoint, since }));
  return done;
}

/** Whether the endpoint's last pausing is the one that follows from this step. */
function isOurs(step: FailingStep, { pausedEvent }: Endpoint): boolean {
  return pausedEvent !== null && pausingOf(step, timeOfUlid(pausedEvent)).eventUlid === pausedEvent;
}

function pausingOf({ tenant, endpointId, since }: FailingStep, at: Millis): Pausing {
  const seed = `${tenant}\n${endpointId}\n${since}\nwebhook.paused`;
  return { endpointId, reason: "failing", eventUlid: ulidOf(at, seed) };
}
