import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  GetItemCommand,
  type TableDescription,
} from "@aws-sdk/client-dynamodb";
import { table as names } from "#base/config/names.ts";
import { setting } from "#base/config/settings.ts";
import { restoreAttributes } from "#features/recovery/store/attributes.ts";
import { restoreKey } from "#features/recovery/store/items.ts";
import { type DoctorContext, notDeployed, stageContext } from "../context.ts";
import { call, isError } from "../run-checks.ts";
import { blocking, ok, type Verdict, warning, worst } from "../verdict.ts";

/** The keys, the indexes and the protections of the table. */
export async function checkTable(context: DoctorContext): Promise<Verdict> {
  const { isLocal, environment, tableService } = context;
  if (environment === null) return notDeployed(context);
  const TableName = setting("table", environment);
  const client = new DynamoDBClient(tableService);
  const read = async (): Promise<Verdict[]> => {
    const request = client.send(new DescribeTableCommand({ TableName }));
    const { Table } = await call("dynamodb:DescribeTable", request);
    const indexes = checkIndexes(Table, context);
    // A table with other keys has no such row.
    const isOwn = indexes.every(({ status }) => status === "ok");
    if (isOwn) indexes.push(await checkRestore(client, TableName, context));
    if (isLocal) return indexes;
    const settings = [checkTimeToLive(client, TableName), checkRecovery(client, TableName)];
    return [...indexes, checkProtection(Table, TableName), ...(await Promise.all(settings))];
  };
  try {
    const rest = isLocal ? "The local stack has no recovery and no protection" : "Recovery and protection are on";
    return worst(await read(), `The table has its keys and indexes. ${rest}.`);
  } catch (error) {
    if (!isError(error, "ResourceNotFoundException", "TableNotFoundException")) throw error;
    return blocking(`The table ${TableName} does not exist.`, "Check the account and the region of your credentials.");
  }
}

function checkIndexes(table: TableDescription | undefined, context: DoctorContext): Verdict[] {
  const keysOf = (schema: TableDescription["KeySchema"]) => (schema ?? []).map(({ AttributeName }) => AttributeName);
  const { feedIndex, idIndex, failingIndex } = names;
  const expected = [
    { name: feedIndex.name, keys: [feedIndex.partitionKey, feedIndex.sortKey] },
    { name: idIndex.name, keys: [idIndex.partitionKey] },
    { name: failingIndex.name, keys: [failingIndex.partitionKey, failingIndex.sortKey] },
  ];
  const hasOwnKeys = keysOf(table?.KeySchema).join() === [names.partitionKey, names.sortKey].join();
  const isActive = table?.TableStatus === "ACTIVE" || table?.TableStatus === "UPDATING";
  return [
    hasOwnKeys ? ok("") : blocking("The table has other keys than Parley's.", "Use the table that ParleyData created."),
    isActive ? ok("") : blocking(`The table is not active (${table?.TableStatus}).`, "Wait, then try again."),
    ...expected.map(({ name, keys }) => {
      const index = table?.GlobalSecondaryIndexes?.find(({ IndexName }) => IndexName === name);
      if (index === undefined || keysOf(index.KeySchema).join() !== keys.join()) {
        return blocking(
          `The table has no index ${name} of ${keys.join(" and ")}.`,
          `Run npx cdk deploy --all${stageContext(context)}.`,
        );
      }
      if (index.IndexStatus === "ACTIVE") return ok("");
      return blocking(`The index ${name} is not active (${index.IndexStatus}).`, "Wait until it is, then try again.");
    }),
  ];
}

/** While a restore is not over, nothing is sent. */
async function checkRestore(client: DynamoDBClient, TableName: string, context: DoctorContext): Promise<Verdict> {
  const Key = { [names.partitionKey]: { S: restoreKey.PK }, [names.sortKey]: { S: restoreKey.SK } };
  const request = client.send(new GetItemCommand({ TableName, Key, ConsistentRead: true }));
  const { Item } = await call("dynamodb:GetItem", request);
  if (Item === undefined || Item[restoreAttributes.endedAt] !== undefined) return ok("");
  const stage = context.stage === null ? "" : ` --stage ${context.stage.name}`;
  return blocking(
    "A restore of the table is not over, so that nothing is sent.",
    `Run npm run admin -- restore${stage}.`,
  );
}

async function checkTimeToLive(client: DynamoDBClient, TableName: string): Promise<Verdict> {
  const request = client.send(new DescribeTimeToLiveCommand({ TableName }));
  const { TimeToLiveDescription: ttl } = await call("dynamodb:DescribeTimeToLive", request);
  if (ttl?.TimeToLiveStatus?.startsWith("ENABL") && ttl.AttributeName === names.timeToLive) return ok("");
  return warning(
    "The time to live of the table is off, so that nothing that ended is removed.",
    `Run aws dynamodb update-time-to-live --table-name ${TableName} --time-to-live-specification Enabled=true,AttributeName=${names.timeToLive}.`,
  );
}

function checkProtection(table: TableDescription | undefined, name: string): Verdict {
  if (table?.DeletionProtectionEnabled) return ok("");
  return warning(
    "The deletion protection of the table is off.",
    `Run aws dynamodb update-table --table-name ${name} --deletion-protection-enabled.`,
  );
}

async function checkRecovery(client: DynamoDBClient, TableName: string): Promise<Verdict> {
  const request = client.send(new DescribeContinuousBackupsCommand({ TableName }));
  const { ContinuousBackupsDescription } = await call("dynamodb:DescribeContinuousBackups", request);
  const status = ContinuousBackupsDescription?.PointInTimeRecoveryDescription?.PointInTimeRecoveryStatus;
  if (status === "ENABLED") return ok("");
  return warning(
    "The point-in-time recovery of the table is off.",
    `Run aws dynamodb update-continuous-backups --table-name ${TableName} --point-in-time-recovery-specification PointInTimeRecoveryEnabled=true.`,
  );
}
