import { signInPorts } from "../../functions/admin/sign-in-ports.ts";
import { tenantPorts } from "../../functions/admin/tenant-ports.ts";
import { setting } from "../../shared/config/settings.ts";
import { SIGNED_IN_PATH } from "../../shared/domain/access/redirect-paths.ts";
import { createKey, createOperatorKey } from "../../shared/flows/access/keys.ts";
import { createSignInLink } from "../../shared/flows/access/sign-in/create-link.ts";
import { createTenant } from "../../shared/flows/access/tenants.ts";
import { connectAccount } from "../../shared/flows/accounts/connect.ts";
import { isRefusal, refusalMessage } from "../../shared/kernel/refusals.ts";
import { parseTenant, type TenantId } from "../../shared/kernel/tenant.ts";
import type { Millis } from "../../shared/kernel/time.ts";
import { DEMO_OWNER } from "./demo-owner.ts";
import { accountPlatform, type SeedPorts } from "./seed.ts";

/** Input of the demo workspace's seed. */
export interface SeedContext {
  /** The combined environment of all functions. */
  readonly environment: Readonly<Record<string, string>>;
  readonly now: () => Millis;
}

const ACTOR = "cli";

/** The use cases of the operator's commands, with the keys and the table of the functions. */
export function openSeedPorts({ environment, now }: SeedContext): SeedPorts {
  const ports = tenantPorts(environment);
  return {
    async createTenant(slug) {
      // False: an earlier start created the tenant and ended before it saved that step.
      await createTenant(ports, requireTenant(slug), { name: "Demo", ownerEmail: DEMO_OWNER, actor: ACTOR }, now());
    },
    async createSignInLink() {
      const link = { address: DEMO_OWNER, redirect: SIGNED_IN_PATH, now: now() };
      const { token } = await createSignInLink(signInPorts(environment), link);
      return `${setting("baseUrl", environment)}/console/auth/verify?token=${token}`;
    },
    async createKey(slug, scope) {
      const settings = { scope, label: `local ${scope}`, actor: ACTOR };
      const key = await createKey(ports, requireTenant(slug), settings, now());
      if (isRefusal(key)) throw new Error(refusalMessage(key));
      return key;
    },
    async createOperatorKey(slugs) {
      const settings = { scope: "live", label: "local operator", actor: ACTOR } as const;
      return await createOperatorKey(ports, slugs.map(requireTenant), settings, now());
    },
    async connectAccount(slug, { token, ...account }) {
      await connectAccount(ports, {
        tenant: requireTenant(slug),
        account: { ...account, platform: accountPlatform(account) },
        token,
        actor: ACTOR,
        now: now(),
      });
    },
  };
}

function requireTenant(slug: string): TenantId {
  const tenant = parseTenant(slug);
  if (tenant === null) throw new Error(`Invalid tenant slug: ${slug}`);
  return tenant;
}
