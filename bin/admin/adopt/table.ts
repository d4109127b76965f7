import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  type DynamoDBClient,
  GetItemCommand,
  type GlobalSecondaryIndexDescription,
  type KeySchemaElement,
  type TableDescription,
  UpdateContinuousBackupsCommand,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from "@aws-sdk/client-dynamodb";
import { table as names } from "#base/config/names.ts";
import type { Millis } from "#base/kernel/time.ts";
import { restoreAttributes } from "#features/recovery/store/attributes.ts";
import { restoreKey } from "#features/recovery/store/items.ts";
import type { ThroughputCap } from "../../../lib/config/settings.ts";
import { call, isError } from "../aws/calls.ts";
import { type Lack, Misfit } from "./resource.ts";

export interface TableRequirements {
  /** 12 digits. */
  readonly account: string;
  readonly recoveryDays: number;
  /** What the table, and each index, may use in a second. Absent: the caps are not compared. */
  readonly throughputCap?: ThroughputCap;
}

/** DynamoDB's own, and the longest. */
const RECOVERY_DAYS_DEFAULT = 35;
const RESTORE = "Restore the table from Parley's again, with all indexes and the settings of the source";

/**
 * What a table lacks that has the keys and the indexes of Parley's: a copy has no time to live, no recovery and no protection.
 * @throws Misfit for another table
 */
export async function inspectTable(
  client: DynamoDBClient,
  TableName: string,
  { account, recoveryDays, throughputCap }: TableRequirements,
): Promise<Lack[]> {
  const table = await describeTable(client, TableName);
  if (table.TableArn?.split(":")[4] !== account) {
    throw new Misfit(`it is not in account ${account}. Use credentials of ${account}.`);
  }
  if (table.TableStatus !== "ACTIVE" && table.TableStatus !== "UPDATING") {
    throw new Misfit(`it is not active (${table.TableStatus}). Wait until it is, then try again.`);
  }
  requireKeys(table);
  requireIndexes(table.GlobalSecondaryIndexes ?? []);
  if ((table.LocalSecondaryIndexes ?? []).length > 0) {
    throw new Misfit("it has local indexes, which Parley's has not. Name a copy of Parley's table.");
  }
  if (table.BillingModeSummary?.BillingMode !== "PAY_PER_REQUEST") {
    throw new Misfit(
      `it has provisioned capacity. Run aws dynamodb update-table --table-name ${TableName} --billing-mode PAY_PER_REQUEST.`,
    );
  }
  if (table.SSEDescription?.SSEType === "KMS") {
    throw new Misfit(`it is encrypted with a key that no function may use. ${RESTORE}.`);
  }
  const restoredTo = table.RestoreSummary?.RestoreDateTime;
  if (restoredTo && !(await isPrepared(client, TableName, restoredTo.getTime()))) {
    throw new Misfit(`it is a copy that was not prepared. Run npm run admin -- restore --table ${TableName} first.`);
  }
  return [
    ...(await lackOfTimeToLive(client, TableName)),
    ...(await lackOfRecovery(client, TableName, recoveryDays)),
    ...(table.DeletionProtectionEnabled
      ? []
      : [
          {
            name: "deletion protection",
            set: () => {
              const command = new UpdateTableCommand({ TableName, DeletionProtectionEnabled: true });
              return call("dynamodb:UpdateTable", client.send(command));
            },
          },
        ]),
    ...(throughputCap === undefined ? [] : lackOfCap(client, table, throughputCap)),
  ];
}

/**
 * Whether a restore from this time has started: without it, what was erased, revoked and sent since would count as never done.
 * The row of an earlier restore was copied with the table.
 */
async function isPrepared(client: DynamoDBClient, TableName: string, from: Millis): Promise<boolean> {
  const Key = { [names.partitionKey]: { S: restoreKey.PK }, [names.sortKey]: { S: restoreKey.SK } };
  const command = new GetItemCommand({ TableName, Key, ConsistentRead: true });
  const { Item } = await call("dynamodb:GetItem", client.send(command));
  return Number(Item?.[restoreAttributes.from]?.N) === from;
}

/** Reads whether a table has the keys and the indexes of Parley's. @throws Misfit for another table */
export async function requireTableForm(client: DynamoDBClient, TableName: string): Promise<void> {
  const table = await describeTable(client, TableName);
  requireKeys(table);
  requireIndexes(table.GlobalSecondaryIndexes ?? []);
}

async function describeTable(client: DynamoDBClient, TableName: string): Promise<TableDescription> {
  try {
    const request = client.send(new DescribeTableCommand({ TableName }));
    return (await call("dynamodb:DescribeTable", request)).Table ?? {};
  } catch (error) {
    if (!isError(error, "ResourceNotFoundException", "TableNotFoundException")) throw error;
    throw new Misfit("it does not exist. Check the setting, and the account and region of your credentials.");
  }
}

const describeKeys = (schema: readonly KeySchemaElement[] = []) =>
  schema.map(({ KeyType, AttributeName }) => `${KeyType} ${AttributeName}`).join();

function requireKeys({ KeySchema, AttributeDefinitions = [] }: TableDescription): void {
  const hasKeys = describeKeys(KeySchema) === `HASH ${names.partitionKey},RANGE ${names.sortKey}`;
  // Keys of indexes too.
  const areTexts = AttributeDefinitions.every(({ AttributeType }) => AttributeType === "S");
  if (!hasKeys || !areTexts) throw new Misfit("it has other keys than Parley's. Name a copy of Parley's table.");
}

