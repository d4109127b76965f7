import { SYSTEM } from "#features/access/rules/callers.ts";
import type { EraseAccountPorts } from "#features/accounts/flows/platform-callbacks/ports.ts";
import { eraseConversation as erase } from "#features/erasure/flows/erase.ts";
import type { Composition } from "../compose.ts";
import { journal, uploadObjects } from "./files.ts";
import { dataDeletionKeys } from "./keys.ts";
import { log } from "./process.ts";
import { accountWork, erasureWork, realtime } from "./queues.ts";
import {
  accountChecks,
  accounts,
  authorizations,
  conversations,
  dataDeletions,
  endpoints,
  erasures,
  holderTimes,
  sockets,
  tenantStates,
  traces,
  uploadRemovals,
} from "./stores.ts";

/** The ports of erasing a conversation. */
export const eraseRequestPorts = {
  journal,
  erasures,
  traces,
  tenantStates,
  endpoints,
  uploadFiles: uploadObjects,
  uploadRemovals,
  erasureWork,
  sockets,
  realtime,
  log,
};

/** The ports of erasing the conversations of an account. */
export const eraseAccountPorts = {
  journal,
  accounts,
  holderTimes,
  accountChecks,
  authorizations,
  conversations,
  dataDeletions,
  dataDeletionKeys,
  erasures,
  eraseConversation,
  accountWork,
};

/** Erases a conversation of an account, with the service as the author. */
function eraseConversation({ all }: Composition): EraseAccountPorts["eraseConversation"] {
  const ports = all(eraseRequestPorts);
  return (erasure, hasTime) => erase(ports, { ...erasure, author: SYSTEM }, hasTime);
}
