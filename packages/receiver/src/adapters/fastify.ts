import type { Receiver } from "../receiver.ts";
import { BODY_BYTES_MAX } from "./body.ts";

interface FastifyRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: unknown;
}

interface FastifyReply {
  code(status: number): unknown;
  headers(headers: Record<string, string>): unknown;
  send(body?: string): unknown;
}

type BodyParser = (request: unknown, body: Uint8Array, done: (error: Error | null, body?: unknown) => void) => void;

/** What the plugin uses of a Fastify instance. */
export interface FastifyScope {
  removeAllContentTypeParsers(): unknown;
  addContentTypeParser(
    type: string,
    options: { readonly parseAs: "buffer"; readonly bodyLimit: number },
    parser: BodyParser,
  ): unknown;
  post(
    path: string,
    options: { readonly bodyLimit: number },
    handler: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>,
  ): unknown;
}

/**
 * A plugin for Fastify: `fastify.register(fastifyPlugin(receiver), { path: "/hooks" })`. Only its route gets the raw body:
 * the parsers of the rest of the app stay as they are.
 */
export function fastifyPlugin(
  receiver: Receiver,
): (fastify: FastifyScope, options: { readonly path: string }) => Promise<void> {
  return async (fastify, { path }) => {
    fastify.removeAllContentTypeParsers();
    fastify.addContentTypeParser("*", { parseAs: "buffer", bodyLimit: BODY_BYTES_MAX }, (_request, body, done) => {
      done(null, body);
    });
    fastify.post(path, { bodyLimit: BODY_BYTES_MAX }, async (request, reply) => {
      const body = request.body instanceof Uint8Array ? request.body : new Uint8Array();
      const response = await receiver.handle({ method: request.method, headers: request.headers, body });
      reply.code(response.status);
      reply.headers({ ...response.headers });
      return reply.send(response.body === "" ? undefined : response.body);
    });
  };
}
