import { ScanCommand } from "@aws-sdk/lib-dynamodb";
import { parseTenant, type TenantId } from "#base/kernel/tenant.ts";
import type { Table } from "#base/table/client.ts";
import type { Key } from "#base/table/keys.ts";
import {
  apiKeyAttributes as ApiKeyRow,
  inviteAttributes as InviteRow,
  userAttributes as UserRow,
} from "./attributes.ts";
import {
  type ApiKeyItem,
  apiKeyItemKey,
  boundTenant,
  inviteKey,
  type ListedKey,
  toListedKey,
  userKey,
} from "./items.ts";

/** A row whose item key, or that of a row beside it, depends on the root secret. */
export type RotationRow =
  | { readonly kind: "key"; readonly key: ListedKey; readonly tenant: TenantId | null }
  | { readonly kind: "user"; readonly email: string }
  | { readonly kind: "invite"; readonly tenant: TenantId; readonly email: string };

/** Reads the pages of the table in order. It is the only way to the keys of all tenants and to all users. */
export async function* scanRotationRows({ client, name: TableName }: Table): AsyncGenerator<RotationRow> {
  const user = userKey("");
  let ExclusiveStartKey: Record<string, unknown> | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await client.send(
      new ScanCommand({
        TableName,
        FilterExpression:
          "begins_with(SK, :key) OR begins_with(SK, :invite) OR (begins_with(PK, :user) AND SK = :profile)",
        ExpressionAttributeValues: {
          ":key": KEY_START,
          ":invite": INVITE_START,
          ":user": user.PK,
          ":profile": user.SK,
        },
        ExclusiveStartKey,
      }),
    );
    for (const item of Items as Item[]) {
      const row = toRotationRow(item);
      if (row) yield row;
    }
    ExclusiveStartKey = LastEvaluatedKey;
  } while (ExclusiveStartKey);
}

type Item = Key & Readonly<Record<string, unknown>>;

const ANY_TENANT = "" as TenantId;
const KEY_START = apiKeyItemKey(ANY_TENANT, "").SK;
const INVITE_START = inviteKey(ANY_TENANT, "").SK;

/** Null for a key that is revoked, and an invite that is not pending. */
function toRotationRow(item: Item): RotationRow | null {
  if (item.SK.startsWith(KEY_START)) {
    if (item[ApiKeyRow.status] !== "active" || item[ApiKeyRow.hash] === undefined) return null;
    const key = toListedKey(item as unknown as ApiKeyItem);
    return { kind: "key", key, tenant: boundTenant(key) };
  }
  if (item.SK.startsWith(INVITE_START)) {
    const tenant = parseTenant(item.PK.slice(inviteKey(ANY_TENANT, "").PK.length));
    const isPending = item[InviteRow.status] === "pending";
    return tenant && isPending ? { kind: "invite", tenant, email: item[InviteRow.email] as string } : null;
  }
  return { kind: "user", email: item[UserRow.email] as string };
}
