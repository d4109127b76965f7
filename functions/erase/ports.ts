import type { ErasePorts } from "#features/erasure/ports.ts";
import { compose } from "../compose.ts";
import { type Host, processHost } from "../host.ts";
import { erasurePassPorts } from "../ports/erasure-passes.ts";
import { receivedMessages } from "../ports/queues.ts";
import type { WorkerPorts } from "../worker/batch.ts";

export function erasePorts(host: Host = processHost): ErasePorts & WorkerPorts {
  return compose(host, { ...erasurePassPorts, receivedMessages });
}
