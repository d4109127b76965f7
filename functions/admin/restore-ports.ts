import { DescribeTableCommand, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { countAllMessages } from "#base/aws/depths.ts";
import { openFiles } from "#base/aws/files.ts";
import { openQueue } from "#base/aws/queues.ts";
import { setting } from "#base/config/settings.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { RestorePorts } from "#features/recovery/flows/ports.ts";
import { compose } from "../compose.ts";
import {
  accountChecks,
  accounts,
  holds,
  memberships,
  restoredErasures,
  restoredRows,
  restores,
} from "../ports/stores.ts";
import { type RestoreRun, restoredActs } from "./restored-acts.ts";
import { clientSettings, commandHost, type Environment, openClients, tenantPorts } from "./tenant-ports.ts";

/**
 * The time to which a table was restored, null if it is no point-in-time copy, and when DynamoDB answered by its own clock.
 * @throws an error of DynamoDB
 */
export async function readRestorePoint(
  environment: Environment,
): Promise<{ point: Millis | null; answeredAt: Millis }> {
  const { tableService } = clientSettings(environment);
  const command = new DescribeTableCommand({ TableName: setting("table", environment) });
  let date: string | undefined;
  command.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      date = (result.response as { headers?: Record<string, string> }).headers?.date;
      return result;
    },
    { step: "deserialize", priority: "high" },
  );
  const { Table } = await new DynamoDBClient(tableService).send(command);
  return { point: Table?.RestoreSummary?.RestoreDateTime?.getTime() ?? null, answeredAt: Date.parse(date ?? "") };
}

/** What `restore` needs: the table, the journal, and what the flows need whose acts it makes. */
export function restorePorts(
  environment: Environment,
  run: RestoreRun,
  clients = openClients(environment),
): RestorePorts {
  const { s3, sqs } = clients;
  return {
    ...tenantPorts(environment, clients),
    ...compose(commandHost(environment, clients), {
      accounts,
      accountChecks,
      memberships,
      restores,
      restoredRows,
      restoredErasures,
      holds,
    }),
    journalFiles: openFiles(setting("journalBucket", environment), s3),
    inbound: { count: () => countAllMessages(setting("inboundQueueUrl", environment), sqs) },
    accountWork: { send: async (message) => openQueue(setting("accountsQueueUrl", environment), sqs).send(message) },
    acts: restoredActs(environment, run, clients),
  };
}
