import { authenticate, isAppToken, tokenText } from "../calls/access.ts";
import type { Context, GraphHost, NodeCall } from "../calls/context.ts";
import { GraphError, refuse } from "../calls/error-messages.ts";
import type { Call, HttpOutcome } from "../http/http-server.ts";
import type { FaultTarget } from "../world/faults.ts";
import { readApp } from "./app.ts";
import { uploadAttachment } from "./attachments.ts";
import { findConversation, listConversations, listMessages, readConversation, readMessage } from "./conversations.ts";
import { alterResponse, applyAccountFault, applyCallFault } from "./fault-responses.ts";
import { exchangeInstagram, facebookToken, instagramCode, refreshInstagram } from "./login-tokens.ts";
import { readNode } from "./nodes.ts";
import { send } from "./send.ts";
import { subscribedApps } from "./subscriptions.ts";
import { debugToken } from "./token-info.ts";
import { pagesOfUser } from "./user-pages.ts";

interface TokenRoute {
  /** The faults that may alter the call. */
  targets: readonly FaultTarget[];
  respond(context: Context, call: Call): HttpOutcome | Promise<HttpOutcome>;
}

const exchange = (respond: TokenRoute["respond"]): TokenRoute => ({ targets: ["logins"], respond });
const inspection = (respond: TokenRoute["respond"]): TokenRoute => ({ targets: ["accounts"], respond });

/** Calls that need no token of an account, or check it themselves. */
const tokenRoutes: Record<GraphHost, Record<string, TokenRoute>> = {
  facebook: {
    "GET oauth/access_token": exchange(facebookToken),
    "POST oauth/access_token": exchange(facebookToken),
    "GET debug_token": inspection(debugToken),
  },
  instagram: {
    "GET access_token": exchange(exchangeInstagram),
    "GET refresh_access_token": inspection(refreshInstagram),
  },
};

/** `POST api.instagram.com/oauth/access_token`, the only call of that host. */
export async function exchangeCode(context: Context, call: Call): Promise<HttpOutcome> {
  return withGraphErrors(() =>
    withFault(context, { targets: ["logins"], subject: "0" }, () => instagramCode(context, call)),
  );
}

/** Handles one call to a Graph host. `path` follows the host, with or without a version. */
export async function graph(context: Context, host: GraphHost, path: string, call: Call): Promise<HttpOutcome> {
  return withGraphErrors(() => {
    const parts = path.split("/").filter((part, at) => part !== "" && !(at <= 1 && /^v\d+\.\d+$/.test(part)));
    return route(context, host, parts, call);
  });
}

async function withGraphErrors(respond: () => Promise<HttpOutcome>): Promise<HttpOutcome> {
  try {
    return await respond();
  } catch (error) {
    if (error instanceof GraphError) return error.toResponse();
    throw error;
  }
}

/** Processes a call of a login or of an account's connection with the fault that is set. Throws a Graph error. */
async function withFault(
  context: Context,
  { targets, subject }: { targets: readonly FaultTarget[]; subject: string },
  respond: () => HttpOutcome | Promise<HttpOutcome>,
): Promise<HttpOutcome> {
  const fault = context.faults.consume(targets);
  const faultOutcome = applyCallFault(context, fault);
  if (faultOutcome !== null) return faultOutcome;
  // A fault of all calls alters the responses to sends and uploads only.
  if (fault.on !== "logins" && fault.on !== "accounts") return respond();
  applyAccountFault(fault, subject);
  return alterResponse(fault, await respond());
}

async function route(context: Context, host: GraphHost, parts: string[], call: Call): Promise<HttpOutcome> {
  const tokenRoute = tokenRoutes[host][`${call.method} ${parts.join("/")}`];
  if (tokenRoute !== undefined) {
    const { targets, respond } = tokenRoute;
    return withFault(context, { targets, subject: "0" }, () => respond(context, call));
  }

  const [node = "", edge, ...more] = parts.map(decodeSegment);
  if (node === "" || more.length > 0) throw refuse.unknownPath();
  if (host === "facebook" && call.method === "GET" && isAppToken(context, tokenText(call))) {
    return withFault(context, { targets: ["accounts"], subject: "0" }, () => readApp(context, node, edge));
  }
  const token = authenticate(context, host, call);
  const nodeCall = { host, node, token, call };
  const isSend = call.method === "POST" && edge === "messages";
  const isUpload = call.method === "POST" && edge === "message_attachments";
  if (!isSend && !isUpload) {
    const targets = targetsOf(context, nodeCall, edge);
    return withFault(context, { targets, subject: token.subject }, () => readOrSubscribe(context, nodeCall, edge));
  }
  const fault = context.faults.consume(isSend ? ["sends", "calls"] : ["calls"]);
  const faultOutcome = applyCallFault(context, fault);
  if (faultOutcome !== null) return faultOutcome;
  if (call.unreadable) throw unreadable(host);
  return isSend ? send(context, nodeCall, fault) : uploadAttachment(context, nodeCall, fault);
}

const unreadable = (host: GraphHost): GraphError =>
  refuse.parameter("The body is neither JSON nor a form", host === "instagram");

/** The faults that may alter a call that is neither a send nor an upload. Profiles belong to no account's connection. */
function targetsOf({ world }: Context, { node, token }: NodeCall, edge: string | undefined): FaultTarget[] {
  if (edge === "accounts") return ["logins", "calls"];
  const isSelf = node === "me" || node === token.subject;
  if (edge === undefined && isSelf) return ["logins", "accounts", "calls"];
  const isProfile = edge === undefined && world.state.people.some(({ id }) => id === node);
  return isProfile ? ["calls"] : ["accounts", "calls"];
}

async function readOrSubscribe(context: Context, nodeCall: NodeCall, edge: string | undefined): Promise<HttpOutcome> {
  const { host, node, call } = nodeCall;
  if (call.unreadable) throw unreadable(host);
  if (edge === "subscribed_apps") return subscribedApps(context, nodeCall);
  if (call.method === "GET") {
    if (edge === "accounts" && node === "me") return pagesOfUser(context, nodeCall);
    const history = readHistory(context, nodeCall, edge);
    if (history !== null) return history;
    if (edge === undefined) return readNode(context, nodeCall);
  }
  throw refuse.unknownNode(call.method, node);
}

/** A read of threads or messages, which has a limit of its own; null for any other call. Throws a Graph error. */
function readHistory(context: Context, nodeCall: NodeCall, edge: string | undefined): HttpOutcome | null {
  const { historyLimit, world } = context;
  const { token } = nodeCall;
  if (edge === "conversations") {
    historyLimit.count(token, undefined);
    return listConversations(context, nodeCall);
  }
  if (edge !== undefined && edge !== "messages") return null;
  const conversation = findConversation(context, nodeCall);
  if (conversation !== null) {
    historyLimit.count(token, conversation.account);
    return edge === "messages"
      ? listMessages(context, nodeCall, conversation)
      : readConversation(context, nodeCall, conversation);
  }
  if (edge !== undefined || world.message(nodeCall.node) === undefined) return null;
  historyLimit.count(token, undefined);
  return readMessage(context, nodeCall);
}

function decodeSegment(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw refuse.unknownPath();
  }
}
