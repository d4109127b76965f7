import { printError } from "../../../../loopback/src/terminal.ts";
import type { Millis } from "../../support/time.ts";
import { handleBucketRequest } from "./bucket-requests.ts";
import { decodeChunked, isChunked } from "./chunked.ts";
import { corsHeaders } from "./cors.ts";
import { errorXml, notEmulated, S3Error } from "./errors.ts";
import { emptyResponse, type S3Request, type S3Response, xmlResponse } from "./http.ts";
import { handleObjectRequest } from "./object-requests.ts";
import { ObjectStore } from "./objects.ts";
import { type Authorize, postObject } from "./post-object.ts";
import { checkPresigned, isPresigned } from "./presigned.ts";

export interface S3Options {
  readonly dataDir: string;
  /** The clock by which the policies of upload forms and presigned URLs expire, in milliseconds. */
  readonly now: () => Millis;
  /** Secrets by access key id, for forms and presigned URLs. */
  readonly credentials: Readonly<Record<string, string>>;
  readonly region: string;
  readonly accountId: string;
}

/** Whether a request has its credential in a form or in its URL, or needs none. All others are signed with a header. */
export function hasOwnCredential(request: S3Request): boolean {
  return request.method === "OPTIONS" || isFormPost(request) || isPresigned(request);
}

/** Path-style S3: objects, listings, browser uploads and presigned URLs. Versions, ACLs and multipart uploads are not emulated. */
export class S3 {
  readonly #options: S3Options;
  readonly #store: ObjectStore;

  constructor(options: S3Options) {
    this.#options = options;
    this.#store = new ObjectStore(options.dataDir, options.now);
  }

  /**
   * Never rejects: an error becomes a response. All responses have CORS headers, so that a browser can read errors.
   * @param refusal answers the request
   * @param authorize throws an S3Error for what the signer may not do. It is called once the signature is verified.
   */
  handle(request: S3Request, refusal: S3Error | null = null, authorize: Authorize = () => {}): S3Response {
    const cors = corsHeaders(this.#store.cors(request.bucket), request.method, request.headers);
    const { status, headers, body } = this.#handle(request, cors, { refusal, authorize });
    return { status, headers: { ...headers, ...cors }, body: request.method === "HEAD" ? null : body };
  }

  close(): void {
    this.#store.close();
  }

  #handle(
    request: S3Request,
    cors: Readonly<Record<string, string>>,
    { refusal, authorize }: { readonly refusal: S3Error | null; readonly authorize: Authorize },
  ): S3Response {
    try {
      if (refusal !== null) throw refusal;
      if (request.method !== "OPTIONS") return this.#dispatch(request, authorize);
      if (Object.keys(cors).length > 0) return emptyResponse(200);
      throw new S3Error("AccessForbidden", 403, "CORSResponse: no rule of the bucket allows this request.");
    } catch (error) {
      if (error instanceof S3Error) return xmlResponse(error.status, errorXml(error));
      printError(`${request.method} /${request.bucket}/${request.key} failed in the emulator:`, error);
      return xmlResponse(500, errorXml(new S3Error("InternalError", 500, String(error))));
    }
  }

  #dispatch(request: S3Request, authorize: Authorize): S3Response {
    if (isFormPost(request)) {
      if (!this.#store.has(request.bucket)) {
        throw new S3Error("NoSuchBucket", 404, "The specified bucket does not exist.");
      }
      const { credentials, now } = this.#options;
      return postObject(this.#store, request, { credentials, now: now(), authorize });
    }
    if (isPresigned(request)) return this.#dispatchPresigned(request, authorize);
    authorize();
    const body = isChunked(request.headers) ? decodeChunked(request.body, request.headers) : request.body;
    return request.key === ""
      ? handleBucketRequest(this.#store, { ...request, body }, this.#options)
      : handleObjectRequest(this.#store, { ...request, body });
  }

  #dispatchPresigned(request: S3Request, authorize: Authorize): S3Response {
    if (request.key === "") throw notEmulated("A presigned URL of a bucket");
    if (isChunked(request.headers)) throw notEmulated("A chunked body for a presigned URL");
    const { credentials, region, now } = this.#options;
    const checked = checkPresigned(request, { credentials, region, now: now() });
    authorize();
    return handleObjectRequest(this.#store, checked);
  }
}

function isFormPost(request: S3Request): boolean {
  const isForm = /^multipart\/form-data/i.test(request.headers["content-type"] ?? "");
  return request.method === "POST" && request.key === "" && isForm;
}
