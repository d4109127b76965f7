import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import type { TenantId } from "../../kernel/tenant.ts";
import type { Table } from "../client.ts";
import { type ApiKeyItem, type ListedKey, listKey, toListedKey } from "./api-key-items.ts";

/**
 * The keys of a tenant, or the operator keys for null, oldest first, also revoked ones. Consistent: a key that is missed
 * would keep its access.
 */
export async function readKeyList(
  { client, name: TableName }: Table,
  owner: TenantId | null,
): Promise<readonly ListedKey[]> {
  const { PK, SK } = listKey(owner, "");
  const keys: ListedKey[] = [];
  let ExclusiveStartKey: Record<string, unknown> | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await client.send(
      new QueryCommand({
        TableName,
        KeyConditionExpression: "PK = :list AND begins_with(SK, :keys)",
        ExpressionAttributeValues: { ":list": PK, ":keys": SK },
        ConsistentRead: true,
        ExclusiveStartKey,
      }),
    );
    keys.push(...(Items as ApiKeyItem[]).map(toListedKey));
    ExclusiveStartKey = LastEvaluatedKey;
  } while (ExclusiveStartKey);
  return keys;
}
