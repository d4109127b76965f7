import { REQUEST_ATTEMPTS_MAX } from "../../config/request-times.ts";
import { MINUTE, type Millis, machineNow } from "../../kernel/time.ts";
import { type Credentials, type CredentialsProvider, environmentCredentials } from "./credentials.ts";
import { environmentEndpoint } from "./endpoints.ts";
import { ServiceException } from "./exceptions.ts";
import { exchange, type HttpRequest, type HttpResponse, type Timeouts } from "./http-handler.ts";
import { type Context, type Handler, type HandlerResult, MiddlewareStack } from "./middleware-stack.ts";
import { type AttemptError, openRetries } from "./retries.ts";
import { sha256Hex, sign, toQueryString } from "./signature.ts";

/** A command of the SDK, or one of this folder, which has less. */
export interface CommandLike {
  readonly input: object;
  /** Of a command of this folder: AWS's name, such as `GetItem`. */
  readonly operation?: string;
  /** Whether values of attributes are plain. */
  readonly isDocument?: boolean;
  /** Of a command of the SDK: type, namespace and name of its operation. */
  readonly schema?: unknown;
  readonly middlewareStack?: { resolve(handler: never, context: never): unknown };
}

export interface Call {
  readonly operation: string;
  readonly input: object;
  readonly isDocument: boolean;
}

/** What goes over the wire, before the signature. */
export interface WireRequest {
  readonly method: string;
  readonly origin: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** How a service's operations are requests, and responses are outputs. */
export interface Protocol {
  /** As signatures, hosts and the environment name it, such as `dynamodb`. */
  readonly service: string;
  readonly clientName: string;
  readonly waitBase?: Millis;
  encode(call: Call, endpoint: Endpoint): WireRequest;
  decode(call: Call, response: HttpResponse): object;
  /** The name, the message and the fields of an answer that is an error. */
  decodeError(response: HttpResponse): Readonly<Record<string, unknown>>;
}

export interface Endpoint {
  readonly region: string;
  /** Undefined for AWS's own. */
  readonly url: URL | undefined;
  readonly forcePathStyle: boolean;
}

type RequestHandler = { handle(request: HttpRequest, options: object): Promise<{ response: HttpResponse }> };

export interface ClientOptions {
  readonly region?: string;
  readonly endpoint?: string;
  readonly credentials?: Credentials | CredentialsProvider;
  readonly maxAttempts?: number;
  readonly forcePathStyle?: boolean;
  readonly requestHandler?: Timeouts | RequestHandler;
}

export interface SendOptions {
  readonly abortSignal?: AbortSignal;
  readonly requestTimeout?: Millis;
}

/** A response from a clock this far from ours means that the signature was refused for its time. */
const SKEW_MAX: Millis = 4 * MINUTE;

/**
 * A client that takes the commands of the SDK's client of the same name, and makes the same requests: signed, with its
 * time-outs, retries, errors and the correction of a wrong clock. It has no configuration files and no telemetry.
 */
export class LeanClient {
  readonly middlewareStack = new MiddlewareStack();
  readonly config: {
    region(): Promise<string>;
    readonly endpoint: string | undefined;
    readonly credentials: CredentialsProvider;
    systemClockOffset: Millis;
    readonly requestHandler: RequestHandler;
  };

  readonly #protocol: Protocol;
  readonly #options: ClientOptions;
  readonly #retries: ReturnType<typeof openRetries>;
  #endpoint: Endpoint | undefined;

  constructor(protocol: Protocol, options: ClientOptions = {}) {
    this.#protocol = protocol;
    this.#options = options;
    this.#retries = openRetries(options.maxAttempts ?? REQUEST_ATTEMPTS_MAX, protocol.waitBase);
    const { credentials = environmentCredentials(), requestHandler = {} } = options;
    this.config = {
      region: async () => this.endpoint().region,
      endpoint: options.endpoint,
      credentials: typeof credentials === "function" ? credentials : async () => credentials,
      systemClockOffset: 0,
      requestHandler: "handle" in requestHandler ? requestHandler : toHandler(requestHandler),
    };
  }

  endpoint(): Endpoint {
    if (this.#endpoint) return this.#endpoint;
    const region = this.#options.region ?? process.env.AWS_REGION;
    if (!region) throw new Error("Region is missing");
    const url = this.#options.endpoint ?? environmentEndpoint(this.#protocol.service);
    this.#endpoint = {
      region,
      url: url ? new URL(url) : undefined,
      forcePathStyle: this.#options.forcePathStyle ?? false,
    };
    return this.#endpoint;
  }

