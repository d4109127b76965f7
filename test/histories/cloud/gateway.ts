import { Readable } from "node:stream";
import { ApiGatewayManagementApiClient, GoneException } from "@aws-sdk/client-apigatewaymanagementapi";
import type { HttpResponse } from "@smithy/types";
import { POST_ATTEMPTS_MAX, requestTimeouts } from "#base/config/request-times.ts";
import { SOCKET_LIFETIME } from "#base/kernel/limits.ts";
import { type Millis, SECOND } from "#base/kernel/time.ts";
import { toConnectEvent, toDisconnectEvent } from "#local-aws/realtime/events.ts";
import type { SocketResult } from "../../../functions/realtime/routes.ts";
import type { Fault } from "../../support/faults.ts";
import { untilRunning } from "../../support/world/processes.ts";
import { inProcess, inProcessSettings } from "../../support/world/sdk-in-process.ts";
import type { Engine } from "../engine/engine.ts";
import type { Troubles } from "../world/troubles.ts";
import type { Lambda } from "./lambda.ts";
import { recordPermissions } from "./permissions.ts";

/**
 * How the management API answers:
 * - `drop`: the next request is lost; `lose`: it is done, and its answer is lost; `late`: it is done after its time-out
 * - `down`: each request times out
 */
export const gatewayModes = ["ok", "drop", "lose", "late", "down"] as const;
export type GatewayMode = (typeof gatewayModes)[number];

/** The other end of a connection. */
export interface SocketClient {
  receive(text: string): void;
  end(): void;
}

interface Connection {
  readonly id: string;
  readonly connectedAt: Millis;
  readonly client: SocketClient;
  /** Until its handshake is answered, the management API does not know a connection. */
  state: "handshake" | "open" | "ended";
}

interface Options {
  readonly engine: Engine;
  readonly troubles: Troubles;
  readonly lambda: () => Lambda;
}

interface ManagementRequest {
  readonly ConnectionId: string;
  readonly Data?: Uint8Array;
}

/** A request that the service signs and sends itself. */
interface PostRequest {
  readonly method: string;
  readonly path: string;
  readonly body: string;
}

const POST = "PostToConnection";
const LATE_BY: Millis = 3 * SECOND;

/** The WebSocket API: handshakes, frames to clients and ends of connections. */
export function openGateway({ engine, troubles, lambda }: Options) {
  const connections = new Map<string, Connection>();
  let requests = 0;
  let mode: GatewayMode = "ok";

  const ids = { requestId: () => `socket-request-${++requests}`, shortId: () => "" };
  const toIdentity = ({ id, connectedAt }: Connection) => ({
    connectionId: id,
    connectedAt,
    domainName: "localhost",
    sourceIp: "203.0.113.7",
    userAgent: "",
    stage: "realtime",
  });

  /** What follows from a request happens outside of the process that made it. */
  const outside = (happen: () => void) => engine.plan(engine.now(), happen);

  /** Ends a connection. @param isReported whether the service hears of it: the gateway does not report every end */
  function end(connection: Connection, isReported: boolean): void {
    if (connection.state === "ended") return;
    connection.state = "ended";
    outside(() => connection.client.end());
    if (!isReported) return;
    outside(() => {
      const closed = { code: 1000, reason: "", now: engine.now() };
      void lambda().invoke("socket", toDisconnectEvent(toIdentity(connection), closed, ids));
    });
  }

  const operations: Readonly<Record<string, (open: Connection, request: ManagementRequest) => void>> = {
    PostToConnection: ({ state, client }, { Data = new Uint8Array() }) => {
      if (state === "open") outside(() => client.receive(Buffer.from(Data).toString()));
    },
    DeleteConnection: (connection) => end(connection, true),
  };

  async function serve(command: string, request: ManagementRequest): Promise<object> {
    const answersAs = mode;
    if (mode !== "down") mode = "ok";
    const connection = connections.get(request.ConnectionId);
    const isDone = answersAs === "ok" || answersAs === "lose";
    if (isDone && connection?.state !== "open")
      throw new GoneException({ message: "no such connection", $metadata: { httpStatusCode: 410 } });
    const apply = () => connection && operations[command]?.(connection, request);
    if (isDone) apply();
    if (answersAs === "late") engine.plan(engine.now() + requestTimeouts.connections + LATE_BY, () => void apply());
    if (answersAs === "ok") return {};
    await new Promise((resolve) => setTimeout(resolve, requestTimeouts.connections));
    throw Object.assign(new Error("The management API did not answer."), { name: "TimeoutError" });
  }

  /** A frame is no request of the SDK's client, so its faults are not those that the client injects. */
  async function post({ path, body }: PostRequest): Promise<{ readonly response: HttpResponse }> {
    const [, id = ""] = /@connections\/(.+)$/.exec(path) ?? [];
    const input = { ConnectionId: decodeURIComponent(id), Data: Buffer.from(body) };
    await untilRunning();
    recordPermissions({ client: ApiGatewayManagementApiClient.name, command: POST, index: 0, input });
    const fault = await troubles.decide(POST);
    try {
      return { response: await answer(fault, input) };
    } finally {
      await untilRunning();
    }
  }

  async function answer(fault: Fault, input: ManagementRequest): Promise<HttpResponse> {
    if (fault === "fail") return toResponse(500);
    if (fault === "throttle") return toResponse(429);
    const served = async () =>
      serve(POST, input).then(
        () => toResponse(200),
        (error: unknown) => {
          if (error instanceof GoneException) return toResponse(410);
          throw error;
        },
      );
    const response = await served();
    if (fault === "lost") throw Object.assign(new Error("injected: answer lost"), { code: "ECONNRESET" });
    if (fault === "twice") await served();
    return response;
  }

  const settings = inProcessSettings(serve);
  const requestHandler = {
    ...settings.requestHandler,
    handle: (request: unknown) =>
      (request as PostRequest).method === "POST"
        ? post(request as PostRequest)
        : settings.requestHandler.handle(request),
  };

  return {
    setMode(next: GatewayMode): void {
      mode = next;
    },

    /** Connects a client. @returns the connection's id; null when the handshake is refused */
    async connect(ticket: string, origin: string | null, client: SocketClient): Promise<string | null> {
      const id = `connection-${connections.size + 1}`;
      const connectedAt = engine.now();
      const connection: Connection = { id, connectedAt, client, state: "handshake" };
      connections.set(id, connection);
      const handshake = {
        rawHeaders: origin === null ? [] : ["Origin", origin],
        // Those of keys take a conversation in the frame of its message, those of pages in a frame of its own.
        url: `/realtime?${new URLSearchParams({ ticket, ...(origin === null ? { include: "conversation" } : {}) })}`,
        socket: {},
      };
      const event = toConnectEvent(toIdentity(connection), handshake, ids);
      const answer = await lambda().invoke<SocketResult>("socket", event);
      if (answer.kind !== "returned" || answer.result.statusCode !== 200) {
        connection.state = "ended";
        return null;
      }
      connection.state = "open";
      engine.plan(connectedAt + SOCKET_LIFETIME, () => end(connection, true));
      return id;
    },

    /** The client ends its connection. */
    disconnect(id: string, isReported: boolean): void {
      const connection = connections.get(id);
      if (connection) end(connection, isReported);
    },

    client: inProcess(
      new ApiGatewayManagementApiClient({ ...settings, maxAttempts: POST_ATTEMPTS_MAX, requestHandler }),
    ),
  };
}

function toResponse(statusCode: number): HttpResponse {
  return { statusCode, headers: {}, body: Readable.from([]) };
}
