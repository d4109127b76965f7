import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { ParleyError } from "#client";
import { listenOnLoopback } from "./loopback.ts";

export interface ScriptedRequest {
  readonly method: string;
  /** Path and query, as they were sent. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Answers one request. */
export type Step = (response: ServerResponse, request: ScriptedRequest) => void;

export interface ScriptedServer extends AsyncDisposable {
  readonly url: string;
  /** The requests since the last script, in order. */
  readonly requests: readonly ScriptedRequest[];
  /** Sets the steps of the next requests. The last step answers every further request. */
  play(...steps: Step[]): void;
  /** Resolves once so many requests of the script have arrived. */
  arrived(count: number): Promise<void>;
}

/** An HTTP server on the loopback interface that answers as a test wrote it down. */
export async function startScriptedServer(): Promise<ScriptedServer> {
  let steps: readonly Step[] = [];
  let requests: ScriptedRequest[] = [];
  let waiting: (() => void)[] = [];
  const onRequest = async (incoming: IncomingMessage, response: ServerResponse) => {
    const body = Buffer.concat(await incoming.toArray());
    const request = { method: incoming.method ?? "", url: incoming.url ?? "", headers: incoming.headers, body };
    const step = steps[Math.min(requests.length, steps.length - 1)];
    requests.push(request);
    step?.(response, request);
    for (const wake of waiting.splice(0)) wake();
  };
  const server = createServer((request, response) => void onRequest(request, response).catch(() => response.destroy()));
  await listenOnLoopback(server);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get requests() {
      return requests;
    },
    play(...nextSteps) {
      steps = nextSteps;
      requests = [];
      waiting = [];
    },
    async arrived(count) {
      while (requests.length < count) await new Promise<void>((resolve) => waiting.push(resolve));
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

type Headers = Readonly<Record<string, string>>;

/** A response with the envelope of a success. */
export function ok(data: unknown, status = 200, headers: Headers = {}): Step {
  return text(status, JSON.stringify({ ok: true, data }), { "content-type": "application/json", ...headers });
}

/** A response with the envelope of a failure. */
export function fail(status: number, error: object, headers: Headers = {}): Step {
  const body = { ok: false, error: { message: "A problem.", detail: "", ...error } };
  return text(status, JSON.stringify(body), {
    "content-type": "application/json",
    "x-correlation-id": "cor_1",
    ...headers,
  });
}

export function text(status: number, body: string, headers: Headers = {}): Step {
  return (response) => response.writeHead(status, headers).end(body);
}

/** Closes the connection before a response. */
export const disconnect: Step = (response) => response.destroy();

/** Sends headers and half of a body, then closes the connection. */
export const disconnectInBody: Step = (response) => {
  response.writeHead(200, { "content-type": "application/json", "content-length": "100" });
  response.write('{"ok":true,"data":{', () => response.destroy());
};

/** Never responds. */
export const hang: Step = () => undefined;

/** Sends headers and half of a body, and never the rest. */
export const hangInBody: Step = (response) => {
  response.writeHead(200, { "content-type": "application/json" });
  response.write('{"ok":true,"data":{');
};

/** The error with which a call of the client fails. Throws if it succeeds. */
export const failureOf = (call: Promise<unknown>): Promise<ParleyError> =>
  call.then(
    (data) => Promise.reject(new Error(`The call succeeded: ${JSON.stringify(data)}`)),
    (error) => error,
  );
