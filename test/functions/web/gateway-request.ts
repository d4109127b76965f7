import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from "aws-lambda";
import type { lambdaHandler } from "#http/lambda.ts";

export interface GatewayRequest {
  readonly query?: string;
  readonly method?: string;
  readonly headers?: Record<string, string>;
}

/** Sends a request as the gateway passes it on. @returns the response, with its bytes */
export async function sendByGateway(
  handler: ReturnType<typeof lambdaHandler>,
  path: string,
  { query = "", method = "GET", headers = {} }: GatewayRequest = {},
) {
  const event = {
    rawPath: path,
    rawQueryString: query,
    headers,
    requestContext: { requestId: "r1", http: { method, sourceIp: "192.0.2.1" } },
  } as unknown as APIGatewayProxyEventV2;
  const result = await handler(event, { getRemainingTimeInMillis: () => 10_000 });
  const { statusCode, body = "", isBase64Encoded } = result as Required<APIGatewayProxyStructuredResultV2>;
  const sent = (result as APIGatewayProxyStructuredResultV2).headers ?? {};
  return {
    status: statusCode,
    headers: sent as Record<string, string>,
    body: Buffer.from(body, isBase64Encoded ? "base64" : "utf8"),
  };
}
