import { ApiGatewayManagementApiClient, DeleteConnectionCommand } from "@aws-sdk/client-apigatewaymanagementapi";
import { POST_ATTEMPTS_MAX, requestOptions, requestTimeouts } from "../config/request-times.ts";
import { callScopePlugin } from "../kernel/call-scope.ts";
import { sendSigned } from "./signed-request.ts";

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
    post: framePoster(client, endpoint),
    async close(connectionId) {
      try {
        await client.send(new DeleteConnectionCommand({ ConnectionId: connectionId }));
        return "closed";
      } catch (error) {
        if (isGone(error)) return "gone";
        throw error;
      }
    },
  };
}

/** Sends a text frame. @throws an error named as the SDK names it, or the error of the connection or of a time-out */
export type PostFrame = (connectionId: string, text: string) => Promise<"sent" | "gone">;

/**
 * An event is one request for each socket of its tenant, so frames are sent without the SDK's client.
 * @param client whose credentials, region, connections and time-outs the requests use
 * @param endpoint the URL of the stage, `https://<host>/<stage>`
 */
export function framePoster({ config }: ApiGatewayManagementApiClient, endpoint: string): PostFrame {
  return async (connectionId, text) => {
    const request = {
      service: "execute-api",
      method: "POST",
      url: new URL(`${endpoint}/@connections/${encodeURIComponent(connectionId)}`),
      contentType: "application/octet-stream",
      body: text,
      attemptsMax: POST_ATTEMPTS_MAX,
    } as const;
    return (await sendSigned(config, request, [410])) === 410 ? "gone" : "sent";
  };
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
