import { openQueue } from "#base/aws/queues.ts";
import { queueUrlNames } from "#base/config/names.ts";
import { setting } from "#base/config/settings.ts";
import type { RedrivePorts } from "#features/dead-letters/ports.ts";
import { parseUpdates } from "#platforms/platforms.ts";
import { type Composition, compose } from "../compose.ts";
import { deliveries, due, endpoints, erasures, eventBodies, messages, quarantine, restores } from "../ports/stores.ts";
import { commandHost, type Environment } from "./tenant-ports.ts";

/** The ports of the dead-letter commands: the table, and for a redrive the source queue. */
export function redrivePorts(environment: Environment): RedrivePorts {
  return compose(commandHost(environment), redriveSelection);
}

/** The ports of a redrive, by their names. */
export const redriveSelection = {
  quarantine,
  deliveries,
  endpoints,
  messages,
  eventBodies,
  erasures,
  due,
  restores,
  parseUpdates: () => parseUpdates,
  queueFor,
};

function queueFor({ settings, clients }: Composition): RedrivePorts["queueFor"] {
  return (queue) => openQueue(setting(queueUrlNames[queue], settings), clients.sqs);
}
