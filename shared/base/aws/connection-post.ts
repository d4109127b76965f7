import type { ApiGatewayManagementApiClient } from "@aws-sdk/client-apigatewaymanagementapi";
import { POST_ATTEMPTS_MAX } from "../config/request-times.ts";
import { sendSigned } from "./signed-request.ts";

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
