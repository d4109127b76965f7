import type { ControlToken } from "../../../loopback/src/control-token.ts";
import type { Gateway } from "../gateway/gateway.ts";
import { handleLocalRequest } from "../gateway/local-routes.ts";
import { type Pollers, startPollers } from "../lambda/pollers.ts";
import { type Schedules, startSchedules } from "../lambda/schedules.ts";
import type { StackClock } from "../support/clock.ts";
import type { Millis } from "../support/time.ts";
import type { Deployment } from "./deployment.ts";
import type { Services } from "./services.ts";

export interface OperationOptions {
  readonly deployment: Deployment;
  readonly services: Services;
  readonly gateway: Gateway;
  readonly clock: StackClock;
  readonly controlToken: ControlToken;
  readonly report: (line: string) => void;
  /** Advances the clocks of what else the program runs. Default: none. */
  readonly onClockAdvance?: () => Promise<void>;
}

/** Running batches get this long to finish when the stack stops. */
const DRAIN_MS = 1_500;
/** Running batches get this long to finish before the clock advances. */
const SETTLE_MS = 2_000;

/**
 * Begins the traffic of a deployment whose functions are loaded: queues, schedules, requests and sockets.
 * @returns what advances the clock and resolves when every schedule that is then due has run
 */
export function operate(options: OperationOptions, cleanup: AsyncDisposableStack): (by: Millis) => Promise<void> {
  const { deployment, services, gateway, clock, controlToken, report } = options;
  const { functions, socketApi } = deployment;
  const pollers = startPollers(deployment.mappings, { sqsOf: deployment.queueClient, functions, report });
  const schedules = startSchedules(deployment.schedules, clock.now, functions, report);
  cleanup.defer(() => drain(pollers, schedules));
  cleanup.defer(gateway.close);

  const advance = createClockAdvancer(options, pollers, schedules);
  let edgeRefusals = 0;
  const controls = {
    token: controlToken,
    now: clock.now,
    advance,
    mails: () => services.emulators.mail.list(),
    refuseAtEdge: (count: number) => {
      edgeRefusals = count;
    },
    failConnections: (mode: "none" | "dead" | "slow" | "throttled") => services.realtime.faults({ mode }),
  };
  gateway.serve({
    routes: deployment.routes,
    functions,
    now: clock.now,
    report,
    handleLocal: (request, response) => handleLocalRequest(controls, request, response),
    shouldRefuseAtEdge: () => edgeRefusals > 0 && edgeRefusals-- > 0,
  });
  if (socketApi) services.realtime.serve({ api: socketApi, functions, report });
  return advance;
}

/**
 * Serializes clock advances. An advance ends when every schedule that it made due has run. It starts after the running
 * batches have finished: otherwise their messages would become visible and be received a second time.
 */
function createClockAdvancer(
  { clock, services, onClockAdvance }: OperationOptions,
  pollers: Pollers,
  schedules: Schedules,
): (by: Millis) => Promise<void> {
  let previous: Promise<void> = Promise.resolve();
  const advance = async (by: Millis): Promise<void> => {
    await pollers.settle(SETTLE_MS);
    clock.advance(by);
    services.emulators.onClockAdvance();
    services.realtime.onClockAdvance();
    await onClockAdvance?.();
    await schedules.runDue();
  };
  return (by) => {
    const current = previous.then(() => advance(by));
    previous = current.catch(() => {});
    return current;
  };
}

async function drain(pollers: Pollers, schedules: Schedules): Promise<void> {
  schedules.close();
  const timeout = Promise.withResolvers<void>();
  const timer = setTimeout(timeout.resolve, DRAIN_MS);
  await Promise.race([pollers.close(), timeout.promise]);
  clearTimeout(timer);
}
