import { tenantPorts } from "../../functions/admin/tenant-ports.ts";
import { createKey, createOperatorKey } from "../../shared/flows/access/keys.ts";
import { createTenant } from "../../shared/flows/access/tenants.ts";
import { connectAccount } from "../../shared/flows/accounts/connect.ts";
import { parseTenant, type TenantId } from "../../shared/kernel/tenant.ts";
import type { Millis } from "../../shared/kernel/time.ts";
import { accountPlatform, type SeedPorts } from "./seed.ts";

/** What the demo workspace is made with. */
export interface SeedContext {
  /** The environment of all functions together. */
  readonly environment: Readonly<Record<string, string>>;
  readonly now: () => Millis;
}

const ACTOR = "cli";

/** The same use cases as an operator's own commands, with the keys and the table the functions were given. */
export function openSeedPorts({ environment, now }: SeedContext): SeedPorts {
  const ports = tenantPorts(environment);
  return {
    async createTenant(slug) {
      // False says that it is there already, from a start that ended before it was written down.
      await createTenant(
        ports,
        requireTenant(slug),
        { name: "Demo", ownerEmail: "owner@local.invalid", actor: ACTOR },
        now(),
      );
    },
    async createKey(slug, scope) {
      return await createKey(ports, requireTenant(slug), { scope, label: `local ${scope}`, actor: ACTOR }, now());
    },
    async createOperatorKey(slugs) {
      const settings = { scope: "live", label: "local operator", actor: ACTOR } as const;
      return await createOperatorKey(ports, slugs.map(requireTenant), settings, now());
    },
    async connectAccount(slug, { token, ...account }) {
      await connectAccount(
        ports,
        requireTenant(slug),
        { ...account, platform: accountPlatform(account) },
        { token, actor: ACTOR },
        now(),
      );
    },
  };
}

function requireTenant(slug: string): TenantId {
  const tenant = parseTenant(slug);
  if (tenant === null) throw new Error(`${slug} is not a tenant's slug`);
  return tenant;
}
