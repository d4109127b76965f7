import { Readable } from "node:stream";
import { requireOpenCallScope } from "../kernel/call-scope.ts";
import { type Millis, machineNow, SECOND } from "../kernel/time.ts";
import type { Credentials } from "./lean/credentials.ts";
import type { HttpRequest } from "./lean/http-handler.ts";
import { type Scope, sha256Hex, sign } from "./lean/signature.ts";

const RETRY_WAIT_MAX: Millis = 0.1 * SECOND;

/** The part of an SDK client's `config` that a request needs: any client's, as credentials are not of a service. */
export interface RequestConfig {
  readonly region: () => Promise<string>;
  readonly credentials: () => Promise<Credentials>;
  readonly requestHandler: { handle(request: never, options?: object): Promise<{ response: HttpResponse }> };
}

interface HttpResponse {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** A stream, of the SDK's handler; the bytes, of the lean one. */
  readonly body?: unknown;
}

export interface SignedRequest {
  /** As the signature names it, such as `s3`. */
  readonly service: string;
  readonly method: "POST" | "PUT";
  /** Without a query. Its path has each segment encoded once. */
  readonly url: URL;
  readonly contentType: string;
  readonly body: string | Uint8Array;
  readonly attemptsMax: number;
}

/** An answer that is neither a success nor accepted by the caller. Named as the SDK names it, if the answer says so. */
class RequestRefused extends Error {
  readonly $metadata: { readonly httpStatusCode: number };

  constructor({ statusCode, headers }: HttpResponse, { service, url }: SignedRequest) {
    super(`${service} at ${url.host} answered ${statusCode}.`);
    this.name = String(headers["x-amzn-errortype"] ?? "RequestRefused").split(":", 1)[0] ?? "";
    this.$metadata = { httpStatusCode: statusCode };
  }
}

/**
 * Makes a request with a client's credentials and connections, without the client of the service: it takes less than half
 * of the client's processor time, and none of its size in a bundle. Repeats it after 429, 5xx, a time-out or a lost
 * connection.
 * @param accepts statuses that are an answer besides 2xx
 * @returns the status
 * @throws RequestRefused, or the error of the connection or of a time-out
 */
export async function sendSigned(
  config: RequestConfig,
  request: SignedRequest,
  accepts: readonly number[] = [],
): Promise<number> {
  for (let attempt = 1; ; attempt++) {
    requireOpenCallScope();
    const response = await sendOnce(config, request).catch((error: Error) => error);
    const status = response instanceof Error ? null : response.statusCode;
    if (status !== null && (status < 300 || accepts.includes(status))) return status;
    const mayRepeat = status === null || status === 429 || status >= 500;
    if (!mayRepeat || attempt === request.attemptsMax) {
      throw response instanceof Error ? response : new RequestRefused(response, request);
    }
    await new Promise((resolve) => setTimeout(resolve, Math.random() * RETRY_WAIT_MAX));
  }
}

async function sendOnce(
  { region, credentials, requestHandler }: RequestConfig,
  { service, method, url, contentType, body }: SignedRequest,
): Promise<HttpResponse> {
  const { protocol, hostname, host, port, pathname: path } = url;
  const scope: Scope = { region: await region(), service };
  const unsigned = {
    method,
    path,
    headers: { host, "content-type": contentType, "content-length": String(Buffer.byteLength(body)) },
  };
  const signing = { credentials: await credentials(), scope, time: new Date(machineNow()) };
  const headers = sign(unsigned, sha256Hex(body), signing);
  const request: HttpRequest = {
    method,
    protocol,
    hostname,
    ...(port === "" ? {} : { port: Number(port) }),
    path,
    headers,
    body,
  };
  const { response } = await requestHandler.handle(request as never, {});
  drain(response.body);
  return response;
}

/** The connection is used again once the body was read. What the body says is of no use. */
function drain(body: unknown): void {
  if (body instanceof Readable) body.on("error", () => {}).resume();
}
