import {
  type AttributeDefinition,
  CreateTableCommand,
  DescribeTableCommand,
  type GlobalSecondaryIndex,
  type KeySchemaElement,
  type TableDescription,
  waitUntilTableExists,
} from "@aws-sdk/client-dynamodb";
import { LocalRefusal } from "../support/local-refusal.ts";
import type { Identity } from "../template/intrinsics.ts";
import { describeResource, type StackResource } from "../template/template.ts";
import { buildArn, type ProvisionContext, physicalName } from "./provision-context.ts";

interface TableProperties {
  readonly TableName?: string;
  readonly AttributeDefinitions?: AttributeDefinition[];
  readonly KeySchema?: KeySchemaElement[];
  readonly GlobalSecondaryIndexes?: GlobalSecondaryIndex[];
  readonly LocalSecondaryIndexes?: unknown;
  readonly StreamSpecification?: unknown;
}

/**
 * Creates the table with the template's keys and indexes. Time to live stays off, because an engine deletes by real time
 * and the stack's clock may be ahead. Every reader checks expiry itself.
 */
export async function provisionTable(
  stackResource: StackResource,
  properties: TableProperties,
  context: ProvisionContext,
): Promise<Identity> {
  if (properties.LocalSecondaryIndexes || properties.StreamSpecification) {
    throw new LocalRefusal(
      `The local stack makes neither streams nor local indexes, which ${describeResource(stackResource)} has.`,
    );
  }
  const { dynamodb } = context.clients;
  const name = properties.TableName ?? physicalName(stackResource);
  const indexes = properties.GlobalSecondaryIndexes ?? [];
  const command = new CreateTableCommand({
    TableName: name,
    BillingMode: "PAY_PER_REQUEST",
    AttributeDefinitions: properties.AttributeDefinitions,
    KeySchema: properties.KeySchema,
    ...(indexes.length === 0
      ? {}
      : {
          GlobalSecondaryIndexes: indexes.map(({ IndexName, KeySchema, Projection }) => ({
            IndexName,
            KeySchema,
            Projection,
          })),
        }),
  });
  await dynamodb.send(command).catch((error: Error) => {
    if (error.name !== "ResourceInUseException") throw error;
  });
  await waitUntilTableExists({ client: dynamodb, maxWaitTime: 20, minDelay: 0.05, maxDelay: 1 }, { TableName: name });
  const { Table } = await dynamodb.send(new DescribeTableCommand({ TableName: name }));
  if (!Table || describeSchema(Table) !== describeSchema(properties)) {
    throw new LocalRefusal(
      `The keys or indexes of ${describeResource(stackResource)} have changed. Start with --fresh to recreate the table.`,
    );
  }
  return { ref: name, attributes: { Arn: Table.TableArn ?? buildArn("dynamodb", `table/${name}`) } };
}

/** Keys, indexes and what they hold, in one comparable text. */
function describeSchema({ KeySchema, GlobalSecondaryIndexes = [] }: TableProperties | TableDescription): string {
  const keys = (schema: KeySchemaElement[] = []) => schema.map((key) => `${key.KeyType} ${key.AttributeName}`).sort();
  const indexes = GlobalSecondaryIndexes.map((index) => {
    const { ProjectionType, NonKeyAttributes = [] } = index.Projection ?? {};
    return [index.IndexName, ...keys(index.KeySchema), ProjectionType, ...[...NonKeyAttributes].sort()].join(" ");
  });
  return JSON.stringify([keys(KeySchema), indexes.sort()]);
}
