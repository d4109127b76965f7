import type { Construct } from "constructs";
import { env, table as names } from "#base/config/names.ts";
import { NodeFunction } from "../constructs/node-function.ts";
import { allowReading } from "../constructs/service-secrets.ts";
import {
  type FunctionContext,
  journalVariables,
  keyVariables,
  limitVariables,
  platformVariables,
  queueVariables,
  rootSecretVariables,
  tableVariables,
  uploadBucketVariables,
} from "./function-context.ts";

/** The HTTP API. */
export function createApi(scope: Construct, context: FunctionContext): NodeFunction {
  const { data, queues, settings, code } = context;
  const api = new NodeFunction(scope, "Api", {
    description: "Parley: the HTTP API",
    code: code("Api"),
    memoryMegabytes: 512,
    ...(settings.apiReservedConcurrency === null ? {} : { reservedConcurrency: settings.apiReservedConcurrency }),
    environment: {
      ...tableVariables(context),
      ...journalVariables(context),
      ...keyVariables(context),
      ...queueVariables(context, "Accounts", "Events", "Deliveries", "Erasures", "Realtime", "Uploads"),
      ...uploadBucketVariables(context),
      ...rootSecretVariables(context),
      ...platformVariables(context),
      ...limitVariables(context, "requestsPerTenantPerMinute"),
      ...(settings.siteUrl === null ? {} : { [env.siteUrl]: settings.siteUrl }),
    },
  });
  data.table.allow(api.functionRole, {
    actions: [
      "GetItem",
      "BatchGetItem",
      "Query",
      "PutItem",
      "UpdateItem",
      "DeleteItem",
      "BatchWriteItem",
      // The transactions that create a hold or an upload check that the conversation exists, and one that publishes a
      // failed send that the record does.
      "ConditionCheckItem",
    ],
    indexes: [names.feedIndex.name, names.idIndex.name, names.failingIndex.name],
  });
  data.key.allowEncrypt(api.functionRole, "webhook-secret");
  data.key.allowDecrypt(api.functionRole, "account-token");
  for (const name of ["Accounts", "Events", "Deliveries", "Erasures", "Realtime", "Uploads"] as const)
    queues[name].allowSending(api.functionRole);
  // A form that a client posts acts as the role that signed it. An erasure deletes the files of uploads.
  data.uploads.allow(api.functionRole, "u/", "GetObject", "PutObject", "DeleteObject");
  data.uploads.allow(api.functionRole, "h/", "PutObject", "DeleteObject");
  // Without it, S3 answers that a file which was not posted yet is forbidden.
  data.uploads.allowListing(api.functionRole);
  data.journal.allow(api.functionRole, "acts/", "PutObject");
  allowReading(data.secrets.root, api.functionRole);
  allowReading(data.secrets.platforms, api.functionRole);
  return api;
}