/** The indexes with their keys and what they hold. */
const INDEXES: ReadonlyMap<string, string> = new Map([
  [names.feedIndex.name, `HASH ${names.feedIndex.partitionKey},RANGE ${names.feedIndex.sortKey} ALL`],
  [names.idIndex.name, `HASH ${names.idIndex.partitionKey} KEYS_ONLY`],
  [
    names.failingIndex.name,
    `HASH ${names.failingIndex.partitionKey},RANGE ${names.failingIndex.sortKey} INCLUDE ${names.failingIndex.copies.join()}`,
  ],
]);

function describeIndex({ KeySchema, Projection }: GlobalSecondaryIndexDescription): string {
  const { ProjectionType, NonKeyAttributes = [] } = Projection ?? {};
  return [
    describeKeys(KeySchema),
    ProjectionType,
    ...(NonKeyAttributes.length > 0 ? [NonKeyAttributes.join()] : []),
  ].join(" ");
}

function requireIndexes(indexes: readonly GlobalSecondaryIndexDescription[]): void {
  for (const [name, description] of INDEXES) {
    const index = indexes.find(({ IndexName }) => IndexName === name);
    if (index === undefined) throw new Misfit(`it has no index ${name}. ${RESTORE}.`);
    if (describeIndex(index) !== description) {
      throw new Misfit(`its index ${name} has other keys or attributes than Parley's. Name a copy of Parley's table.`);
    }
    if (index.IndexStatus !== "ACTIVE") {
      throw new Misfit(`its index ${name} is not active (${index.IndexStatus}). Wait until it is, then try again.`);
    }
  }
  const other = indexes.find(({ IndexName = "" }) => !INDEXES.has(IndexName));
  if (other !== undefined) {
    throw new Misfit(`it has an index ${other.IndexName}, which Parley's has not. Name a copy of Parley's table.`);
  }
}

async function lackOfTimeToLive(client: DynamoDBClient, TableName: string): Promise<Lack[]> {
  const request = client.send(new DescribeTimeToLiveCommand({ TableName }));
  const { TimeToLiveDescription: description } = await call("dynamodb:DescribeTimeToLive", request);
  const status = description?.TimeToLiveStatus ?? "DISABLED";
  const AttributeName = names.timeToLive;
  if (status === "DISABLING" || (status !== "DISABLED" && description?.AttributeName !== AttributeName)) {
    throw new Misfit(
      `its time to live is ${status} with the attribute ${description?.AttributeName}. Turn it off, wait an hour, then try again.`,
    );
  }
  if (status !== "DISABLED") return [];
  const set = () => {
    const TimeToLiveSpecification = { Enabled: true, AttributeName };
    const command = new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification });
    return call("dynamodb:UpdateTimeToLive", client.send(command));
  };
  return [{ name: "time to live", set }];
}

async function lackOfRecovery(client: DynamoDBClient, TableName: string, days: number): Promise<Lack[]> {
  const request = client.send(new DescribeContinuousBackupsCommand({ TableName }));
  const { ContinuousBackupsDescription } = await call("dynamodb:DescribeContinuousBackups", request);
  const recovery = ContinuousBackupsDescription?.PointInTimeRecoveryDescription;
  const hasDays = (recovery?.RecoveryPeriodInDays ?? RECOVERY_DAYS_DEFAULT) === days;
  if (recovery?.PointInTimeRecoveryStatus === "ENABLED" && hasDays) return [];
  const set = () => {
    const PointInTimeRecoverySpecification = { PointInTimeRecoveryEnabled: true, RecoveryPeriodInDays: days };
    const command = new UpdateContinuousBackupsCommand({ TableName, PointInTimeRecoverySpecification });
    return call("dynamodb:UpdateContinuousBackups", client.send(command));
  };
  return [{ name: `point-in-time recovery of ${days} days`, set }];
}

/** How AWS describes the absence of a limit that there was. */
const NO_LIMIT = -1;
/** In seconds. */
const UPDATE_WAIT = { maxWaitTime: 300, minDelay: 1, maxDelay: 5 };

/** An index has a cap of its own. One with a lower limit of writes than the table would throttle the table. */
function lackOfCap(client: DynamoDBClient, table: TableDescription, cap: ThroughputCap): Lack[] {
  const { TableName = "", GlobalSecondaryIndexes = [] } = table;
  const required = { MaxReadRequestUnits: cap.readUnits ?? NO_LIMIT, MaxWriteRequestUnits: cap.writeUnits ?? NO_LIMIT };
  const isRequired = ({ OnDemandThroughput: { MaxReadRequestUnits, MaxWriteRequestUnits } = {} }: TableDescription) =>
    (MaxReadRequestUnits ?? NO_LIMIT) === required.MaxReadRequestUnits &&
    (MaxWriteRequestUnits ?? NO_LIMIT) === required.MaxWriteRequestUnits;
  const indexes = GlobalSecondaryIndexes.filter((index) => !isRequired(index));
  if (isRequired(table) && indexes.length === 0) return [];
  const set = async () => {
    // An update before this one may still be in progress, and a table has one at a time.
    await call("dynamodb:DescribeTable", waitUntilTableExists({ client, ...UPDATE_WAIT }, { TableName }));
    const command = new UpdateTableCommand({
      TableName,
      ...(isRequired(table) ? {} : { OnDemandThroughput: required }),
      ...(indexes.length === 0
        ? {}
        : {
            GlobalSecondaryIndexUpdates: indexes.map(({ IndexName }) => ({
              Update: { IndexName, OnDemandThroughput: required },
            })),
          }),
    });
    await call("dynamodb:UpdateTable", client.send(command));
  };
  const limit = (units: number | null) => (units === null ? "no limit" : String(units));
  const name = `throughput cap (read units: ${limit(cap.readUnits)}, write units: ${limit(cap.writeUnits)})`;
  return [{ name, set }];
}
