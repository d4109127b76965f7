import type { Construct } from "constructs";
import { NodeFunction } from "../constructs/node-function.ts";
import { type FunctionContext, queueVariables, tableVariables } from "./function-context.ts";

/** The routes of the WebSocket API: handshakes, frames of clients and ends of connections. */
export function createSocket(scope: Construct, context: FunctionContext): NodeFunction {
  const { data, queues, code } = context;
  const socket = new NodeFunction(scope, "Socket", {
    description: "Parley: opens and closes the sockets of the realtime stream",
    code: code("Socket"),
    memoryMegabytes: 256,
    environment: { ...tableVariables(context), ...queueVariables(context, "Realtime") },
  });
  data.table.allow(socket.functionRole, {
    actions: ["GetItem", "Query", "PutItem", "UpdateItem", "DeleteItem", "ConditionCheckItem"],
  });
  queues.Realtime.allowSending(socket.functionRole);
  return socket;
}
