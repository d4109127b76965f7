import type { PageFile } from "#base/files/page-file.ts";
import { type Refusal, refuse } from "#base/kernel/refusals.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { html, type Markup } from "#base/kernel/text/html.ts";
import { listOwnTenants } from "#features/access/own-tenants.ts";
import type { ListOwnTenantPorts } from "#features/access/ports.ts";
import type { SessionCaller } from "#features/access/rules/callers.ts";
import { filledPage } from "#http/browser/filled-page.ts";
import type { HttpResponse } from "#http/http-response.ts";

/** The file of the page, by name. It has no path of its own. */
export const START_PAGE = "/oauth/start";

/** A login that nothing shows a person wanted. */
interface UnconfirmedLogin {
  /** What the person logs in with. */
  readonly name: "Instagram" | "Facebook";
  readonly tenant: TenantId;
  readonly caller: SessionCaller;
  /** A path on the console's origin. */
  readonly redirect: string;
}

/**
 * The page that asks before a login starts. It names the workspace with its slug, because names repeat, and who invited the
 * person. Its button opens the same URL again, which the browser then says a page of this origin caused.
 */
export async function startPage(
  ports: ListOwnTenantPorts & { readonly pageFiles: ReadonlyMap<string, PageFile> },
  { name, tenant, caller, redirect }: UnconfirmedLogin,
): Promise<HttpResponse | Refusal<"tenant_forbidden">> {
  const memberships = caller.memberships.filter((membership) => membership.tenant === tenant);
  const [workspace] = await listOwnTenants(ports, { userId: caller.userId, memberships });
  if (!workspace) return refuse("tenant_forbidden");
  const inviter = workspace.invitedBy === "cli" ? "The operator" : workspace.inviterEmail;
  return filledPage(ports.pageFiles.get(START_PAGE), {
    texts: {
      platform: name,
      workspace: workspace.name,
      slug: tenant,
      email: caller.email,
      invited: inviter === null ? "" : invitedBy(inviter),
      query: `?${new URLSearchParams({ tenant, redirect })}`,
    },
  });
}

function invitedBy(inviter: string): Markup {
  return html`<dt>Invited by</dt><dd>${inviter}</dd>`;
}
