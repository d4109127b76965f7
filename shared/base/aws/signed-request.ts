import { SignatureV4 } from "@smithy/signature-v4";
import type {
  AwsCredentialIdentityProvider,
  ChecksumConstructor,
  HashConstructor,
  HttpRequest,
  HttpResponse,
  Provider,
} from "@smithy/types";
import { requireOpenCallScope } from "../kernel/call-scope.ts";
import { type Millis, SECOND } from "../kernel/time.ts";

const RETRY_WAIT_MAX: Millis = 0.1 * SECOND;

/** The part of an SDK client's `config` that a request needs: any client's, as credentials are not of a service. */
export interface RequestConfig {
  readonly region: Provider<string>;
  readonly credentials: AwsCredentialIdentityProvider;
  readonly sha256: ChecksumConstructor | HashConstructor;
  readonly requestHandler: { handle(request: HttpRequest): Promise<{ response: HttpResponse }> };
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
    this.name = headers["x-amzn-errortype"]?.split(":")[0] ?? "RequestRefused";
    this.$metadata = { httpStatusCode: statusCode };
  }
}

/**
 * Makes a request with the SDK's signer and HTTP handler, without a client of the service: it takes less than half of the
 * client's processor time, and none of its size in a bundle. Repeats it after 429, 5xx, a time-out or a lost connection.
 * @param accepts statuses that are an answer besides 2xx
 * @returns the status
 * @throws RequestRefused, or the error of the connection or of a time-out
 */
export async function sendSigned(
  config: RequestConfig,
  request: SignedRequest,
  accepts: readonly number[] = [],
): Promise<number> {
  const signer = new SignatureV4({
    service: request.service,
    region: config.region,
    credentials: config.credentials,
    sha256: config.sha256,
    // S3 signs the path as it is sent.
    uriEscapePath: request.service !== "s3",
  });
  for (let attempt = 1; ; attempt++) {
    requireOpenCallScope();
    const response = await sendOnce(config, signer, request).catch((error: Error) => error);
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
  { requestHandler }: RequestConfig,
  signer: SignatureV4,
  { method, url, contentType, body }: SignedRequest,
): Promise<HttpResponse> {
  const { protocol, hostname, host, port, pathname: path } = url;
  const signed = await signer.sign({
    method,
    protocol,
    hostname,
    ...(port === "" ? {} : { port: Number(port) }),
    path,
    query: {},
    headers: { host, "content-type": contentType, "content-length": String(Buffer.byteLength(body)) },
    body,
  });
  const { response } = await requestHandler.handle(signed as HttpRequest);
  // The connection is used again once the body was read. What the body says is of no use.
  response.body.on("error", () => {}).resume();
  return response;
}
