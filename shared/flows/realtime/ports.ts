import type { Log } from "../../aws/log.ts";
import type { Queue } from "../../aws/queues.ts";

/** What requesting the push of a change needs. */
export interface PushRequestPorts {
  /** The queue of the push worker. */
  readonly realtime: Pick<Queue, "send">;
  readonly log: Log;
}

/** The connections of the WebSocket API. */
export interface Connections {
  /**
   * Sends one frame.
   * @returns `gone`: the connection does not exist, or not yet
   * @throws any other error of the API
   */
  post(connectionId: string, text: string): Promise<"sent" | "gone">;
  /** Closes a connection. One that is gone is no error. */
  close(connectionId: string): Promise<void>;
}
