import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import { openLoopbackServer, refuseUpgrade } from "../../../loopback/src/loopback-server.ts";
import type { AccessKeys } from "../access/signature.ts";
import { sendMessage } from "../gateway/response.ts";
import type { AccessControl } from "../iam/access-control.ts";
import type { Functions } from "../lambda/functions.ts";
import type { Millis } from "../support/time.ts";
import { type ConnectionEnd, Connections } from "./connections.ts";
import { type ConnectionIdentity, toConnectEvent, toDisconnectEvent, toIdentity, toMessageEvent } from "./events.ts";
import { MESSAGE_BYTES_MAX, watchFrameSizes } from "./frame-sizes.ts";
import { handleManagementRequest } from "./management.ts";
import { type ManagementFaultSettings, ManagementFaults } from "./management-faults.ts";
import type { SocketApi, SocketRouteKey } from "./routes.ts";

/** What the gateway serves when the stack is ready. */
export interface RealtimeOptions {
  readonly api: SocketApi;
  readonly functions: Pick<Functions, "invoke">;
  readonly report: (line: string) => void;
}

/** The WebSocket API on a port of its own, with the management API of its connections. */
export interface RealtimeGateway {
  /** `http://127.0.0.1:<port>` */
  readonly origin: string;
  /** Requests of the management API by method in this run. */
  readonly counts: Readonly<Record<string, number>>;
  /** How many connections are open. */
  connectionCount(): number;
  /** Before this call every request gets 503. */
  serve(options: RealtimeOptions): void;
  /** Sets the faults of the management API; `{ mode: "none" }` ends them. */
  faults(settings: ManagementFaultSettings): void;
  /** Call this after the clock jumped: it ends the connections whose time is over. */
  onClockAdvance(): void;
  close(): Promise<void>;
}

/** Request line and headers together. */
const HEAD_MAX_BYTES = 10_240;
/** Longer than the SDK's idle timeout, so that the SDK never writes to a connection that is closing. */
const KEEP_ALIVE_MS = 65_000;

export interface RealtimeGatewayOptions {
  /** 0 selects a free port. */
  readonly port: number;
  /** The stack's clock, which may jump. */
  readonly now: () => Millis;
  /** The access keys that callers of the management API sign with. */
  readonly accessKeys: AccessKeys;
  /** Decides what a key may do. Default: everything. */
  readonly access?: Pick<AccessControl, "findDenial">;
  /** The origins whose pages may connect. Default: none. */
  readonly origins?: readonly string[];
}

/** Listens on loopback. */
export async function openRealtimeGateway({
  port,
  now,
  accessKeys,
  access,
  origins = [],
}: RealtimeGatewayOptions): Promise<RealtimeGateway> {
  const connections = new Connections(now);
  const faults = new ManagementFaults();
  const counts: Record<string, number> = {};
  let options: RealtimeOptions | undefined;
  const handshakes = openHandshakes(connections, now);
  const { origin, close: closeServer } = await openLoopbackServer({
    port,
    origins,
    maxHeaderSize: HEAD_MAX_BYTES,
    keepAliveTimeout: KEEP_ALIVE_MS,
    onRequest(request, response) {
      if (!options) return sendMessage(response, 503, "The local stack is starting.");
      const { api, report } = options;
      const context = { connections, api, faults, counts, accessKeys, access };
      handleManagementRequest(request, response, context).catch((error: Error) => {
        // An incomplete request means that the caller disconnected.
        if (request.complete) report(`realtime gateway: ${error.message}`);
        response.destroy();
      });
    },
    onUpgrade(request, socket, head) {
      if (options) handshakes(options, { request, socket, head });
      else refuseUpgrade(socket, 503);
    },
  });
  return {
    origin,
    counts,
    connectionCount: () => connections.count,
    serve(next) {
      options = next;
    },
    faults: (settings) => faults.configure(settings),
    onClockAdvance: () => connections.endExpired(),
    async close() {
      connections.close();
      await closeServer();
    },
  };
}

interface Upgrade {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
}

