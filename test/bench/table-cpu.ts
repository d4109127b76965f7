import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { DynamoDBClient as LeanClient, UpdateCommand as LeanUpdateCommand } from "#base/aws/lean/dynamodb.ts";
import { requestOptions, requestTimeouts } from "#base/config/request-times.ts";
import { type CpuComparison, compareCpu, withReceiver } from "./cpu-ratio.ts";

const input = {
  TableName: "table",
  Key: {
    PK: "T#01KJW8Z0000000000000000000#CONV#instagram#17841400000000000#1234567890",
    SK: "M#01KJW8Z0000000000000000000",
  },
  UpdateExpression: "SET t = :t, dir = :dir, txt = :txt, att = :att ADD n :n",
  ConditionExpression: "attribute_not_exists(PK)",
  ExpressionAttributeValues: {
    ":t": 1_764_400_000_000,
    ":dir": "in",
    ":txt": "x".repeat(300),
    ":att": [{ type: "image", url: `https://cdn.example.com/${"y".repeat(120)}`, size: 12_345 }],
    ":n": 1,
  },
  ReturnValuesOnConditionCheckFailure: "ALL_OLD" as const,
};

/** CPU of a conditional write of a message by the lean client against the same write by the SDK's document client. */
export function measureTableCpu(): Promise<CpuComparison> {
  return withReceiver(async (port) => {
    const options = {
      endpoint: `http://127.0.0.1:${port}`,
      region: "us-east-1",
      credentials: { accessKeyId: "local", secretAccessKey: "local" },
      ...requestOptions(requestTimeouts.table),
    };
    const lean = new LeanClient(options);
    const sdk = DynamoDBDocumentClient.from(new DynamoDBClient(options));
    try {
      return await compareCpu(
        () => lean.send(new LeanUpdateCommand(input)),
        () => sdk.send(new UpdateCommand(input)),
      );
    } finally {
      sdk.destroy();
    }
  });
}
