import { parseTenant, type TenantId } from "#base/kernel/tenant.ts";
import type { Table } from "#base/table/client.ts";
import type { Key } from "#base/table/keys.ts";
import { queryAll } from "#base/table/query-all.ts";
import { type AccountRef, parseAccountKey } from "../rules/accounts.ts";
import { pageUseAttributes as A } from "./attributes.ts";
import { pageUsePartition } from "./items.ts";

/** A connected account that uses a page. */
export interface PageUse {
  readonly tenant: TenantId;
  readonly account: AccountRef;
}

export type PageUses = ReturnType<typeof pageUseStore>;

/** The accounts that use a Facebook page. `accountStore` writes the rows, with the account. */
export function pageUseStore(table: Table) {
  return {
    /** The connected accounts that use the page, of all tenants. Read consistently: the last one ends its subscription. */
    async list(pageId: string): Promise<PageUse[]> {
      const items = await queryAll<PageUseItem>(table, { PK: pageUsePartition(pageId), SK: "" });
      return items.map(toPageUse);
    },
  };
}

interface PageUseItem extends Key {
  readonly [A.tenant]: string;
}

function toPageUse(item: PageUseItem): PageUse {
  const [tenant, account] = [parseTenant(item[A.tenant]), parseAccountKey(item.SK)];
  if (!tenant || !account) throw new Error("The use of a page names no account of a tenant.");
  return { tenant, account };
}
