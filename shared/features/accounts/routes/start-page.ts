import type { PageFile } from "#base/files/page-file.ts";
import { type Refusal, refuse } from "#base/kernel/refusals.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { html } from "#base/kernel/text/html.ts";
import { loginStartPageTexts } from "#base/languages/all.ts";
import { fillText } from "#base/languages/texts.ts";
import type { SessionCaller } from "#features/access/rules/callers.ts";
import { listOwnTenants } from "#features/tenants/own-tenants.ts";
import type { ListOwnTenantPorts } from "#features/tenants/ports.ts";
import { filledPage } from "#http/browser/filled-page.ts";
import { languageHeaders, languageOf, pageInLanguage } from "#http/browser/localized-pages.ts";
import type { ReadableHeaders } from "#http/header-map.ts";
import type { HttpResponse } from "#http/http-response.ts";

/** The page whose files each have a language. It has no path of its own. */
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
  request: ReadableHeaders,
): Promise<HttpResponse | Refusal<"tenant_forbidden">> {
  const memberships = caller.memberships.filter((membership) => membership.tenant === tenant);
  const [workspace] = await listOwnTenants(ports, { userId: caller.userId, memberships });
  if (!workspace) return refuse("tenant_forbidden");
  const language = languageOf(request);
  const { title, button, invitedBy, operator } = loginStartPageTexts[language];
  const inviter = workspace.invitedBy === "cli" ? operator : workspace.inviterEmail;
  return filledPage(ports.pageFiles.get(pageInLanguage(START_PAGE, language)), {
    texts: {
      heading: fillText(title, { platform: name }),
      next: fillText(button, { platform: name }),
      name: workspace.name,
      slug: tenant,
      email: caller.email,
      inviter: inviter === null ? "" : html`<dt>${invitedBy}</dt><dd>${inviter}</dd>`,
      query: `?${new URLSearchParams({ tenant, redirect })}`,
    },
    headers: languageHeaders(language),
  });
}
