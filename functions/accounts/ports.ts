import { consoleLog } from "../../shared/aws/log.ts";
import { openReceivedMessages } from "../../shared/aws/received-messages.ts";
import type { AccountTaskPorts } from "../../shared/flows/accounts/ports.ts";
import type { WorkerPorts } from "../worker/batch.ts";

export function accountsPorts(): AccountTaskPorts & WorkerPorts {
  return {
    receivedMessages: openReceivedMessages(),
    log: consoleLog,
  };
}
