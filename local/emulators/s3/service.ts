import type { Millis } from "../../../shared/kernel/time.ts";
import { handleBucketRequest } from "./bucket-requests.ts";
import { decodeChunked, isChunked } from "./chunked.ts";
import { corsHeaders } from "./cors.ts";
import { accessDenied, errorXml, notEmulated, S3Error } from "./errors.ts";
import { emptyResponse, type S3Request, type S3Response, xmlResponse } from "./http.ts";
import { handleObjectRequest } from "./object-requests.ts";
import { ObjectStore } from "./objects.ts";
import { postObject } from "./post-object.ts";
import { checkPresigned, isPresigned } from "./presigned.ts";

export interface S3Options {
  readonly dataDir: string;
  /** The clock by which the policies of upload forms and presigned URLs expire, in milliseconds. */
  readonly now: () => Millis;
  /** Secrets by access key id. */
  readonly credentials: Readonly<Record<string, string>>;
  readonly region: string;
}

/** Path-style S3: objects, listings, browser uploads and presigned URLs. Versions, ACLs and multipart uploads are not emulated. */
export class S3 {
  readonly #options: S3Options;
  readonly #store: ObjectStore;

  constructor(options: S3Options) {
    this.#options = options;
    this.#store = new ObjectStore(options.dataDir, options.now);
  }

  /** Never rejects: an error becomes a response. All responses have CORS headers, so that a browser can read errors. */
  handle(request: S3Request): S3Response {
    const cors = corsHeaders(this.#store.cors(request.bucket), request.method, request.headers);
    const { status, headers, body } = this.#handle(request, cors);
    return { status, headers: { ...headers, ...cors }, body: request.method === "HEAD" ? null : body };
  }

  close(): void {
    this.#store.close();
  }

  #handle(request: S3Request, cors: Readonly<Record<string, string>>): S3Response {
    try {
      if (request.method !== "OPTIONS") return this.#dispatch(request);
      if (Object.keys(cors).length > 0) return emptyResponse(200);
      throw new S3Error("AccessForbidden", 403, "CORSResponse: no rule of the bucket allows this request.");
    } catch (error) {
      if (error instanceof S3Error) return xmlResponse(error.status, errorXml(error));
      console.error(`${request.method} /${request.bucket}/${request.key} failed in the emulator:`, error);
      return xmlResponse(500, errorXml(new S3Error("InternalError", 500, String(error))));
    }
  }

  #dispatch(request: S3Request): S3Response {
    if (request.method === "POST" && request.key === "" && isForm(request)) {
      if (!this.#store.has(request.bucket)) {
        throw new S3Error("NoSuchBucket", 404, "The specified bucket does not exist.");
      }
      return postObject(this.#store, request, this.#options.credentials, this.#options.now());
    }
    if (isPresigned(request)) return this.#dispatchPresigned(request);
    this.#checkCaller(request);
    const body = isChunked(request.headers) ? decodeChunked(request.body, request.headers) : request.body;
    return request.key === ""
      ? handleBucketRequest(this.#store, { ...request, body })
      : handleObjectRequest(this.#store, { ...request, body });
  }

  #dispatchPresigned(request: S3Request): S3Response {
    if (request.key === "") throw notEmulated("A presigned URL of a bucket");
    if (isChunked(request.headers)) throw notEmulated("A chunked body for a presigned URL");
    const { credentials, region, now } = this.#options;
    return handleObjectRequest(this.#store, checkPresigned(request, { credentials, region, now: now() }));
  }

  /** Requires a known access key id. The signature of a header is not verified, because all its callers are on loopback. */
  #checkCaller(request: S3Request): void {
    const [, accessKey] = /Credential=([^/,\s=]+)\//.exec(request.headers.authorization ?? "") ?? [];
    if (accessKey === undefined) throw accessDenied();
    if (Object.hasOwn(this.#options.credentials, accessKey)) return;
    throw new S3Error("InvalidAccessKeyId", 403, "The access key id you provided does not exist in our records.");
  }
}

function isForm(request: S3Request): boolean {
  return /^multipart\/form-data/i.test(request.headers["content-type"] ?? "");
}
