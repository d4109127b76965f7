import type { Construct } from "constructs";
import { env } from "#base/config/names.ts";
import { NodeFunction } from "../constructs/node-function.ts";
import { allowReading } from "../constructs/service-secrets.ts";
import {
  type FunctionContext,
  journalVariables,
  keyVariables,
  limitVariables,
  loginVariables,
  platformVariables,
  queueVariables,
  rootSecretVariables,
  tableVariables,
} from "./function-context.ts";

/** The platforms' logins, by which a person connects accounts, and the platforms' own callbacks. */
export function createConnect(scope: Construct, context: FunctionContext): NodeFunction {
  const { data, queues, code } = context;
  const connect = new NodeFunction(scope, "Connect", {
    description: "Parley: connects accounts by the platforms' logins",
    code: code("Connect"),
    memoryMegabytes: 256,
    environment: {
      ...tableVariables(context),
      ...journalVariables(context),
      ...keyVariables(context),
      ...queueVariables(context, "Accounts", "Events"),
      ...rootSecretVariables(context),
      ...platformVariables(context),
      ...loginVariables(context),
      ...limitVariables(context, "requestsPerTenantPerMinute"),
      [env.accountsPerTenant]: String(context.settings.accountsPerTenant),
    },
  });
  data.table.allow(connect.functionRole, {
    // In batches, the names of a workspace and of who invited a person to it, for the page that asks before a login.
    actions: ["GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem", "DeleteItem", "ConditionCheckItem"],
  });
  // It opens the token of an account that a new connection replaces, to end its subscription.
  data.key.allowEncrypt(connect.functionRole, "account-token", "login-choice");
  data.key.allowDecrypt(connect.functionRole, "account-token", "login-choice");
  queues.Accounts.allowSending(connect.functionRole);
  queues.Events.allowSending(connect.functionRole);
  data.journal.allow(connect.functionRole, "acts/", "PutObject");
  allowReading(data.secrets.root, connect.functionRole);
  // Logins exchange codes with them, and the platforms sign with them what they request about a person.
  allowReading(data.secrets.platforms, connect.functionRole);
  return connect;
}
