import type { SQSBatchResponse, SQSEvent } from "aws-lambda";
import { eraseInBackground } from "../../shared/flows/erasure/background.ts";
import type { ErasePorts } from "../../shared/flows/erasure/ports.ts";
import { drop, type RecordOutcome } from "../../shared/flows/record-outcome.ts";
import { type Millis, SECOND } from "../../shared/kernel/time.ts";
import { runWithTrace } from "../../shared/kernel/trace.ts";
import { decodeErasure } from "../../shared/queues/erasures.ts";
import { type Invocation, processRecords } from "../worker/batch.ts";

/** How long before the function's time-out no further page is begun: one takes a second or two when all goes slowly. */
const STOP_EARLY: Millis = 15 * SECOND;

const noPostponing = async () => {};

/** The erase worker: takes each erasure of a batch as far as it goes for now. */
export function eraseWorker(ports: ErasePorts, now: () => Millis) {
  return (event: SQSEvent, invocation: Invocation): Promise<SQSBatchResponse> => {
    const inTime = () => invocation.getRemainingTimeInMillis() > STOP_EARLY;
    const eraseOnce = async (body: string): Promise<RecordOutcome> => {
      const message = decodeErasure(body);
      if (!message) return drop("unreadable");
      return runWithTrace(message.traceId ?? null, () => eraseInBackground(ports, message, inTime, now()));
    };
    return processRecords(
      "erase",
      event,
      invocation,
      ports.log,
      noPostponing,
      (records) => new Map(records.map(({ messageId, body }) => [messageId, eraseOnce(body)])),
    );
  };
}
