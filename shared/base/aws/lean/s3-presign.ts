import type { CommandLike, LeanClient } from "./client.ts";
import { objectUrl } from "./s3.ts";
import { presign, signText, toAmzDate, toQueryString, toScope } from "./signature.ts";

// Instead of @aws-sdk/s3-request-presigner and @aws-sdk/s3-presigned-post. Neither makes a request.

interface Post {
  readonly Bucket: string;
  readonly Key: string;
  readonly Fields: Readonly<Record<string, string>>;
  readonly Conditions: readonly unknown[];
  /** Seconds. */
  readonly Expires: number;
}

/** A form that stores one object. Source: "Browser-based uploads using POST" of the S3 User Guide. */
export async function createPresignedPost(client: LeanClient, { Bucket, Key, Fields, Conditions, Expires }: Post) {
  const credentials = await client.config.credentials();
  const endpoint = client.endpoint();
  const scope = { region: endpoint.region, service: "s3" };
  const now = Date.now() + client.config.systemClockOffset;
  const date = toAmzDate(new Date(now));
  const fields: Record<string, string> = {
    ...Fields,
    bucket: Bucket,
    "X-Amz-Algorithm": "AWS4-HMAC-SHA256",
    "X-Amz-Credential": `${credentials.accessKeyId}/${toScope(date.slice(0, 8), scope)}`,
    "X-Amz-Date": date,
    ...(credentials.sessionToken ? { "X-Amz-Security-Token": credentials.sessionToken } : {}),
  };
  const expiration = new Date(now + Expires * 1_000).toISOString().replace(/\.\d{3}Z$/, "Z");
  const conditions = [
    ...Conditions,
    ...Object.entries({ ...fields, key: Key }).map(([name, value]) => ({ [name]: value })),
  ];
  const Policy = Buffer.from(JSON.stringify({ expiration, conditions })).toString("base64");
  const { origin, path } = objectUrl({ Bucket }, endpoint);
  const signature = signText(Policy, credentials, scope, date);
  const url = `${origin}${path === "/" ? path : path.slice(0, -1)}`;
  return { url, fields: { ...fields, key: Key, Policy, "X-Amz-Signature": signature } };
}

/** A URL that reads one object without credentials. @param options `expiresIn` in seconds */
export async function getSignedUrl(
  client: LeanClient,
  { input }: CommandLike,
  { signingDate, expiresIn }: { readonly signingDate: Date; readonly expiresIn: number },
): Promise<string> {
  const { ResponseContentDisposition, ...key } = input as {
    Bucket: string;
    Key: string;
    ResponseContentDisposition?: string;
  };
  const endpoint = client.endpoint();
  const { origin, path } = objectUrl(key, endpoint);
  const query = ResponseContentDisposition ? { "response-content-disposition": ResponseContentDisposition } : {};
  const request = { method: "GET", path, query, headers: { host: new URL(origin).host } };
  const scope = { region: endpoint.region, service: "s3" };
  const signing = { credentials: await client.config.credentials(), scope, time: signingDate };
  const signed = presign(request, expiresIn, signing);
  return `${origin}${path}?${toQueryString(signed)}`;
}
