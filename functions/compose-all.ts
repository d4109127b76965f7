import { accountsPorts } from "./accounts/ports.ts";
import { apiPorts } from "./api/ports.ts";
import { checkPagePorts } from "./check-page/ports.ts";
import { connectPorts } from "./connect/ports.ts";
import { consolePorts } from "./console/ports.ts";
import { deliverPorts } from "./deliver/ports.ts";
import { erasePorts } from "./erase/ports.ts";
import { handOverPorts } from "./hand-over/ports.ts";
import type { Host } from "./host.ts";
import { ingestPorts } from "./ingest/ports.ts";
import { intakePorts } from "./intake/ports.ts";
import { mailPorts } from "./mail/ports.ts";
import { profilePorts } from "./profile/ports.ts";
import { pushPorts } from "./push/ports.ts";
import { socketPorts } from "./realtime/ports.ts";
import { sweepPorts } from "./sweep/ports.ts";

/**
 * The ports of every function, for a program that runs several of them in one process. Each call composes new ports, as a
 * new process has them, with empty caches. A function that runs alone imports its own `ports.ts`, so that its bundle has
 * nothing of the others.
 */
export function composeAll(host: Host) {
  return {
    accounts: () => accountsPorts(host),
    api: () => apiPorts(host),
    connect: () => connectPorts(host),
    console: () => consolePorts(host),
    deliver: () => deliverPorts(host),
    erase: () => erasePorts(host),
    "hand-over": () => handOverPorts(host),
    ingest: () => ingestPorts(host),
    intake: () => intakePorts(host),
    mail: () => mailPorts(host),
    profile: () => profilePorts(host),
    push: () => pushPorts(host),
    realtime: () => socketPorts(host),
    sweep: () => sweepPorts(host),
    "check-page": () => checkPagePorts(host),
  };
}
