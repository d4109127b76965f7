import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { signatureHeaders } from "./signing.ts";

/** The time in which the receiver must answer. */
const responseTimeoutMs = 5_000;
const bodyBytesMax = 2_000;

/** The receiver's answer to one attempt. */
export interface WebhookAnswer {
  /** Null if there was no complete answer. */
  status: number | null;
  /** The reason why there was no answer; null with one. */
  problem: string | null;
  /** The beginning of the answer's body. */
  body: string;
  durationMs: number;
}

/** The headers of a webhook, with both signatures over its exact bytes. */
export function webhookHeaders(body: string, secret: string): Record<string, string> {
  return {
    "User-Agent": "facebookexternalua",
    Accept: "*/*",
    "Accept-Encoding": "deflate, gzip",
    "Content-Type": "application/json",
    ...signatureHeaders(body, secret),
    "Facebook-API-Version": "v26.0",
    "Content-Length": String(Buffer.byteLength(body)),
  };
}

/** Posts one webhook body. Never rejects. */
export function postWebhook(url: string, headers: Record<string, string>, body: string): Promise<WebhookAnswer> {
  const send = url.startsWith("https:") ? requestHttps : requestHttp;
  const start = performance.now();
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const finish = (status: number | null, problem: string | null): void =>
      resolve({
        status,
        problem,
        body: Buffer.concat(chunks).subarray(0, bodyBytesMax).toString("utf8"),
        durationMs: Math.round(performance.now() - start),
      });
    const signal = AbortSignal.timeout(responseTimeoutMs);
    const request = send(url, { method: "POST", signal, agent: false, headers }, (response) => {
      response.on("data", (chunk: Buffer) => {
        if (length < bodyBytesMax) chunks.push(chunk);
        length += chunk.length;
      });
      response.on("error", () => finish(null, "the response was cut off"));
      response.on("end", () => finish(response.statusCode ?? 0, null));
    });
    request.on("error", (error) =>
      finish(null, error.name === "AbortError" ? `no answer within ${responseTimeoutMs} ms` : error.message),
    );
    request.end(body);
  });
}
