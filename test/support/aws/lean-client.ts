import { createHash } from "node:crypto";
import { text } from "node:stream/consumers";
import { decodeBytes } from "#base/aws/lean/attribute-values.ts";
import type { ClientOptions, LeanClient, WireRequest } from "#base/aws/lean/client.ts";
import type { HttpRequest } from "#base/aws/lean/http-handler.ts";
import { encodeFields } from "#base/aws/lean/json-rpc.ts";
import type { Handler, HandlerArgs, Middleware } from "#base/aws/lean/middleware-stack.ts";
import { SECOND } from "#base/kernel/time.ts";
import { readObjectRequest, writeObjectResponse } from "./object-requests.ts";

// The lean client where tests expect the SDK's: its middleware sees typed attribute values below the serialization, and
// the handlers of the tests answer with streams, or with the output itself.

type Options = ClientOptions & { readonly requestHandler?: { readonly metadata?: { handlerProtocol?: string } } };
type Handle = (request: object, options: object) => Promise<{ response: { body?: unknown; output?: object } }>;

/** The lean class with the ways of the SDK's. */
export function asSdkClient<T extends new (options?: ClientOptions) => LeanClient>(Lean: T) {
  // biome-ignore lint/suspicious/noExplicitAny: the constructor of a mixin has this type
  return class extends (Lean as new (...args: any[]) => LeanClient) {
    constructor(options: Options = {}) {
      // A provider is that of another client of the tests, and all of them are of this region.
      const region = typeof options.region === "string" || options.region === undefined ? options.region : "us-east-1";
      super({ ...options, ...(region ? { region } : {}), ...withHandler(options) });
      const { middlewareStack: stack } = this;
      const { add } = stack;
      stack.add = (middleware, place) => add.call(stack, asSdkMiddleware(middleware), place);
      // `openedOnce` gives a proxy of the client, which has no private fields.
      this.send = this.send.bind(this);
    }
  };
}

function asSdkMiddleware(middleware: Middleware): Middleware {
  return (next, context) => {
    const features = context.isDocument ? { DDB_MAPPER: "d" } : {};
    const handler: Handler = middleware(next, { ...context, __aws_sdk_context: { features } } as never);
    return (args) => handler(withTypedInput(args));
  };
}

function withTypedInput(args: HandlerArgs): HandlerArgs {
  const { headers, body } = (args.request ?? {}) as Partial<WireRequest>;
  if (!headers?.["x-amz-target"]?.startsWith("DynamoDB") || body === undefined) return args;
  return { ...args, input: decodeBytes(JSON.parse(textOf(body))) };
}

const adapted = new WeakSet<object>();

function withHandler({ requestHandler }: Options): Pick<ClientOptions, "requestHandler"> {
  if (requestHandler === undefined || !("handle" in requestHandler)) return requestHandler ? { requestHandler } : {};
  // Of another lean client.
  if (adapted.has(requestHandler)) return { requestHandler };
  const handle = (requestHandler.handle as unknown as Handle).bind(requestHandler);
  const isInProcess = requestHandler.metadata?.handlerProtocol === "in-process";
  const handler: NonNullable<Options["requestHandler"]> = {
    ...requestHandler,
    async handle(request: HttpRequest, options: object) {
      if (!isInProcess) {
        const { response } = await handle({ ...request, query: {} }, options);
        return { response: { ...(response as object), body: await toBuffer(response.body) } as never };
      }
      const target = request.headers["x-amz-target"];
      if (target === undefined) {
        const { command, input } = readObjectRequest(request);
        const { response } = await handle({ command, input }, options);
        return { response: await writeObjectResponse(command, response.output ?? {}) };
      }
      const command = target.split(".")[1];
      const input = decodeInput(request.headers, request.body);
      const { response } = await handle({ command, input }, options);
      const output: Record<string, unknown> = { ...response.output };
      addHashes(command, input as Sent, output);
      if (output.CreatedDate instanceof Date) output.CreatedDate = output.CreatedDate.getTime() / SECOND;
      const body = Buffer.from(encodeFields({ input: output }));
      return { response: { statusCode: 200, headers: {}, body } };
    },
  };
  adapted.add(handler);
  return { requestHandler: handler };
}

/** Not with `toString`: a body of the SDK warns about its methods of strings. */
function textOf(body: string | Uint8Array | undefined): string {
  return typeof body === "string" ? body : new TextDecoder().decode(body);
}

function decodeInput(headers: Readonly<Record<string, string>>, body: string | Uint8Array | undefined): unknown {
  const input = JSON.parse(textOf(body)) as Record<string, unknown>;
  if (headers["x-amz-target"]?.startsWith("DynamoDB")) return decodeBytes(input);
  for (const name of ["CiphertextBlob", "Plaintext"]) {
    if (typeof input[name] === "string") input[name] = new Uint8Array(Buffer.from(input[name], "base64"));
  }
  return input;
}

interface Sent {
  readonly Id?: string;
  readonly MessageBody?: string;
  readonly Entries?: readonly Sent[];
}

interface Received {
  readonly Body?: string;
}

/** The hashes of what was sent or received, which the queue of the histories does not compute. */
function addHashes(command: string | undefined, input: Sent, output: Record<string, unknown>): void {
  const md5 = (text: string) => createHash("md5").update(text).digest("hex");
  const hash = ({ MessageBody = "" }: Sent = {}) => md5(MessageBody);
  if (command === "ReceiveMessage") {
    const messages = (output.Messages ?? []) as Received[];
    output.Messages = messages.map(({ Body = "", ...rest }) => ({ ...rest, Body, MD5OfBody: md5(Body) }));
  }
  if (command === "SendMessage") output.MD5OfMessageBody ??= hash(input);
  if (command !== "SendMessageBatch") return;
  output.Successful = ((output.Successful ?? []) as Sent[]).map((sent) => ({
    MD5OfMessageBody: hash(input.Entries?.find(({ Id }) => Id === sent.Id)),
    ...sent,
  }));
}

async function toBuffer(body: unknown): Promise<Buffer> {
  if (body === undefined || typeof body === "string" || body instanceof Uint8Array) return Buffer.from(body ?? "");
  return Buffer.from(await text(body as NodeJS.ReadableStream));
}
