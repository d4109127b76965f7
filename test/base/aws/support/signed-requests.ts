import { createHash, createHmac } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { requestOptions } from "#base/config/request-times.ts";
import { SECOND } from "#base/kernel/time.ts";

const region = "eu-central-1";
const credentials = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "a secret", sessionToken: "a token/+=" };

export interface Received {
  readonly request: IncomingMessage;
  readonly body: string;
}

/** A server that records the requests of clients made with `options`. It must be closed. */
export async function openSignedRequests() {
  const received: Received[] = [];
  /** What it answers next: a status, or `cut` for a connection that ends without an answer. Default: 200. */
  const answers: (number | "cut")[] = [];
  const server = createServer(async (request, response) => {
    received.push({ request, body: await text(request) });
    const answer = answers.shift() ?? 200;
    if (answer === "cut") request.socket.destroy();
    else response.writeHead(answer, { "x-amzn-errortype": "SomeException:http://internal/" }).end('{"message":"no"}');
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    received,
    answers,
    options: { region, credentials, ...requestOptions(2 * SECOND) },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** What a request asks for, without its time and signature. */
export function requestShape({ request: { method, url, headers }, body }: Received) {
  const { host, "content-type": type, "content-length": length, "x-amz-security-token": token } = headers;
  return { method, url, host, type, length, token, body };
}

export function parseAuthorization({ request }: Received) {
  const [, signedHeaders = "", signature = ""] =
    /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/[^,]+, SignedHeaders=([^,]+), Signature=(\w+)$/.exec(
      request.headers.authorization ?? "",
    ) ?? [];
  return { signedHeaders, signature };
}

const sha256 = (data: string) => createHash("sha256").update(data).digest("hex");
const hmac = (key: string | Buffer, data: string) => createHmac("sha256", key).update(data).digest();

/** The signature that AWS computes. Source: "Create a signed AWS API request" of the IAM User Guide. */
export function awsSignature(received: Received, service: "s3" | "execute-api"): string {
  const { method, url = "", headers } = received.request;
  const { signedHeaders } = parseAuthorization(received);
  const time = String(headers["x-amz-date"]);
  const scope = `${time.slice(0, 8)}/${region}/${service}/aws4_request`;
  const [pathname = "", query = ""] = url.split("?");
  // Each segment is encoded a second time, except by S3.
  const path = service === "s3" ? pathname : pathname.split("/").map(encodeURIComponent).join("/");
  const lines = signedHeaders.split(";").map((name) => `${name}:${headers[name]}\n`);
  const hash = String(headers["x-amz-content-sha256"] ?? sha256(received.body));
  const canonical = [method, path, query, lines.join(""), signedHeaders, hash].join("\n");
  const secret = `AWS4${credentials.secretAccessKey}`;
  const key = [time.slice(0, 8), region, service, "aws4_request"].reduce<string | Buffer>(hmac, secret);
  return hmac(key, ["AWS4-HMAC-SHA256", time, scope, sha256(canonical)].join("\n")).toString("hex");
}

export { sha256 };
