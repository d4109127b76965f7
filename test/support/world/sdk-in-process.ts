import { randomUUID } from "node:crypto";

/** Serves one request of an SDK client: AWS's name of the operation, and its input as it would go over the wire. */
export type Serve = (command: string, input: never) => unknown;

interface InProcessRequest {
  readonly command: string;
  readonly input: object;
}

const PROTOCOL = "in-process";

/** Settings of an SDK client whose requests a function of this process serves. For `inProcess`. */
export function inProcessSettings(serve: Serve) {
  return {
    region: "us-east-1",
    endpoint: "http://in-process.invalid",
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
    maxAttempts: 3,
    requestHandler: {
      async handle(request: unknown) {
        const { command, input } = request as InProcessRequest;
        return { response: { output: await serve(command, input as never) } as never };
      },
      metadata: { handlerProtocol: PROTOCOL },
      updateHttpClientConfig: () => {},
      httpHandlerConfigs: () => ({}),
    },
  };
}

/** Whether the client of this configuration has `inProcessSettings`. */
export function isInProcess({ requestHandler }: { readonly requestHandler: object }): boolean {
  return (requestHandler as { metadata?: { handlerProtocol?: string } }).metadata?.handlerProtocol === PROTOCOL;
}

/** What a client does for a connection: it writes headers and signatures, finds the host, and looks for a logger. */
const transportOfClients = [
  "addExpectContinueMiddleware",
  "bucketEndpointMiddleware",
  "contentLengthMiddleware",
  "getUserAgentMiddleware",
  "hostHeaderMiddleware",
  "httpAuthSchemeMiddleware",
  "httpSigningMiddleware",
  "loggerMiddleware",
  "queueUrlMiddleware",
  "recursionDetectionMiddleware",
  "regionRedirectEndpointMiddleware",
  "regionRedirectMiddleware",
  "s3ExpressHttpSigningMiddleware",
  "s3ExpressMiddleware",
];
/** The same of commands. */
const transportOfCommands = ["endpointV2Middleware", "flexibleChecksumsMiddleware"];

type Handler<In, Out> = (args: In) => Promise<Out>;
type Middleware<In, Out> = (next: Handler<In, Out>, context: { commandName?: string }) => Handler<In, Out>;
interface RequestArgs {
  readonly input: object;
}
interface ResponseOutput {
  readonly response: { readonly output: object };
}

interface Stack {
  add(middleware: Middleware<RequestArgs, ResponseOutput>, options: object): void;
  remove(name: string): boolean;
  concat(from: Stack): Stack;
}

/**
 * Serves the requests of a client of `inProcessSettings` without bytes and without a connection. Its retries and all
 * other middleware are the SDK's own. Without the middleware for a connection a request takes half the CPU time.
 */
export function inProcess<T extends { readonly middlewareStack: unknown }>(client: T): T {
  const stack = client.middlewareStack as Stack;
  // The lean client goes over the wire here too, up to its handler.
  if (!("concat" in stack)) return client;
  stack.add(
    (next, { commandName }) =>
      (args) =>
        next({ ...args, request: toRequest(String(commandName).replace(/Command$/, ""), args.input) } as RequestArgs),
    { name: "serializerMiddleware", step: "serialize", override: true },
  );
  stack.add(
    (next) => async (args) => {
      const { response } = await next(args);
      const output = { ...response.output, $metadata: { httpStatusCode: 200 } };
      return { response, output };
    },
    { name: "deserializerMiddleware", step: "deserialize", override: true },
  );
  return withoutTransport(client);
}

/** Removes what a client does for a connection that its request handler does not need. */
export function withoutTransport<T extends { readonly middlewareStack: unknown }>(client: T): T {
  const stack = client.middlewareStack as Stack;
  if (!("concat" in stack)) return client;
  for (const name of transportOfClients) stack.remove(name);
  leaveOutTransportOfCommands(stack);
  return client;
}

/** A command adds its own middleware to a copy of its client's; one of a document client to a copy of that copy. */
function leaveOutTransportOfCommands(stack: Stack): Stack {
  const { concat } = stack;
  stack.concat = (from) => {
    for (const name of transportOfCommands) from.remove(name);
    return leaveOutTransportOfCommands(concat(from));
  };
  return stack;
}

/** The SDK gives a transaction a token before its first attempt, and repeats the token with each retry. */
function toRequest(command: string, input: object): InProcessRequest {
  if (command !== "TransactWriteItems") return { command, input };
  const { ClientRequestToken = randomUUID() } = input as { ClientRequestToken?: string };
  return { command, input: { ...input, ClientRequestToken } };
}
