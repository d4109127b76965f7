import { randomUUID } from "node:crypto";
import { mkdirSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { openLoopbackServer } from "../../../loopback/src/loopback-server.ts";
import { printError } from "../../../loopback/src/terminal.ts";
import {
  type AccessKeys,
  findSignatureProblem,
  type SignatureCheck,
  type SignatureProblem,
  type SignedRequest,
  signatureProblems,
  toSignedRequest,
} from "../access/signature.ts";
import { readBody } from "../gateway/body.ts";
import type { AccessControl } from "../iam/access-control.ts";
import type { Millis } from "../support/time.ts";
import { handleJsonRequest } from "./json-service.ts";
import { Kms } from "./kms/service.ts";
import { Mailbox } from "./mail.ts";
import { accessDenied, errorXml, S3Error } from "./s3/errors.ts";
import { hasOwnCredential, S3 } from "./s3/service.ts";
import { signatureMismatch, unknownAccessKey } from "./s3/signature.ts";
import { Secrets } from "./secrets.ts";
import { openServiceGate, type ServiceGate } from "./service-gate.ts";
import { Sqs } from "./sqs/service.ts";

export interface EmulatorOptions {
  /** 0 selects a free port. */
  readonly port: number;
  /** The folder of the services' data, which survives a restart. One process at a time may use it. */
  readonly dataDir: string;
  /** The stack's clock in milliseconds. It may jump. Delays, visibility, retention and form expiry follow it. */
  readonly now: () => Millis;
  readonly region?: string;
  readonly accountId?: string;
  /** The access keys that callers sign with. Others are refused. */
  readonly accessKeys: AccessKeys;
  /** Decides what a key may do. Default: everything. */
  readonly access?: Pick<AccessControl, "findDenial" | "isJudged" | "mayAlso">;
  /** False accepts any signature of these keys in a header. Default: true. */
  readonly verifiesSignatures?: boolean;
  /** The origins whose pages may send forms to a bucket that allows them, and read its presigned URLs. Default: none. */
  readonly origins?: readonly string[];
}

export interface Emulators {
  /** The origin of all services: `http://127.0.0.1:<port>`. */
  readonly url: string;
  readonly sqs: Sqs;
  readonly s3: S3;
  readonly kms: Kms;
  readonly secrets: Secrets;
  readonly mail: Mailbox;
  /** Call this after the clock jumped: it delivers messages that are now due and restarts every timer. */
  onClockAdvance(): void;
  close(): Promise<void>;
}

interface EmulatorResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | string | null;
}

const MAIL_PATH = "/v2/email/";
/** Longer than the SDK's idle timeout, so that the SDK never writes to a connection that is closing. */
const KEEP_ALIVE = 65_000;

/** Starts SQS, S3, KMS, Secrets Manager and the mail service on one loopback port. */
export async function startEmulators(options: EmulatorOptions): Promise<Emulators> {
  let services: Services | null = null;
  const check = { accessKeys: options.accessKeys, isVerified: options.verifiesSignatures ?? true };
  const gate = options.access === undefined ? null : openServiceGate(options.access);
  // Open the port first: a second stack on the same port and data fails here, before it touches a file.
  const { origin: url, close: closeServer } = await openLoopbackServer({
    port: options.port,
    origins: options.origins ?? [],
    keepAliveTimeout: KEEP_ALIVE,
    requestTimeout: 0,
    onRequest(request, response) {
      if (services === null) return void response.writeHead(503).end();
      handle(request, response, { services, check, gate }).catch((error: unknown) => {
        // An incomplete request means that the caller disconnected, which is not an error of the emulator.
        if (request.complete) printError(`${request.method} ${request.url} failed in the emulator:`, error);
        response.destroy();
      });
    },
  });
  try {
    services = openServices(options, url);
  } catch (error) {
    await closeServer();
    throw error;
  }
  const { sqs } = services;
  const openedServices = Object.values(services);
  const close = async (): Promise<void> => {
    await closeServer();
    for (const service of openedServices) service.close();
  };
  return { url, ...services, onClockAdvance: () => sqs.onClockAdvance(), close };
}

type Services = Pick<Emulators, "sqs" | "s3" | "kms" | "secrets" | "mail">;

