import type { Context, NodeCall } from "../calls/context.ts";
import type { HttpOutcome } from "../http/http-server.ts";
import { findConversation, listConversations, listMessages, readConversation, readMessage } from "./conversations.ts";

/** A read of threads or messages, which has a limit of its own; null for any other call. Throws a Graph error. */
export function readHistory(context: Context, nodeCall: NodeCall, edge: string | undefined): HttpOutcome | null {
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
