import { ScanCommand } from "@aws-sdk/lib-dynamodb";
import { parseTenant, type TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { Table } from "#base/table/client.ts";
import type { Key } from "#base/table/keys.ts";
import { loginTokenAttributes as Login, userAttributes as User } from "./attributes.ts";
import { loginTokenKey, MEMBERSHIP, userKey } from "./items.ts";
import { type LoginToken, type LoginTokenItem, toLoginToken } from "./login-tokens.ts";

/** A row of those that a session depends on, or of a sign-in link. */
export type SessionRow =
  | { readonly kind: "user"; readonly userId: string; readonly lastSignInAt: Millis }
  | { readonly kind: "member"; readonly tenant: TenantId }
  | { readonly kind: "link"; readonly loginId: string; readonly login: LoginToken };

/** Reads the pages of the table in order, consistently. It is the only way to all users and all sign-in links. */
export async function* scanSessionRows({ client, name: TableName }: Table): AsyncGenerator<readonly SessionRow[]> {
  let ExclusiveStartKey: Record<string, unknown> | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await client.send(
      new ScanCommand({
        TableName,
        FilterExpression: "begins_with(PK, :user) OR begins_with(PK, :link)",
        ExpressionAttributeValues: { ":user": USER_START, ":link": LINK_START },
        ConsistentRead: true,
        ExclusiveStartKey,
      }),
    );
    yield (Items as Item[]).flatMap(toSessionRow);
    ExclusiveStartKey = LastEvaluatedKey;
  } while (ExclusiveStartKey);
}

type Item = Key & Readonly<Record<string, unknown>>;

const USER_START = userKey("").PK;
const LINK_START = loginTokenKey("").PK;

function toSessionRow(item: Item): readonly SessionRow[] {
  if (item.PK.startsWith(LINK_START)) {
    const loginId = item.PK.slice(LINK_START.length);
    const isWhole = item[Login.sealedAddress] !== undefined;
    return isWhole ? [{ kind: "link", loginId, login: toLoginToken(item as unknown as LoginTokenItem) }] : [];
  }
  if (item.SK.startsWith(MEMBERSHIP)) {
    const tenant = parseTenant(item.SK.slice(MEMBERSHIP.length));
    return tenant ? [{ kind: "member", tenant }] : [];
  }
  if (item.SK !== userKey("").SK) return [];
  const lastSignInAt = (item[User.lastSignInAt] as Millis | undefined) ?? 0;
  return [{ kind: "user", userId: item.PK.slice(USER_START.length), lastSignInAt }];
}
