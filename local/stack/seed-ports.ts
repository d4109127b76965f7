import { signInPorts } from "../../functions/admin/sign-in-ports.ts";
import { tenantPorts } from "../../functions/admin/tenant-ports.ts";
import { setting } from "../../shared/config/settings.ts";
import { SIGNED_IN_PATH } from "../../shared/domain/access/redirect-paths.ts";
import { createKey, createOperatorKey } from "../../shared/flows/access/keys.ts";
import { createSignInLink } from "../../shared/flows/access/sign-in/create-link.ts";
import { createTenant } from "../../shared/flows/access/tenants.ts";
import { linkAccount } from "../../shared/flows/accounts/link-account.ts";
import { newUlid } from "../../shared/kernel/ids.ts";
import { isRefusal, refusalMessage } from "../../shared/kernel/refusals.ts";
import { parseTenant, type TenantId } from "../../shared/kernel/tenant.ts";
import { DAY, type Millis } from "../../shared/kernel/time.ts";
import { DEMO_OWNER } from "./demo-owner.ts";
import { accountPlatform, type SeedPorts } from "./seed.ts";

/** Input of the demo workspace's seed. */
export interface SeedContext {
  /** The combined environment of all functions. */
  readonly environment: Readonly<Record<string, string>>;
  readonly now: () => Millis;
}

const ACTOR = "cli";
/** Of Instagram's long-lived tokens. */
const TOKEN_LIFETIME: Millis = 60 * DAY;

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
    async connectAccount(slug, { token, authorizedBy, appScopedId: _, ...account }) {
      const at = now();
      const result = await linkAccount(ports, {
        tenant: requireTenant(slug),
        account: { ...account, platform: accountPlatform(account) },
        token,
        tokenExpiresAt: account.connection === "instagram_login" ? at + TOKEN_LIFETIME : null,
        authorizedBy,
        connectionId: newUlid(at),
        actor: ACTOR,
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
