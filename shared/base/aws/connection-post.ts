import type { ApiGatewayManagementApiClient } from "@aws-sdk/client-apigatewaymanagementapi";
import { SignatureV4 } from "@smithy/signature-v4";
import type { HttpResponse } from "@smithy/types";
import { POST_ATTEMPTS_MAX } from "../config/request-times.ts";
import { requireOpenCallScope } from "../kernel/call-scope.ts";
import { type Millis, SECOND } from "../kernel/time.ts";

// An event is one request for each socket of its tenant. Made with the SDK's signer and HTTP handler, it takes less than
// half the processor time of the SDK's client.

const RETRY_WAIT_MAX: Millis = 0.1 * SECOND;

/** An answer of the management API that is neither success nor 410. Named as the SDK names it. */
class ManagementError extends Error {
  readonly $metadata: { readonly httpStatusCode: number };

  constructor({ statusCode, headers }: HttpResponse) {
    super(`The management API of the WebSocket API answered ${statusCode}.`);
    this.name = headers["x-amzn-errortype"]?.split(":")[0] ?? "ManagementError";
    this.$metadata = { httpStatusCode: statusCode };
  }
}

/** Sends a text frame. @throws ManagementError, or the error of the connection or of a time-out */
export type PostFrame = (connectionId: string, text: string) => Promise<"sent" | "gone">;

/**
 * @param client whose credentials, region, connections and time-outs the requests use
 * @param endpoint the URL of the stage, `https://<host>/<stage>`
 */
export function framePoster({ config }: ApiGatewayManagementApiClient, endpoint: string): PostFrame {
  const { protocol, hostname, host, port, pathname } = new URL(endpoint);
  const signer = new SignatureV4({
    service: "execute-api",
    region: config.region,
    credentials: config.credentials,
    sha256: config.sha256,
  });

  async function send(connectionId: string, text: string): Promise<HttpResponse> {
    const request = await signer.sign({
      method: "POST",
      protocol,
      hostname,
      ...(port === "" ? {} : { port: Number(port) }),
      path: `${pathname}/@connections/${encodeURIComponent(connectionId)}`,
      query: {},
      headers: {
        host,
        "content-type": "application/octet-stream",
        "content-length": String(Buffer.byteLength(text)),
      },
      body: text,
    });
    const { response } = await config.requestHandler.handle(request);
    // The connection is used again once the body was read. What the body says is of no use.
    response.body.on("error", () => {}).resume();
    return response;
  }

  return async (connectionId, text) => {
    for (let attempt = 1; ; attempt++) {
      requireOpenCallScope();
      const response = await send(connectionId, text).catch((error: Error) => error);
      const status = response instanceof Error ? null : response.statusCode;
      if (status !== null && status < 300) return "sent";
      if (status === 410) return "gone";
      const mayRepeat = status === null || status === 429 || status >= 500;
      if (!mayRepeat || attempt === POST_ATTEMPTS_MAX) {
        throw response instanceof Error ? response : new ManagementError(response);
      }
      await new Promise((resolve) => setTimeout(resolve, Math.random() * RETRY_WAIT_MAX));
    }
  };
}
