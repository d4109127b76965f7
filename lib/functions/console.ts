import type { Construct } from "constructs";
import { NodeFunction } from "../constructs/node-function.ts";
import { allowReading } from "../constructs/service-secrets.ts";
import { type FunctionContext, queueVariables, rootSecretVariables, tableVariables } from "./function-context.ts";

/** The console's routes, and the page on which a person requests a sign-in link. */
export function createConsole(scope: Construct, context: FunctionContext): NodeFunction {
  const { data, queues, code } = context;
  const consoleFunction = new NodeFunction(scope, "Console", {
    description: "Parley: signs people in to the console",
    code: code("Console"),
    memoryMegabytes: 256,
    environment: {
      ...tableVariables(context),
      ...queueVariables(context, "Mails"),
      ...rootSecretVariables(context),
    },
  });
  data.table.allow(consoleFunction.functionRole, {
    actions: ["GetItem", "Query", "PutItem", "UpdateItem", "DeleteItem", "ConditionCheckItem"],
  });
  queues.Mails.allowSending(consoleFunction.functionRole);
  allowReading(data.secrets.root, consoleFunction.functionRole);
  return consoleFunction;
}