  /** @returns what the SDK's client does. @throws ServiceException, TimeoutError, or the error of a connection */
  // biome-ignore lint/suspicious/noExplicitAny: the type of the output is that of the SDK's command
  async send(command: CommandLike, options: SendOptions = {}): Promise<any> {
    const call = describeCall(command);
    const { operation, isDocument } = call;
    const context = { clientName: this.#protocol.clientName, commandName: `${operation}Command`, isDocument };
    const make: Handler = ({ input }) =>
      this.#make({ ...call, input: input as object }, context, options, command.middlewareStack);
    const { output } = await this.middlewareStack.resolve(make, context, "call")({ input: call.input });
    return output;
  }

  /** The connections are those of the process. */
  destroy(): void {}

  #make(call: Call, context: Context, options: SendOptions, ownStack: CommandLike["middlewareStack"]) {
    const request = this.#protocol.encode(call, this.endpoint());
    let attempt = this.middlewareStack.resolve(
      (args) => this.#attempt(call, args.request as WireRequest, options),
      context,
      "attempt",
    );
    if (ownStack) attempt = ownStack.resolve(attempt as never, context as never) as Handler;
    return this.#retries.run(() => attempt({ input: call.input, request }), options.abortSignal);
  }

  async #attempt(call: Call, request: WireRequest, options: SendOptions): Promise<HandlerResult> {
    const { config } = this;
    const credentials = await config.credentials();
    const { protocol, host, hostname, port } = new URL(request.origin);
    const { method, path, query, body } = request;
    const scope = { region: this.endpoint().region, service: this.#protocol.service };
    const offset = config.systemClockOffset;
    const unsigned = { method, path, ...(query ? { query } : {}), headers: { ...request.headers, host } };
    const headers = sign(unsigned, sha256Hex(body ?? ""), {
      credentials,
      scope,
      time: new Date(machineNow() + offset),
    });
    headers["user-agent"] = "parley";
    const { response } = await config.requestHandler.handle(
      {
        method,
        protocol,
        hostname,
        ...(port === "" ? {} : { port: Number(port) }),
        path: query ? `${path}?${toQueryString(query)}` : path,
        headers,
        ...(body === undefined ? {} : { body }),
      },
      options,
    );
    this.#learnTime(response);
    const { statusCode: httpStatusCode } = response;
    const $metadata = {
      httpStatusCode,
      requestId: response.headers["x-amzn-requestid"] ?? response.headers["x-amz-request-id"],
    };
    try {
      if (httpStatusCode < 300) return { output: { ...this.#protocol.decode(call, response), $metadata }, response };
      const $fault = httpStatusCode < 500 ? "client" : "server";
      throw new ServiceException({ $fault, $metadata, ...this.#protocol.decodeError(response) });
    } catch (thrown) {
      const error = thrown as AttemptError;
      error.$metadata ??= $metadata;
      if (Math.abs(config.systemClockOffset - offset) >= SKEW_MAX)
        error.$metadata = { ...error.$metadata, clockSkewCorrected: true };
      throw error;
    }
  }

  #learnTime({ headers: { date, age } }: HttpResponse): void {
    const serverTime = date === undefined || age !== undefined ? Number.NaN : Date.parse(date);
    if (!Number.isNaN(serverTime)) this.config.systemClockOffset = serverTime - machineNow();
  }
}

function toHandler(timeouts: Timeouts): RequestHandler {
  return {
    async handle(request, { abortSignal, requestTimeout }: SendOptions) {
      const limits = requestTimeout === undefined ? timeouts : { ...timeouts, requestTimeout };
      return { response: await exchange(request, limits, abortSignal) };
    },
  };
}

function describeCall(command: CommandLike): Call {
  const { input, operation, isDocument, schema } = command;
  if (operation !== undefined) return { operation, input, isDocument: isDocument === true };
  // A command of the SDK's document client has one of the plain client.
  const { clientCommand } = command as { readonly clientCommand?: CommandLike };
  const [, , name] = (clientCommand?.schema ?? schema ?? []) as readonly unknown[];
  if (typeof name !== "string") throw new Error("The value is no command of the SDK.");
  return { operation: name, input, isDocument: clientCommand !== undefined };
}

/** The class of a command with nothing but its input, named as the SDK's. */
export function commandClass(operation: string, isDocument = false) {
  return class {
    readonly operation = operation;
    readonly isDocument = isDocument;
    readonly input: object;
    #middlewareStack: MiddlewareStack | undefined;

    constructor(input: object) {
      this.input = input;
    }

    /** For the middleware of this command alone. */
    get middlewareStack(): MiddlewareStack {
      this.#middlewareStack ??= new MiddlewareStack();
      return this.#middlewareStack;
    }
  };
}
