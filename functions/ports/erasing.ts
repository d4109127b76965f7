import { SYSTEM } from "#features/access/rules/callers.ts";
import type { EraseAccountPorts } from "#features/accounts/flows/platform-callbacks/ports.ts";
import { eraseConversation as erase } from "#features/erasure/flows/erase.ts";
import type { Composition } from "../compose.ts";
import { erasurePassPorts } from "./erasure-passes.ts";
import { journal } from "./files.ts";
import { dataDeletionKeys } from "./keys.ts";
import { accountWork } from "./queues.ts";
import {
  accountChecks,
  accounts,
  authorizations,
  conversations,
  dataDeletions,
  erasures,
  holderTimes,
} from "./stores.ts";

/** The ports of erasing a conversation: the first pass, and the entry in the journal. */
export const eraseRequestPorts = { ...erasurePassPorts, journal };

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
