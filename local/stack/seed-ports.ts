import { setting } from "#base/config/settings.ts";
import { newUlid } from "#base/kernel/ids.ts";
import { isRefusal, refusalMessage } from "#base/kernel/refusals.ts";
import { parseTenant, type TenantId } from "#base/kernel/tenant.ts";
import { DAY, type Millis } from "#base/kernel/time.ts";
import { createKey, createOperatorKey } from "#features/access/flows/keys.ts";
import { createSignInLink } from "#features/access/flows/sign-in/create-link.ts";
import { CLI } from "#features/access/rules/callers.ts";
import { CONSOLE_PATH } from "#features/access/rules/redirect-paths.ts";
import { signInLink } from "#features/access/rules/sign-in-link.ts";
import { linkAccount } from "#features/accounts/flows/connect.ts";
import { createTenant } from "#features/tenants/flows/tenants.ts";
import { operatorLinkPorts } from "../../functions/admin/sign-in-ports.ts";
import { tenantPorts } from "../../functions/admin/tenant-ports.ts";
import { DEMO_OWNER } from "./demo-owner.ts";
import { accountPlatform, type SeedPorts } from "./seed.ts";

/** Input of the demo workspace's seed. */
export interface SeedContext {
  /** The combined environment of all functions. */
  readonly environment: Readonly<Record<string, string>>;
  readonly now: () => Millis;
}

/** Of Instagram's long-lived tokens. */
const TOKEN_LIFETIME: Millis = 60 * DAY;

/** The use cases of the operator's commands, with the keys and the table of the functions. */
export function openSeedPorts({ environment, now }: SeedContext): SeedPorts {
  const ports = tenantPorts(environment);
  return {
    async createTenant(slug) {
      // False: an earlier start created the tenant and ended before it saved that step.
      await createTenant(ports, requireTenant(slug), { name: "Demo", ownerEmail: DEMO_OWNER, author: CLI }, now());
    },
    async createSignInLink(address = DEMO_OWNER) {
      const link = { address, redirect: CONSOLE_PATH, now: now() };
      const { token } = await createSignInLink(operatorLinkPorts(environment), link);
      return signInLink(setting("baseUrl", environment), token);
    },
    async createKey(slug, scope) {
      const settings = { scope, label: `local ${scope}`, author: CLI };
      const key = await createKey(ports, requireTenant(slug), settings, now());
      if (isRefusal(key)) throw new Error(refusalMessage(key));
      return key;
    },
    async createOperatorKey(slugs) {
      const settings = { scope: "live", label: "local operator", author: CLI } as const;
      return await createOperatorKey(ports, slugs.map(requireTenant), settings, now());
    },
    async connectAccount(
      slug,
      { token, authorizedBy, connectedAgo = 0, pictureUrl = null, appScopedId: _, ...account },
    ) {
      const at = now() - connectedAgo;
      const result = await linkAccount(ports, {
        tenant: requireTenant(slug),
        account: { ...account, platform: accountPlatform(account) },
        token,
        tokenExpiresAt: account.connection === "instagram_login" ? at + TOKEN_LIFETIME : null,
        authorizedBy,
        pictureUrl,
        connectionId: newUlid(at),
        author: CLI,
        now: at,
      });
      if (result.kind !== "connected") throw new Error("The account is connected to another workspace.");
    },
  };
}

function requireTenant(slug: string): TenantId {
  const tenant = parseTenant(slug);
  if (tenant === null) throw new Error(`Invalid tenant slug: ${slug}`);
  return tenant;
}
