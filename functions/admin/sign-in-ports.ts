import type { OperatorLinkPorts } from "#features/access/flows/sign-in/ports.ts";
import { compose } from "../compose.ts";
import { addressKeys, loginKeys } from "../ports/keys.ts";
import { audit, invites, loginTokens, users } from "../ports/stores.ts";
import { commandHost, type Environment } from "./tenant-ports.ts";

/** The ports for creating sign-in links in the deployment that `environment` describes. */
export function operatorLinkPorts(environment: Environment): OperatorLinkPorts {
  return compose(commandHost(environment), { loginTokens, users, invites, audit, loginKeys, addressKeys });
}