function openServices(options: EmulatorOptions, origin: string): Services {
  const { dataDir, now, region = "us-east-1", accountId = "000000000000", accessKeys } = options;
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const common = { dataDir, now, region, accountId };
  return {
    sqs: new Sqs({ ...common, origin }),
    s3: new S3({ ...common, credentials: accessKeys }),
    kms: new Kms(common),
    secrets: new Secrets(common),
    mail: new Mailbox(dataDir, now),
  };
}

interface Dispatcher {
  readonly services: Services;
  readonly check: SignatureCheck;
  /** Null: every key may do everything. */
  readonly gate: ServiceGate | null;
}

async function handle(request: IncomingMessage, response: ServerResponse, dispatcher: Dispatcher): Promise<void> {
  const controller = new AbortController();
  // The abort of a request that was answered costs an error object each.
  response.on("close", () => {
    if (!response.writableFinished) controller.abort();
  });
  // Of any length, so never null.
  const body = (await readBody(request, Number.POSITIVE_INFINITY)) as Buffer;
  const received = { ...toSignedRequest(request, body), signal: controller.signal };
  const { status, headers, body: content } = await dispatch(received, dispatcher);
  const length =
    content === null || "content-length" in headers ? {} : { "content-length": String(Buffer.byteLength(content)) };
  response.writeHead(status, { "x-amzn-requestid": randomUUID(), ...headers, ...length });
  response.end(content ?? undefined);
}

interface ReceivedRequest extends SignedRequest {
  readonly signal: AbortSignal;
}

/** Selects the service: a JSON service by its target header, the mail service by its path, otherwise S3. */
async function dispatch(request: ReceivedRequest, dispatcher: Dispatcher): Promise<EmulatorResponse> {
  const { services, check, gate } = dispatcher;
  const { sqs, s3, kms, secrets, mail } = services;
  const { method, url, headers, body, signal } = request;
  const target = headers["x-amz-target"];
  // A URL object would normalize "//" and "..", which are ordinary characters in an object's key.
  const [pathname, search] = splitAt(url, "?");
  if (target !== undefined || pathname.startsWith(MAIL_PATH)) {
    const problem = findSignatureProblem(request, check);
    if (problem !== null) return jsonRefusal(problem);
    const denied = gate?.answerJson(request, services) ?? null;
    if (denied !== null) return denied;
    const jsonServices = { AmazonSQS: sqs, TrentService: kms, secretsmanager: secrets };
    if (target !== undefined) return handleJsonRequest(jsonServices, target, body.toString(), { signal });
    return mail.handle(method, pathname, body.toString());
  }
  const [bucket, encodedKey] = splitAt(pathname.startsWith("/") ? pathname.slice(1) : "", "/");
  const key = decodeKey(encodedKey);
  if (key === null) return s3Refusal(new S3Error("InvalidURI", 400, "The path is not valid percent encoding."));
  const s3Request = { method, bucket, key, query: new URLSearchParams(search), headers, body };
  const problem = hasOwnCredential(s3Request) ? null : findSignatureProblem(request, check);
  if (problem !== null || gate === null) return s3.handle(s3Request, problem && s3Errors[problem]());
  return gate.handleStorage(request, s3Request, s3);
}

/** S3 has names of its own for them. */
const s3Errors: Readonly<Record<SignatureProblem, () => S3Error>> = {
  MissingAuthenticationTokenException: accessDenied,
  UnrecognizedClientException: unknownAccessKey,
  InvalidSignatureException: signatureMismatch,
};

function decodeKey(key: string): string | null {
  try {
    return decodeURIComponent(key);
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
}

function s3Refusal(error: S3Error): EmulatorResponse {
  return { status: error.status, headers: { "content-type": "application/xml" }, body: errorXml(error) };
}

/** The text before and after the first separator. */
function splitAt(text: string, separator: string): [before: string, after: string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}

function jsonRefusal(problem: SignatureProblem): EmulatorResponse {
  return {
    status: 403,
    headers: { "content-type": "application/x-amz-json-1.1", "x-amzn-errortype": problem },
    body: JSON.stringify({ __type: problem, message: signatureProblems[problem] }),
  };
}
