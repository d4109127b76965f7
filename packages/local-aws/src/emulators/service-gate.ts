import { type SignedRequest, signingKeyId } from "../access/signature.ts";
import type { AccessControl } from "../iam/access-control.ts";
import { type Denial, denialMessage } from "../iam/denials.ts";
import { keyNeeds, mailNeeds, queueNeeds, secretNeeds } from "../iam/needs/json-needs.ts";
import type { AccessNeed } from "../iam/needs/need.ts";
import { accessDenied } from "./s3/errors.ts";
import { parseForm } from "./s3/form.ts";
import type { S3Request, S3Response } from "./s3/http.ts";
import type { S3 } from "./s3/service.ts";
import { listNeed, readBucket, storageNeeds } from "./storage-needs.ts";

/** What the readers of requests ask the services. */
export interface NamedResources {
  readonly kms: {
    findArn(request: { readonly keyId?: string | undefined; readonly ciphertext?: string | undefined }): string;
  };
  readonly secrets: { findArn(id: string): string | null };
}

interface GateResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Stands before the emulators and judges each request by the key that signed it. */
export interface ServiceGate {
  /** The refusal of a request to a JSON service or to the mail service, or null. */
  answerJson(request: SignedRequest, resources: NamedResources): GateResponse | null;
  /** The answer of S3, or its refusal. */
  handleStorage(request: SignedRequest, s3Request: S3Request, s3: S3): S3Response;
}

export function openServiceGate(access: Pick<AccessControl, "findDenial" | "isJudged" | "mayAlso">): ServiceGate {
  return {
    answerJson(request, resources) {
      const keyId = signingKeyId(request);
      if (!access.isJudged(keyId)) return null;
      const denial = access.findDenial(keyId, jsonNeeds(request, resources));
      return denial && jsonDenial(request, denial);
    },
    handleStorage(request, s3Request, s3) {
      const keyId = signingKeyId(request) ?? ownKeyId(s3Request);
      if (s3Request.method === "OPTIONS" || !access.isJudged(keyId)) return s3.handle(s3Request);
      const response = s3.handle(s3Request, null, (formKey) => {
        const denial = access.findDenial(keyId, storageNeeds(s3Request, formKey));
        if (denial !== null) throw accessDenied(denialMessage("s3", denial));
      });
      const bucket = response.status === 404 ? readBucket(s3Request) : null;
      // Only those that may list a bucket learn from S3 what is not in it.
      if (bucket === null || access.mayAlso(keyId, listNeed(bucket))) return response;
      return s3.handle(s3Request, accessDenied());
    },
  };
}

/** The access key of a presigned URL or of a browser's form. */
function ownKeyId({ method, key, query, headers, body }: S3Request): string | null {
  const credential = query.get("X-Amz-Credential") ?? formCredential();
  return credential?.split("/")[0] ?? null;

  function formCredential(): string | null {
    if (method !== "POST" || key !== "") return null;
    try {
      return parseForm(body, headers["content-type"] ?? "").fields.get("x-amz-credential") ?? null;
    } catch {
      // The emulator refuses such a form.
      return null;
    }
  }
}

function jsonNeeds({ headers, body }: SignedRequest, { kms, secrets }: NamedResources): readonly AccessNeed[] {
  const target = headers["x-amz-target"];
  const input = parse(body);
  if (target === undefined) return mailNeeds(input);
  const [service = "", operation = ""] = target.split(".");
  switch (service) {
    case "AmazonSQS":
      return queueNeeds(operation, input);
    case "TrentService":
      return keyNeeds((request) => kms.findArn(request), operation, input);
    case "secretsmanager":
      return secretNeeds((id) => secrets.findArn(id), operation, input);
    default:
      // No service here has it.
      return [];
  }
}

/** A body that is not JSON names nothing. The emulator refuses it. */
function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString() || "{}");
  } catch {
    return {};
  }
}

function jsonDenial({ headers }: SignedRequest, denial: Denial): GateResponse {
  const target = headers["x-amz-target"];
  const type = "AccessDeniedException";
  if (target === undefined) {
    const body = JSON.stringify({ message: denialMessage("ses", denial) });
    return { status: 403, headers: { "content-type": "application/json", "x-amzn-errortype": type }, body };
  }
  if (target.startsWith("AmazonSQS.")) {
    const content = { __type: `com.amazon.coral.service#${type}`, message: denialMessage("sqs", denial) };
    const queryError = { "x-amzn-query-error": "AccessDenied;Sender" };
    return { status: 403, headers: { ...jsonHeaders("1.0"), ...queryError }, body: JSON.stringify(content) };
  }
  const content = { __type: type, Message: denialMessage("other", denial) };
  return { status: 400, headers: jsonHeaders("1.1"), body: JSON.stringify(content) };
}

function jsonHeaders(protocol: string): Record<string, string> {
  return { "content-type": `application/x-amz-json-${protocol}` };
}
