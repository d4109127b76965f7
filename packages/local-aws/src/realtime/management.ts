import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type AccessKeys,
  findSignatureProblem,
  signatureProblems,
  signingKeyId,
  toSignedRequest,
} from "../access/signature.ts";
import { readBody } from "../gateway/body.ts";
import type { AccessControl } from "../iam/access-control.ts";
import { denialMessage } from "../iam/denials.ts";
import { buildArn } from "../provision/provision-context.ts";
import { iso } from "../support/time.ts";
import type { Connections } from "./connections.ts";
import { MESSAGE_BYTES_MAX } from "./frame-sizes.ts";
import type { ManagementFaults } from "./management-faults.ts";
import type { SocketApi } from "./routes.ts";

/** What the management API works on. */
export interface ManagementContext {
  readonly connections: Connections;
  readonly api: Pick<SocketApi, "id" | "stage">;
  readonly faults: ManagementFaults;
  /** Requests by method in this run, refused ones too. */
  readonly counts: Record<string, number>;
  /** The access keys that callers sign with. */
  readonly accessKeys: AccessKeys;
  /** Decides what a key may do. Absent: everything. */
  readonly access?: Pick<AccessControl, "findDenial"> | undefined;
}

interface ManagementResponse {
  readonly status: number;
  /** The name of the SDK's exception. */
  readonly error?: string;
  readonly body?: object;
}

const CONNECTION_ID = /^[\w-]{15}=$/;
const SLOW_DEFAULT_MS = 5_000;
/** One request may be far over the limit, and still gets its answer. */
const BODY_MAX_BYTES = 10 * 2 ** 20;

/** Answers a request to the gateway that is no handshake: `/<stage>/@connections/<id>` of `execute-api`. */
export async function handleManagementRequest(
  request: IncomingMessage,
  response: ServerResponse,
  context: ManagementContext,
): Promise<void> {
  const { method = "GET" } = request;
  context.counts[method] = (context.counts[method] ?? 0) + 1;
  const data = await readBody(request, BODY_MAX_BYTES);
  const { mode, delay = SLOW_DEFAULT_MS } = context.faults.draw();
  if (mode === "dead") return;
  const result =
    mode === "throttled" ? refusal(429, "LimitExceededException", "Rate exceeded") : handle(request, data, context);
  if (mode === "slow") await sleep(delay, undefined, { ref: false });
  if (response.destroyed) return;
  const { status, error, body } = result;
  const headers = {
    "x-amzn-requestid": randomUUID(),
    ...(error === undefined ? {} : { "x-amzn-errortype": error }),
    ...(body === undefined ? {} : { "content-type": "application/json" }),
  };
  response.writeHead(status, headers).end(body === undefined ? undefined : JSON.stringify(body));
}

function handle(request: IncomingMessage, data: Buffer | null, context: ManagementContext): ManagementResponse {
  const { connections, api, accessKeys } = context;
  const [, requestedStage, connectionId] = /^\/([^/]+)\/@connections\/([^/?]+)$/.exec(decode(request.url)) ?? [];
  if (connectionId === undefined) return missingToken;
  // A body that is too large was not stored, so its signature cannot be verified.
  const check = { accessKeys, isVerified: data !== null };
  const signed = toSignedRequest(request, data ?? Buffer.alloc(0));
  const problem = findSignatureProblem(signed, check);
  if (problem !== null) return refusal(403, problem, signatureProblems[problem]);
  const resource = buildArn(
    "execute-api",
    `${api.id}/${requestedStage}/${request.method}/@connections/${connectionId}`,
  );
  const need = { action: "execute-api:ManageConnections", resource, context: {} };
  const denial = context.access?.findDenial(signingKeyId(signed), [need]) ?? null;
  if (denial !== null) return refusal(403, "AccessDeniedException", denialMessage("execute-api", denial));
  if (requestedStage !== api.stage) return refusal(403, "ForbiddenException", "Forbidden");
  if (!CONNECTION_ID.test(connectionId)) {
    return refusal(400, "BadRequestException", `Invalid connectionId: ${connectionId}`);
  }
  switch (request.method) {
    case "POST": {
      if (data === null || data.length > MESSAGE_BYTES_MAX) {
        return refusal(413, "PayloadTooLargeException", "Payload too large");
      }
      const outcome = connections.send(connectionId, data);
      if (outcome === "gone") return gone;
      return outcome === "full" ? refusal(429, "LimitExceededException", "The buffer is full") : { status: 200 };
    }
    case "DELETE":
      return connections.end(connectionId, { code: 1000, reason: "" }) ? { status: 204 } : gone;
    case "GET": {
      const connection = connections.get(connectionId);
      if (!connection) return gone;
      const { connectedAt, sourceIp, userAgent } = connection.identity;
      const identity = { sourceIp, userAgent };
      const lastActiveAt = iso(connection.lastActiveAt);
      return { status: 200, body: { connectedAt: iso(connectedAt), identity, lastActiveAt } };
    }
    default:
      return missingToken;
  }
}

const missingToken = refusal(403, "MissingAuthenticationTokenException", "Missing Authentication Token");
const gone = refusal(410, "GoneException", "Gone");

function refusal(status: number, error: string, message: string): ManagementResponse {
  return { status, error, body: { message } };
}

function decode(url = "/"): string {
  try {
    return decodeURIComponent(url);
  } catch {
    return "";
  }
}
