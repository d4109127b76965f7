import { randomUUID } from "node:crypto";
import { mkdirSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Millis } from "../../shared/kernel/time.ts";
import { handleJsonRequest } from "./json-service.ts";
import { Kms } from "./kms/service.ts";
import { Mailbox } from "./mail.ts";
import { errorXml, S3Error } from "./s3/errors.ts";
import { S3 } from "./s3/service.ts";
import { Secrets } from "./secrets.ts";
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
  /** Secrets by access key id. Default: `{ local: "local" }`. */
  readonly credentials?: Readonly<Record<string, string>>;
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

const HOST = "127.0.0.1";
const MAIL_PATH = "/v2/email/";
/** Longer than the SDK's idle timeout, so that the SDK never writes to a connection that is closing. */
const KEEP_ALIVE = 65_000;

/** Starts SQS, S3, KMS, Secrets Manager and the mail service on one loopback port. */
export async function startEmulators(options: EmulatorOptions): Promise<Emulators> {
  // Open the port first: a second stack on the same port and data fails here, before it touches a file.
  const server = await listen(options.port);
  const url = `http://${HOST}:${(server.address() as AddressInfo).port}`;
  let services: Services;
  try {
    services = openServices(options, url);
  } catch (error) {
    server.close();
    throw error;
  }
  server.on("request", (request, response) => {
    handle(request, response, services).catch((error: unknown) => {
      // An incomplete request means that the caller disconnected, which is not an error of the emulator.
      if (request.complete) console.error(`${request.method} ${request.url} failed in the emulator:`, error);
      response.destroy();
    });
  });
  const close = async (): Promise<void> => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    await closed;
    for (const service of Object.values(services)) service.close();
  };
  return { url, ...services, onClockAdvance: () => services.sqs.onClockAdvance(), close };
}

type Services = Pick<Emulators, "sqs" | "s3" | "kms" | "secrets" | "mail">;

function openServices(options: EmulatorOptions, origin: string): Services {
  const { dataDir, now, region = "us-east-1", accountId = "000000000000", credentials = { local: "local" } } = options;
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const common = { dataDir, now, region, accountId };
  return {
    sqs: new Sqs({ ...common, origin }),
    s3: new S3({ dataDir, now, credentials, region }),
    kms: new Kms(common),
    secrets: new Secrets(common),
    mail: new Mailbox(dataDir, now),
  };
}

function listen(port: number): Promise<Server> {
  const server = createServer();
  server.keepAliveTimeout = KEEP_ALIVE;
  server.requestTimeout = 0;
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, HOST, () => resolve(server));
  });
}

async function handle(request: IncomingMessage, response: ServerResponse, services: Services): Promise<void> {
  const controller = new AbortController();
  response.on("close", () => controller.abort());
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { status, headers, body } = await dispatch(request, Buffer.concat(chunks), services, controller.signal);
  const length =
    body === null || "content-length" in headers ? {} : { "content-length": String(Buffer.byteLength(body)) };
  response.writeHead(status, { "x-amzn-requestid": randomUUID(), ...headers, ...length });
  response.end(body ?? undefined);
}

/** Selects the service: a JSON service by its target header, the mail service by its path, otherwise S3. */
async function dispatch(
  request: IncomingMessage,
  body: Buffer,
  { sqs, s3, kms, secrets, mail }: Services,
  signal: AbortSignal,
): Promise<EmulatorResponse> {
  const { method = "GET", url = "/" } = request;
  const headers = plainHeaders(request);
  const target = headers["x-amz-target"];
  // A URL object would normalize "//" and "..", which are ordinary characters in an object's key.
  const [pathname, search] = splitAt(url, "?");
  if (target !== undefined || pathname.startsWith(MAIL_PATH)) {
    if (headers.authorization === undefined) return unsignedResponse();
    const jsonServices = { AmazonSQS: sqs, TrentService: kms, secretsmanager: secrets };
    if (target !== undefined) return handleJsonRequest(jsonServices, target, body.toString(), { signal });
    return mail.handle(method, pathname, body.toString());
  }
  const [bucket, key] = splitAt(pathname.startsWith("/") ? pathname.slice(1) : "", "/");
  try {
    return s3.handle({
      method,
      bucket,
      key: decodeURIComponent(key),
      query: new URLSearchParams(search),
      headers,
      body,
    });
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    const refusal = new S3Error("InvalidURI", 400, "The path is not valid percent encoding.");
    return { status: refusal.status, headers: { "content-type": "application/xml" }, body: errorXml(refusal) };
  }
}

/** The text before and after the first separator. */
function splitAt(text: string, separator: string): [before: string, after: string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}

function unsignedResponse(): EmulatorResponse {
  const message = "Missing signature. Use an SDK client with credentials.";
  return {
    status: 403,
    headers: { "content-type": "application/x-amz-json-1.1" },
    body: JSON.stringify({ __type: "MissingAuthenticationTokenException", message }),
  };
}

function plainHeaders(request: IncomingMessage): Record<string, string> {
  const entries = Object.entries(request.headers);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : (value ?? "")]),
  );
}
