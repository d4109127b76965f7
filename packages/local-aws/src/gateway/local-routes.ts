import type { IncomingMessage, ServerResponse } from "node:http";
import { type ControlToken, controlTokenProblem } from "../../../loopback/src/control-token.ts";
import { loopbackOrigins } from "../../../loopback/src/loopback-rule.ts";
import { mailboxPage } from "../mailbox-page.ts";
import { parseDuration } from "../support/clock.ts";
import { iso, type Millis } from "../support/time.ts";
import type { GatewayRequest } from "./event.ts";
import { sendJson, sendMessage } from "./response.ts";

/** The control API of the local stack at `/_local`. */
export interface LocalControls {
  /** The credential of every call. */
  readonly token: ControlToken;
  now(): Millis;
  /** Advances the clock and resolves when every schedule that is then due has run. */
  advance(by: Millis): Promise<void>;
  /** Every sent mail, newest first. */
  mails(): Promise<readonly unknown[]> | readonly unknown[];
  /** The next `count` requests get the edge's 429. */
  refuseAtEdge(count: number): void;
  /** The faults of the management API of sockets. */
  failConnections(mode: ConnectionFault): void;
}

const connectionFaults = ["none", "dead", "slow", "throttled"] as const;
type ConnectionFault = (typeof connectionFaults)[number];

type Handler = (controls: LocalControls, response: ServerResponse, body: unknown) => Promise<void> | void;

const routes: Readonly<Record<string, Readonly<Record<string, Handler>>>> = {
  "/_local/clock": {
    GET: ({ now }, response) => sendJson(response, 200, { now: iso(now()) }),
    POST: advanceClock,
  },
  "/_local/mail": {
    GET: async ({ mails }, response) => sendJson(response, 200, { mails: await mails() }),
  },
  "/_local/faults": { POST: setFaults },
};

export async function handleLocalRequest(
  controls: LocalControls,
  { request, target: { path }, body }: GatewayRequest,
  response: ServerResponse,
): Promise<void> {
  if (isOtherPage(request)) return sendMessage(response, 403, "This is for programs and for pages of this port.");
  // It has no mail without the token.
  const file = await mailboxPage(request.method, path, request.headers);
  if (file !== null) return void response.writeHead(200, file.headers).end(request.method === "HEAD" ? "" : file.body);
  const problem = controlTokenProblem(request.headers.authorization, controls.token);
  if (problem !== null) {
    response.setHeader("www-authenticate", "Bearer");
    return sendMessage(response, 401, problem);
  }
  const methods = routes[path];
  if (!methods) return sendMessage(response, 404, `There is ${Object.keys(routes).join(", ")}, and not ${path}.`);
  const handle = methods[request.method ?? ""];
  if (!handle) return sendMessage(response, 405, `${path} takes ${Object.keys(methods).join(" and ")}.`);
  await handle(controls, response, request.method === "POST" ? parseObject(body) : null);
}

/** Pages of other origins may be allowed to call the API. They do not control the stack. */
function isOtherPage({ headers: { origin }, socket }: IncomingMessage): boolean {
  return origin !== undefined && !loopbackOrigins(socket.localPort ?? 0).includes(origin);
}

async function advanceClock(controls: LocalControls, response: ServerResponse, body: unknown): Promise<void> {
  const advance = (body as { advance?: unknown } | null)?.advance;
  const by = typeof advance === "string" ? parseDuration(advance) : null;
  if (by === null) {
    const usage = 'Send {"advance":"PT24H"}: an ISO 8601 duration of weeks, days, hours, minutes and seconds';
    return sendMessage(response, 400, `${usage}, more than zero and at most ten years. The clock only goes forward.`);
  }
  await controls.advance(by);
  sendJson(response, 200, { now: iso(controls.now()) });
}

function setFaults(controls: LocalControls, response: ServerResponse, body: unknown): void {
  const faults = (body ?? {}) as { readonly edge_429?: unknown; readonly connections?: unknown };
  const { edge_429: count } = faults;
  const mode = connectionFaults.find((each) => each === faults.connections);
  const isCount = Number.isInteger(count) && (count as number) >= 0 && (count as number) <= 1_000_000;
  const isMissing = count === undefined && faults.connections === undefined;
  if (isMissing || (count !== undefined && !isCount) || (faults.connections !== undefined && !mode)) {
    const usage = 'Send {"edge_429":3}: how many of the next requests get the bare 429, 0 for none.';
    sendMessage(response, 400, `${usage} Or {"connections":"dead"}: dead, slow, throttled or none.`);
    return;
  }
  if (isCount) controls.refuseAtEdge(count as number);
  if (mode) controls.failConnections(mode);
  sendJson(response, 200, { ...(isCount ? { edge_429: count } : {}), ...(mode ? { connections: mode } : {}) });
}

/** Parses the body as JSON. Returns null if it is not JSON. */
function parseObject(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8")) as unknown;
  } catch {
    return null;
  }
}
