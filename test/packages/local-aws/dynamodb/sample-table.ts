import type { TableDefinition } from "../../../support/engine/engine.ts";

const key = (AttributeName: string, KeyType: "HASH" | "RANGE") => ({ AttributeName, KeyType });
const attributes = ["PK", "SK", "F", "G", "i", "W"];

/** A table with an index of each kind: whole items, keys only, and one more attribute beside the keys. */
export const sampleTable = {
  AttributeDefinitions: attributes.map((AttributeName) => ({ AttributeName, AttributeType: "S" })),
  KeySchema: [key("PK", "HASH"), key("SK", "RANGE")],
  GlobalSecondaryIndexes: [
    {
      IndexName: "GS1",
      KeySchema: [key("F", "HASH"), key("G", "RANGE")],
      Projection: { ProjectionType: "ALL" },
    },
    { IndexName: "GS2", KeySchema: [key("i", "HASH")], Projection: { ProjectionType: "KEYS_ONLY" } },
    {
      IndexName: "GS3",
      KeySchema: [key("W", "HASH"), key("SK", "RANGE")],
      Projection: { ProjectionType: "INCLUDE", NonKeyAttributes: ["st"] },
    },
  ],
} satisfies TableDefinition;
