import { createHash, createHmac } from "node:crypto";
import { SignatureV4 } from "@smithy/signature-v4";

export interface SignedFetch {
  /** The name of the service in its signatures, such as `sqs`. */
  readonly service: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Default: the key of the emulators that tests start. */
  readonly accessKey?: { readonly id: string; readonly secret: string };
  readonly signal?: AbortSignal;
}

/** Sends a request as an SDK signs it, also one that no client of the SDK makes. */
export async function signedFetch(url: string, options: SignedFetch): Promise<Response> {
  const { method = "POST", body = "", signal } = options;
  const headers = await signedHeaders(url, options);
  return await fetch(url, { method, headers, signal: signal ?? null, ...(body === "" ? {} : { body }) });
}

/** The headers of a request, with its signature. */
export async function signedHeaders(url: string, options: SignedFetch): Promise<Record<string, string>> {
  const { service, method = "POST", body = "", accessKey = { id: "local", secret: "local" } } = options;
  const { protocol, hostname, host, pathname, searchParams } = new URL(url);
  const signer = new SignatureV4({
    service,
    region: "us-east-1",
    credentials: { accessKeyId: accessKey.id, secretAccessKey: accessKey.secret },
    sha256: Sha256,
    uriEscapePath: service !== "s3",
  });
  const { headers } = await signer.sign({
    method,
    protocol,
    hostname,
    path: pathname,
    query: Object.fromEntries(searchParams),
    headers: { ...options.headers, host },
    body,
  });
  return headers;
}

class Sha256 {
  readonly #hash;

  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash = secret === undefined ? createHash("sha256") : createHmac("sha256", toBytes(secret));
  }

  update(data: string | ArrayBuffer | ArrayBufferView): void {
    this.#hash.update(toBytes(data));
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }

  reset(): void {}
}

function toBytes(data: string | ArrayBuffer | ArrayBufferView): Uint8Array {
  if (typeof data === "string") return Buffer.from(data);
  return ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data);
}
