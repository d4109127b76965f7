import { RemovalPolicy } from "aws-cdk-lib";
import { AttributeType, BillingMode, type ITable, ProjectionType, Table } from "aws-cdk-lib/aws-dynamodb";
import { type IRole, PolicyStatement } from "aws-cdk-lib/aws-iam";
import { Construct } from "constructs";
import { table as names } from "#base/config/names.ts";
import type { ThroughputCap } from "../config/settings.ts";

type Action =
  | "GetItem"
  | "BatchGetItem"
  | "Query"
  | "PutItem"
  | "UpdateItem"
  | "DeleteItem"
  | "BatchWriteItem"
  | "ConditionCheckItem";
type Conditions = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
type IndexName = (typeof names)["feedIndex" | "idIndex" | "failingIndex"]["name"];

/** The table access of one function. No function scans the table. */
export interface TableAccess {
  readonly actions: readonly Action[];
  /** Writes of rows with certain partition keys only, by the action: beginnings, which end in `#`, and whole keys. */
  readonly writesUnder?: Partial<Readonly<Record<Action, readonly string[]>>>;
  /** The indexes that the function queries. */
  readonly indexes?: readonly IndexName[];
  /** The indexes that it scans. */
  readonly scans?: readonly IndexName[];
}

const stringAttribute = (name: string) => ({ name, type: AttributeType.STRING });

/** DynamoDB's own, and the longest. */
const RECOVERY_DAYS_DEFAULT = 35;

export interface SingleTableProps {
  /** The days of which the table can be restored, 1 to 35. */
  readonly recoveryDays: number;
  /** What the table, and each index, may use in a second. */
  readonly throughputCap: ThroughputCap;
  /** The name of a table to import. `npm run admin -- adopt` gives it what the template cannot. Null: a new table. */
  readonly existing: string | null;
}

/** The single table. It is retained when its stack is deleted. */
export class SingleTable extends Construct {
  readonly table: Pick<ITable, "tableName" | "tableArn" | "metric">;

  constructor(scope: Construct, id: string, props: SingleTableProps) {
    super(scope, id);
    const { existing } = props;
    this.table = existing === null ? this.#newTable(props) : Table.fromTableName(this, "Table", existing);
  }

  #newTable({ recoveryDays, throughputCap: { readUnits, writeUnits } }: SingleTableProps): Table {
    // An index has its own. One with a lower limit of writes than the table would throttle the table.
    const cap = {
      ...(readUnits === null ? {} : { maxReadRequestUnits: readUnits }),
      ...(writeUnits === null ? {} : { maxWriteRequestUnits: writeUnits }),
    };
    const table = new Table(this, "Table", {
      partitionKey: stringAttribute(names.partitionKey),
      sortKey: stringAttribute(names.sortKey),
      timeToLiveAttribute: names.timeToLive,
      billingMode: BillingMode.PAY_PER_REQUEST,
      ...cap,
      pointInTimeRecoverySpecification: {
        pointInTimeRecoveryEnabled: true,
        // The default is left out, so that the property of a deployed table does not change.
        ...(recoveryDays === RECOVERY_DAYS_DEFAULT ? {} : { recoveryPeriodInDays: recoveryDays }),
      },
      deletionProtection: true,
      removalPolicy: RemovalPolicy.RETAIN,
    });
    table.addGlobalSecondaryIndex({
      ...cap,
      indexName: names.feedIndex.name,
      partitionKey: stringAttribute(names.feedIndex.partitionKey),
      sortKey: stringAttribute(names.feedIndex.sortKey),
      projectionType: ProjectionType.ALL,
    });
    table.addGlobalSecondaryIndex({
      ...cap,
      indexName: names.idIndex.name,
      partitionKey: stringAttribute(names.idIndex.partitionKey),
      projectionType: ProjectionType.KEYS_ONLY,
    });
    table.addGlobalSecondaryIndex({
      ...cap,
      indexName: names.failingIndex.name,
      partitionKey: stringAttribute(names.failingIndex.partitionKey),
      sortKey: stringAttribute(names.failingIndex.sortKey),
      projectionType: ProjectionType.INCLUDE,
      nonKeyAttributes: [...names.failingIndex.copies],
    });
    return table;
  }

  /** Grants a role the actions on the table, and Query or Scan on the indexes. */
  allow(role: IRole, { actions, writesUnder = {}, indexes = [], scans = [] }: TableAccess): void {
    const arn = this.table.tableArn;
    const allowOnTable = (sid: string, allowed: readonly Action[], conditions?: Conditions) => {
      const props = { sid, actions: allowed.map((action) => `dynamodb:${action}`), resources: [arn] };
      role.addToPrincipalPolicy(new PolicyStatement(conditions ? { ...props, conditions } : props));
    };
    allowOnTable("Table", actions);
    // Every write names its partition key, and a transaction is judged by each of its parts.
    for (const [action, beginnings] of Object.entries(writesUnder)) {
      const keys = { "dynamodb:LeadingKeys": beginnings.map((each) => (each.endsWith("#") ? `${each}*` : each)) };
      allowOnTable(`Table${action}`, [action as Action], { "ForAllValues:StringLike": keys });
    }
    const allowOnIndexes = (sid: string, action: "Query" | "Scan", names: readonly IndexName[]) => {
      if (names.length === 0) return;
      const resources = names.map((name) => `${arn}/index/${name}`);
      role.addToPrincipalPolicy(new PolicyStatement({ sid, actions: [`dynamodb:${action}`], resources }));
    };
    allowOnIndexes("Indexes", "Query", indexes);
    allowOnIndexes("ScannedIndexes", "Scan", scans);
  }
}
