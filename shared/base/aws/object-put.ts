import { REQUEST_ATTEMPTS_MAX } from "../config/request-times.ts";
import { dnsSuffix } from "./lean/endpoints.ts";
import { type RequestConfig, sendSigned } from "./signed-request.ts";

/** Writes an object of a bucket. Safe to repeat. @throws an error with the status, or that of the connection */
export type PutObject = (key: string, body: Uint8Array) => Promise<void>;

/**
 * For a function that does nothing but put: S3's client is a third of such a function's bundle.
 * @param config of any client of the SDK
 * @param endpoint of an emulator, which has no host name per bucket; null for S3 itself
 */
export function objectPutter(bucket: string, config: RequestConfig, endpoint: string | null): PutObject {
  return async (key, body) => {
    const origin = endpoint === null ? await bucketOrigin(bucket, config) : `${new URL(endpoint).origin}/${bucket}`;
    const request = {
      service: "s3",
      method: "PUT",
      url: new URL(`${origin}/${key.split("/").map(encodeURIComponent).join("/")}`),
      contentType: "application/octet-stream",
      body,
      attemptsMax: REQUEST_ATTEMPTS_MAX,
    } as const;
    await sendSigned(config, request);
  };
}

async function bucketOrigin(bucket: string, { region }: RequestConfig): Promise<string> {
  const name = await region();
  return `https://${bucket}.s3.${name}.${dnsSuffix(name)}`;
}
