import {
  ApiGatewayManagementApiClient,
  DeleteConnectionCommand,
  PostToConnectionCommand,
} from "@aws-sdk/client-apigatewaymanagementapi";
import { POST_ATTEMPTS_MAX, requestOptions, requestTimeouts } from "../config/request-times.ts";
import { callScopePlugin } from "../kernel/call-scope.ts";

/** The open connections of the WebSocket API. */
export interface Connections {
  /**
   * Sends a text frame, which a lost answer may send twice.
   * @param text at most `GATEWAY_MESSAGE_BYTES_MAX` bytes; the gateway refuses a longer one
   * @returns `gone` when the connection is closed, or when its handshake is not answered yet
   * @throws an error of AWS, also after a time-out, when the frame may not have been sent
   */
  post(connectionId: string, text: string): Promise<"sent" | "gone">;

  /**
   * Closes a connection.
   * @returns `gone` when it is closed already, or when its handshake is not answered yet
   * @throws an error of AWS
   */
  close(connectionId: string): Promise<"closed" | "gone">;
}

/** @param endpoint the URL of the stage, `https://<host>/<stage>` */
export function openConnections(
  endpoint: string,
  client: ApiGatewayManagementApiClient = connectionsClient(endpoint),
): Connections {
  client.middlewareStack.use(callScopePlugin);
  return {
    async post(connectionId, text) {
      const isSent = await unlessGone(() =>
        client.send(new PostToConnectionCommand({ ConnectionId: connectionId, Data: Buffer.from(text) })),
      );
      return isSent ? "sent" : "gone";
    },
    async close(connectionId) {
      const isClosed = await unlessGone(() => client.send(new DeleteConnectionCommand({ ConnectionId: connectionId })));
      return isClosed ? "closed" : "gone";
    },
  };
}

async function unlessGone(request: () => Promise<unknown>): Promise<boolean> {
  try {
    await request();
    return true;
  } catch (error) {
    if (isGone(error)) return false;
    throw error;
  }
}

function isGone(error: unknown): boolean {
  return (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode === 410;
}

function connectionsClient(endpoint: string): ApiGatewayManagementApiClient {
  return new ApiGatewayManagementApiClient({
    endpoint,
    ...requestOptions(requestTimeouts.connections, POST_ATTEMPTS_MAX),
  });
}
