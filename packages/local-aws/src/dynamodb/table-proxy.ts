import { Agent, type IncomingMessage, request as openRequest, type ServerResponse } from "node:http";
import { request as openSecureRequest } from "node:https";
import { openLoopbackServer } from "../../../loopback/src/loopback-server.ts";
import {
  type AccessKeys,
  findSignatureProblem,
  type SignedRequest,
  signatureProblems,
  signingKeyId,
  toSignedRequest,
} from "../access/signature.ts";
import { readBody } from "../gateway/body.ts";
import type { AccessControl } from "../iam/access-control.ts";
import { type Denial, denialMessage } from "../iam/denials.ts";
import { tableNeeds } from "../iam/needs/table-needs.ts";
import { ContinuousBackups } from "./continuous-backups.ts";
import type { Engine } from "./engine.ts";
import type { Answer } from "./table-answers.ts";
import { ThroughputCaps } from "./throughput-caps.ts";

export interface TableProxyOptions {
  /** 0 selects a free port. */
  readonly port: number;
  readonly engine: Pick<Engine, "name" | "url">;
  /** The access keys that callers sign with. */
  readonly accessKeys: AccessKeys;
  /** Decides what a key may do, and has the id of the key that the engine knows. Default: everything, and the caller's. */
  readonly access?: Pick<AccessControl, "findDenial" | "isJudged" | "isStrict" | "tables"> & {
    readonly engineKeyId: string;
  };
}

/** The port under which a stack's table is called. */
export interface TableProxy {
  /** For the SDK: `AWS_ENDPOINT_URL_DYNAMODB` or the client's `endpoint`. */
  readonly url: string;
  /**
   * For the functions of the stack: the engine itself, where their requests are not judged and it knows the key that they
   * sign with. The way over this process costs as much as the engine.
   */
  readonly functionsUrl: string;
  close(): Promise<void>;
}

/** A request of DynamoDB has at most 16 MB: that of BatchWriteItem. */
const BODY_MAX_BYTES = 17 * 2 ** 20;
/** Longer than the SDK's idle timeout, so that the SDK never writes to a connection that is closing. */
const KEEP_ALIVE_MS = 65_000;
/** Of one connection, or for the pages of others. */
const OMITTED_HEADERS = /^(connection|keep-alive|transfer-encoding|access-control-.*)$/;

/**
 * Opens a port that passes signed requests on to an engine, which itself answers every caller and page. An engine that
 * was started outside the stack knows its callers by the access key `local`, as do its stored tables.
 */
export async function openTableProxy({ port, engine, accessKeys, access }: TableProxyOptions): Promise<TableProxy> {
  const upstream = new URL(engine.url);
  const isSecure = upstream.protocol === "https:";
  const agent = isSecure ? undefined : new Agent({ keepAlive: true });
  // An engine may have other tables for each key.
  const engineKeyId = engine.name === "given" ? "local" : access?.engineKeyId;
  const toEngineKey = (authorization: string): string =>
    engineKeyId === undefined ? authorization : authorization.replace(/Credential=[^/]+/, `Credential=${engineKeyId}`);

  const backups = new ContinuousBackups();
  const caps = new ThroughputCaps();
  const describeTable = async (request: IncomingMessage, body: string): Promise<Answer> => {
    const { TableName } = JSON.parse(body) as { TableName?: string };
    const { authorization = "", "x-amz-date": date = "" } = request.headers;
    const answer = await fetch(engine.url, {
      method: "POST",
      headers: {
        "content-type": "application/x-amz-json-1.0",
        "x-amz-target": "DynamoDB_20120810.DescribeTable",
        authorization: toEngineKey(authorization),
        "x-amz-date": String(date),
      },
      body: JSON.stringify({ TableName }),
    });
    return { status: answer.status, content: (await answer.json()) as object };
  };

  const pass = (request: IncomingMessage, response: ServerResponse, body: Buffer): void => {
    const { authorization = "", ...headers } = ownHeaders(request);
    const options = {
      agent,
      method: request.method,
      path: upstream.pathname.replace(/\/$/, "") + request.url,
      headers: {
        ...headers,
        authorization: toEngineKey(String(authorization)),
        host: upstream.host,
        "content-length": body.length,
      },
    };
    const call = (isSecure ? openSecureRequest : openRequest)(upstream, options, (answer) => {
      response.writeHead(answer.statusCode ?? 502, ownHeaders(answer));
      answer.pipe(response);
      answer.on("error", () => response.destroy());
    });
    // As a caller would see it without the proxy: the connection ends.
    call.on("error", () => response.destroy());
    response.on("close", () => {
      if (!response.writableFinished) call.destroy();
    });
    call.end(body);
  };

  /** What the engine lacks is answered here. */
  const serve = (request: IncomingMessage, response: ServerResponse, body: Buffer): void => {
    const target = request.headers["x-amz-target"];
    const operation = backups.operation(target, body) ?? caps.operation(target, body);
    if (operation === null) {
      pass(request, response, body);
      return;
    }
    operation(() => describeTable(request, body.toString()))
      .then(({ status, content }) => answerJson(response, status, content))
      .catch(() => response.destroy());
  };

  const { origin, close } = await openLoopbackServer({
    port,
    keepAliveTimeout: KEEP_ALIVE_MS,
    onRequest(request, response) {
      readBody(request, BODY_MAX_BYTES)
        .then((body) => {
          if (body === null) return refuse(response, 413, "RequestEntityTooLarge", "The request is too large.");
          const check = { accessKeys, isVerified: true };
          const signed = toSignedRequest(request, body);
          const problem = findSignatureProblem(signed, check);
          if (problem !== null) return refuse(response, 403, problem, signatureProblems[problem]);
          const denial = access === undefined ? null : findTableDenial(access, signed);
          if (denial === null) serve(request, response, body);
          else refuse(response, 400, "AccessDeniedException", denialMessage("dynamodb", denial));
        })
        // The caller disconnected.
        .catch(() => response.destroy());
    },
  });
  return {
    url: origin,
    functionsUrl: engine.name === "given" || access?.isStrict === true ? origin : engine.url,
    async close() {
      await close();
      agent?.destroy();
    },
  };
}

function findTableDenial(
  access: Pick<AccessControl, "findDenial" | "isJudged" | "tables">,
  request: SignedRequest,
): Denial | null {
  const keyId = signingKeyId(request);
  if (!access.isJudged(keyId)) return null;
  const [, operation = ""] = (request.headers["x-amz-target"] ?? "").split(".");
  return access.findDenial(keyId, tableNeeds(access.tables, operation, parseBody(request.body)));
}

/** The engine refuses what is not JSON. */
function parseBody(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return {};
  }
}

function ownHeaders({ headers }: IncomingMessage): Record<string, string | string[] | undefined> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !OMITTED_HEADERS.test(name)));
}

function refuse(response: ServerResponse, status: number, type: string, message: string): void {
  answerJson(response, status, { __type: `com.amazon.coral.service#${type}`, message });
}

function answerJson(response: ServerResponse, status: number, content: object): void {
  response.writeHead(status, { "content-type": "application/x-amz-json-1.0" }).end(JSON.stringify(content));
}
