import type { AttributeDefinition, GlobalSecondaryIndex, KeySchemaElement } from "@aws-sdk/client-dynamodb";
import { table } from "#base/config/names.ts";

interface TableDefinition {
  readonly AttributeDefinitions: AttributeDefinition[];
  readonly KeySchema: KeySchemaElement[];
  readonly GlobalSecondaryIndexes: GlobalSecondaryIndex[];
}

/** The keys and indexes of the service's table, as CreateTable takes and DescribeTable returns them. */
export function tableDefinition(): TableDefinition {
  const { feedIndex, idIndex, failingIndex } = table;
  const names = [
    table.partitionKey,
    table.sortKey,
    feedIndex.partitionKey,
    feedIndex.sortKey,
    idIndex.partitionKey,
    failingIndex.partitionKey,
  ];
  return {
    AttributeDefinitions: names.map((AttributeName) => ({ AttributeName, AttributeType: "S" })),
    KeySchema: keySchema(table.partitionKey, table.sortKey),
    GlobalSecondaryIndexes: [
      {
        IndexName: feedIndex.name,
        KeySchema: keySchema(feedIndex.partitionKey, feedIndex.sortKey),
        Projection: { ProjectionType: "ALL" },
      },
      {
        IndexName: idIndex.name,
        KeySchema: keySchema(idIndex.partitionKey),
        Projection: { ProjectionType: "KEYS_ONLY" },
      },
      {
        IndexName: failingIndex.name,
        KeySchema: keySchema(failingIndex.partitionKey, failingIndex.sortKey),
        Projection: { ProjectionType: "INCLUDE", NonKeyAttributes: [...failingIndex.copies] },
      },
    ],
  };
}

function keySchema(partitionKey: string, sortKey?: string): KeySchemaElement[] {
  const partition: KeySchemaElement = { AttributeName: partitionKey, KeyType: "HASH" };
  return sortKey === undefined ? [partition] : [partition, { AttributeName: sortKey, KeyType: "RANGE" }];
}
