import { compose } from "../compose.ts";
import { platformSecrets } from "../ports/keys.ts";
import { smokeRuns } from "../ports/stores.ts";
import { deletionPorts } from "./deletion-ports.ts";
import { commandHost, type Environment, openClients, tenantPorts } from "./tenant-ports.ts";

/** What `smoke` needs: what creates a tenant and deletes it, its own rows, and the app secrets. */
export function smokePorts(environment: Environment) {
  const clients = openClients(environment);
  return {
    setup: tenantPorts(environment, clients),
    deletion: deletionPorts(environment, clients),
    ...compose(commandHost(environment, clients), { runs: smokeRuns, readSecrets: platformSecrets }),
  };
}
