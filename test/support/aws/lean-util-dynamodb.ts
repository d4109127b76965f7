import { unmarshall as readItem } from "#base/aws/lean/dynamodb.ts";

// The SDK's package with the lean function: for runs of the tests with PARLEY_AWS_CLIENT=lean.

// The package itself: its name is the name of this file.
// @ts-expect-error: the types are those of the package
export * from "../../../node_modules/@aws-sdk/util-dynamodb/dist-cjs/index.js";

/** Of a copy: the lean function changes the item, and a table in the process still has it. */
export const unmarshall = (item: object) => readItem(structuredClone(item));
