import { authenticate } from "../calls/access.ts";
import type { Context, GraphHost } from "../calls/context.ts";
import { GraphError, refuse } from "../calls/error-messages.ts";
import type { Call, HttpOutcome } from "../http/http-server.ts";
import { uploadAttachment } from "./attachments.ts";
import { applyCallFault } from "./fault-responses.ts";
import { readHistory } from "./history.ts";
import { exchangeInstagram, facebookToken, refreshInstagram } from "./login-tokens.ts";
import { readNode } from "./nodes.ts";
import { send } from "./send.ts";
import { subscribedApps } from "./subscriptions.ts";
import { debugToken } from "./token-info.ts";
import { pagesOfUser } from "./user-pages.ts";

type TokenRoute = (context: Context, call: Call) => HttpOutcome | Promise<HttpOutcome>;

const tokenRoutes: Record<GraphHost, Record<string, TokenRoute>> = {
  facebook: {
    "GET oauth/access_token": facebookToken,
    "POST oauth/access_token": facebookToken,
    "GET debug_token": debugToken,
  },
  instagram: { "GET access_token": exchangeInstagram, "GET refresh_access_token": refreshInstagram },
};

/** Handles one call to a Graph host. `path` follows the host, with or without a version. */
export async function graph(context: Context, host: GraphHost, path: string, call: Call): Promise<HttpOutcome> {
  try {
    const parts = path.split("/").filter((part, at) => part !== "" && !(at <= 1 && /^v\d+\.\d+$/.test(part)));
    return await route(context, host, parts, call);
  } catch (error) {
    if (error instanceof GraphError) return error.toResponse();
    throw error;
  }
}

async function route(context: Context, host: GraphHost, parts: string[], call: Call): Promise<HttpOutcome> {
  const tokenRoute = tokenRoutes[host][`${call.method} ${parts.join("/")}`];
  if (tokenRoute !== undefined) return tokenRoute(context, call);

  const [node = "", edge, ...more] = parts.map(decodeSegment);
  if (node === "" || more.length > 0) throw refuse.unknownPath();
  const token = authenticate(context, host, call);
  const isSend = call.method === "POST" && edge === "messages";
  const fault = context.faults.consume(isSend ? "send" : "other");
  const faultOutcome = applyCallFault(context, fault);
  if (faultOutcome !== null) return faultOutcome;

  if (call.unreadable) throw refuse.parameter("The body is neither JSON nor a form", host === "instagram");
  const nodeCall = { host, node, token, call };
  if (isSend) return send(context, nodeCall, fault);
  if (edge === "message_attachments" && call.method === "POST") return uploadAttachment(context, nodeCall, fault);
  if (edge === "subscribed_apps") return subscribedApps(context, nodeCall);
  if (edge === "accounts" && call.method === "GET" && node === "me") return pagesOfUser(context, nodeCall);
  if (call.method === "GET") {
    const history = readHistory(context, nodeCall, edge);
    if (history !== null) return history;
  }
  if (edge === undefined && call.method === "GET") return readNode(context, nodeCall);
  throw refuse.unknownNode(call.method, node);
}

function decodeSegment(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw refuse.unknownPath();
  }
}
