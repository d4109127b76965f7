import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { signatureHeaders } from "./signing.ts";

/** The time in which the receiver must answer. */
const responseTimeoutMs = 5_000;

/**
 * Posts one signed webhook body with the headers the platforms send.
 * Resolves with the status or, without one, with the reason. Never rejects.
 */
export function postWebhook(url: string, body: string, secret: string): Promise<number | string> {
  const send = url.startsWith("https:") ? requestHttps : requestHttp;
  return new Promise((resolve) => {
    const request = send(
      url,
      {
        method: "POST",
        signal: AbortSignal.timeout(responseTimeoutMs),
        agent: false,
        headers: {
          "User-Agent": "facebookexternalua",
          Accept: "*/*",
          "Accept-Encoding": "deflate, gzip",
          "Content-Type": "application/json",
          ...signatureHeaders(body, secret),
          "Facebook-API-Version": "v26.0",
          "Content-Length": Buffer.byteLength(body),
        },
      },
      (response) => {
        response.resume();
        response.on("error", () => resolve("the response was cut off"));
        response.on("end", () => resolve(response.statusCode ?? 0));
      },
    );
    request.on("error", (error) =>
      resolve(error.name === "AbortError" ? `no answer within ${responseTimeoutMs} ms` : error.message),
    );
    request.end(body);
  });
}
