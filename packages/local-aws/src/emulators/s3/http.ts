/** A path-style request to S3: `/bucket/key`. */
export interface S3Request {
  readonly method: string;
  /** Empty for a request for the list of buckets. */
  readonly bucket: string;
  /** Decoded. Empty for a request for the bucket itself. */
  readonly key: string;
  readonly query: URLSearchParams;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export interface S3Response {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
}

export function emptyResponse(status: number, headers: Readonly<Record<string, string>> = {}): S3Response {
  return { status, headers, body: null };
}

export function xmlResponse(status: number, xml: string, headers: Readonly<Record<string, string>> = {}): S3Response {
  const body = Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>\n${xml}`);
  return { status, headers: { "content-type": "application/xml", ...headers }, body };
}
