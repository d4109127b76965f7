import { consoleLog } from "../../shared/aws/log.ts";
import { openReceivedMessages } from "../../shared/aws/received-messages.ts";
import type { WorkerPorts } from "../worker/batch.ts";

export function mailPorts(): WorkerPorts {
  return { receivedMessages: openReceivedMessages(), log: consoleLog };
}
