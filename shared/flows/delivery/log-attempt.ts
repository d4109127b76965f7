import { type AttemptOutcome, attemptError, deliveryId, type Verdict } from "../../domain/delivery/deliveries.ts";
import type { DeliverPorts } from "./ports.ts";

export function logAttempt(
  ports: Pick<DeliverPorts, "log">,
  endpointId: string,
  eventUlid: string,
  attempt: number,
  { status }: { readonly status: Verdict["status"] | "pending" },
  outcome: AttemptOutcome | null,
): void {
  ports.log({
    event: "attempt",
    endpoint: endpointId,
    delivery: deliveryId(eventUlid, endpointId),
    status,
    attempt,
    response_status: outcome?.kind === "answered" ? outcome.status : null,
    error: outcome ? attemptError(outcome) : null,
    duration_ms: outcome && outcome.kind !== "refused_by_gate" ? outcome.durationMs : null,
  });
}
