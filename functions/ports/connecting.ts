import { connectAccount as connect } from "#features/accounts/flows/connect.ts";
import type { ConnectAccount } from "#features/accounts/flows/login/ports.ts";
import type { Composition } from "../compose.ts";
import { accountPlatformFor } from "./account-platforms.ts";
import { vault } from "./keys.ts";
import { accountsMax, log } from "./process.ts";
import { accountWork, events } from "./queues.ts";
import { accountChecks, accounts, authorizations, eventBodies, pageUses } from "./stores.ts";

/** The ports of connecting an account. */
export const connectingPorts = {
  accountsMax,
  accounts,
  accountChecks,
  authorizations,
  pageUses,
  eventBodies,
  events,
  accountWork,
  vault,
  accountPlatformFor,
  log,
};

/** Connects an account that a login returns. */
export function connectAccount({ all }: Composition): ConnectAccount {
  const ports = all(connectingPorts);
  return ({ time, ...connection }) => connect(ports, connection, time);
}
