import type { Construct } from "constructs";
import { env } from "#base/config/names.ts";
import { operatorLimitNames } from "#base/config/operator-limits.ts";
import { NodeFunction } from "../constructs/node-function.ts";
import { allowReading } from "../constructs/service-secrets.ts";
import {
  type FunctionContext,
  journalVariables,
  limitVariables,
  queueVariables,
  rootSecretVariables,
  tableVariables,
} from "./function-context.ts";

/** The console's routes: sign-in, team, invites and tenants, and the pages around a sign-in. */
export function createConsole(scope: Construct, context: FunctionContext): NodeFunction {
  const { data, queues, settings, code } = context;
  const consoleFunction = new NodeFunction(scope, "Console", {
    description: "Parley: signs people in to the console and manages their teams",
    code: code("Console"),
    memoryMegabytes: 256,
    environment: {
      ...tableVariables(context),
      ...journalVariables(context),
      ...queueVariables(context, "Mails", "Realtime"),
      ...rootSecretVariables(context),
      [env.signUp]: settings.signUp,
      ...limitVariables(context, ...operatorLimitNames),
    },
  });
  data.table.allow(consoleFunction.functionRole, {
    actions: ["GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem", "DeleteItem", "ConditionCheckItem"],
  });
  queues.Mails.allowSending(consoleFunction.functionRole);
  // The sockets of a person who signed out or left a team are closed.
  queues.Realtime.allowSending(consoleFunction.functionRole);
  data.journal.allow(consoleFunction.functionRole, "acts/", "PutObject");
  allowReading(data.secrets.root, consoleFunction.functionRole);
  return consoleFunction;
}
