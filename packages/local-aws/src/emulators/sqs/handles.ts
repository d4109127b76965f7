import { ServiceError } from "../service-error.ts";

/** One receipt of one message. The handle becomes invalid when the message is received again. */
export interface Receipt {
  readonly queue: string;
  readonly id: string;
  readonly turn: number;
}

export function encodeHandle({ queue, id, turn }: Receipt): string {
  return Buffer.from(JSON.stringify([queue, id, turn])).toString("base64url");
}

/** Throws ReceiptHandleIsInvalid for a handle that this queue did not issue. */
export function parseHandle(handle: string, queue: string): Receipt {
  try {
    const [handleQueue, id, turn] = JSON.parse(Buffer.from(handle, "base64url").toString()) as unknown[];
    if (handleQueue === queue && typeof id === "string" && typeof turn === "number") return { queue, id, turn };
  } catch {
    // A malformed handle gets the same error as a handle of another queue.
  }
  throw new ServiceError("ReceiptHandleIsInvalid", `The input receipt handle "${handle}" is not valid for this queue.`);
}
