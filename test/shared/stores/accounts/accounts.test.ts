import { afterAll, expect, it } from "vitest";
import type { AuditEntry } from "../../../../shared/domain/access/audit.ts";
import type { Account } from "../../../../shared/domain/accounts/accounts.ts";
import { accountStore } from "../../../../shared/stores/accounts/accounts.ts";
import { openTable } from "../../../../shared/stores/client.ts";
import { openWorldTable } from "../../../support/world/world-table.ts";
import { ACCOUNT, NOW, newTenant } from "../support/samples.ts";

const world = openWorldTable(() => NOW);
const accounts = accountStore(openTable(world.tableName, world.client));
afterAll(() => world.close());

const account: Account = {
  ...ACCOUNT,
  connection: "instagram_login",
  handle: "@shop",
  displayName: "Shop",
  pageId: null,
  status: "active",
  statusDetail: null,
  retryAt: null,
  refreshError: null,
  lastRefreshedAt: null,
  sealedToken: new Uint8Array([1]),
};
const audit: AuditEntry = { action: "account.connect", resource: "-", actor: "cli", ip: null, detail: {}, at: NOW };

it("an account stays with its tenant, which may connect it again", async () => {
  const [tenant, other] = [newTenant(), newTenant()];
  await accounts.connect(tenant, account, audit);
  await accounts.connect(tenant, account, audit);
  await expect(accounts.connect(other, account, audit)).rejects.toThrow("connected to another tenant");
  expect(await accounts.getRoute(account)).toMatchObject({ tenant });
  expect(await accounts.get(other, account)).toBeNull();
});
