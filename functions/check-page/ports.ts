import { fileURLToPath } from "node:url";
import { randomToken } from "#base/kernel/bytes.ts";
import type { CheckPagePorts } from "#features/holds/ports.ts";
import { compose } from "../compose.ts";
import { type Host, processHost } from "../host.ts";
import { challengeKeys, vault } from "../ports/keys.ts";
import { platformFor } from "../ports/platforms.ts";
import { log } from "../ports/process.ts";
import { accountWork, events, realtime } from "../ports/queues.ts";
import {
  accounts,
  audit,
  budgets,
  checkAttempts,
  conversations,
  dueSends,
  erasures,
  eventBodies,
  feedShards,
  holds,
  messages,
  outboundMessages,
  sendRecords,
} from "../ports/stores.ts";
import { readCheckPage } from "./page-files.ts";

/** The build of the function puts the page beside the bundle. */
const CHECK_PAGE_FOLDER = fileURLToPath(new URL("./check-page", import.meta.url));

/** The ports of the check page. They send held messages and give access to nothing else of a tenant. */
export function checkPagePorts(host: Host = processHost): CheckPagePorts {
  return compose(host, {
    holds,
    checkAttempts,
    audit,
    conversations,
    accounts,
    budgets,
    sendRecords,
    dueSends,
    outboundMessages,
    messages,
    erasures,
    eventBodies,
    events,
    accountWork,
    realtime,
    feedShards,
    vault,
    platformFor,
    challengeKeys,
    random: () => randomToken,
    pageFiles: () => host.pageFiles ?? readCheckPage(CHECK_PAGE_FOLDER),
    log,
  });
}