/** Accepts handshakes that the function of `$connect` accepts, and runs the other two routes for their connections. */
function openHandshakes(connections: Connections, now: () => Millis) {
  const pending = new WeakMap<IncomingMessage, { identity: ConnectionIdentity; options: RealtimeOptions }>();
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: MESSAGE_BYTES_MAX,
    // Called once the handshake itself is valid. The answer waits for the function.
    verifyClient: ({ req: request }, answer) => {
      const handshake = pending.get(request);
      if (!handshake) return answer(false, 500);
      void connect(handshake.options, handshake.identity, request).then((status) =>
        status >= 200 && status < 300 ? answer(true) : answer(false, status),
      );
    },
  });
  return (options: RealtimeOptions, { request, socket, head }: Upgrade): void => {
    const { stage } = options.api;
    const [path] = (request.url ?? "/").split("?");
    if (path !== `/${stage}` && path !== `/${stage}/`) {
      refuseUpgrade(socket, 403);
      return;
    }
    const connectionId = `${randomBytes(11).toString("base64url")}=`;
    const identity = toIdentity(request, { connectionId, connectedAt: now(), stage });
    pending.set(request, { identity, options });
    server.handleUpgrade(request, socket, head, (webSocket) => {
      watchFrameSizes(socket, () => connections.end(connectionId, tooLarge));
      attach(webSocket, { identity, connections, options, now });
    });
  };
}

const tooLarge: ConnectionEnd = { code: 1009, reason: "Message too big" };
const binary: ConnectionEnd = { code: 1003, reason: "Binary messages are not supported" };

/** By the error codes of `ws`. */
const invalidMessageEnds: Readonly<Record<string, ConnectionEnd>> = {
  WS_ERR_UNSUPPORTED_MESSAGE_LENGTH: tooLarge,
  WS_ERR_INVALID_UTF8: { code: 1007, reason: "" },
};

interface Attached {
  readonly identity: ConnectionIdentity;
  readonly connections: Connections;
  readonly options: RealtimeOptions;
  readonly now: () => Millis;
}

/** From now on the connection gets posts. Before, they find it gone. */
function attach(webSocket: WebSocket, { identity, connections, options, now }: Attached): void {
  const { connectionId } = identity;
  connections.add(identity, webSocket, (end) => {
    // No caller waits for it, and nothing repeats it.
    run(options, "$disconnect", toDisconnectEvent(identity, { ...end, now: now() })).catch(() => {});
  });
  webSocket.on("message", (data, isBinary) => {
    if (!connections.get(connectionId)) return;
    if (isBinary) {
      connections.end(connectionId, binary);
      return;
    }
    connections.touch(connectionId);
    const event = toMessageEvent(identity, data.toString(), now());
    run(options, "$default", event).catch(() => {
      const { requestId } = event.requestContext;
      connections.send(connectionId, JSON.stringify({ message: "Internal server error", connectionId, requestId }));
    });
  });
  // A message that is not valid. `ws` closes the connection with the status.
  webSocket.on("error", ({ code = "" }: Error & { code?: string }) => {
    connections.remove(connectionId, invalidMessageEnds[code] ?? { code: 1002, reason: "" });
  });
  webSocket.on("close", (code, reason) => connections.remove(connectionId, { code, reason: reason.toString() }));
}

/** The status of the handshake: that of the function, or the gateway's when it fails. */
async function connect(
  options: RealtimeOptions,
  identity: ConnectionIdentity,
  request: IncomingMessage,
): Promise<number> {
  try {
    const result = await run(options, "$connect", toConnectEvent(identity, request));
    const status = (result as { statusCode?: unknown } | null)?.statusCode;
    return Number.isInteger(status) && (status as number) >= 200 && (status as number) < 600 ? (status as number) : 502;
  } catch (error) {
    return error instanceof IntegrationTimeout ? 504 : 502;
  }
}

class IntegrationTimeout extends Error {}

/** Runs the function of a route. Throws after the route's time, and reports why it failed. */
async function run({ api, functions, report }: RealtimeOptions, key: SocketRouteKey, event: object): Promise<unknown> {
  const { functionId, timeoutMs } = api.routes[key];
  const { promise: timeout, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new IntegrationTimeout("The integration timed out.")), timeoutMs);
  try {
    return await Promise.race([functions.invoke(functionId, event), timeout]);
  } catch (error) {
    report(`${functionId} ${key}: ${(error as Error).message}`);
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
