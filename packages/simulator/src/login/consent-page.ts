import type { Context } from "../calls/context.ts";
import type { HttpResponse } from "../http/http-server.ts";
import type { LoginKind } from "../world/model.ts";
import { pagesOf } from "../world/pages.ts";
import { escapeHtml, html, type Markup, raw } from "./html.ts";
import type { LoginRequest } from "./login-request.ts";

const platformNames: Record<LoginKind, string> = { instagram_user: "Instagram", user: "Facebook" };

const headers = {
  "Content-Type": "text/html; charset=utf-8",
  "Cache-Control": "no-store",
  // The form's answer redirects to the app, and the app to its own page: form-action would refuse both.
  "Content-Security-Policy":
    "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; frame-ancestors 'none'",
  // With no-referrer, a browser posts the form with `Origin: null`, which the simulator refuses.
  "Referrer-Policy": "same-origin",
};

/** The page on which a person chooses what the app gets. It works without scripts. */
export function consentPage({ world }: Context, request: LoginRequest, query: URLSearchParams): HttpResponse {
  const { kind, clientId, redirectUri } = request;
  const name = platformNames[kind];
  const body = html`
    <form class="consent" method="post">
      <header class="consent-head">
        <p class="simulated"><img src="/icon.svg" alt="" width="22" height="22"> Platform simulator</p>
        <h1>Log in with ${name}</h1>
        <p class="soft">The app ${clientId} asks for access. Nothing here is sent to ${name}.</p>
      </header>
      ${kind === "user" ? facebookChoices(world, query) : instagramChoices(world, query)}
      <fieldset>
        <legend>Permissions</legend>
        ${request.scopes.map(
          (scope) => html`<label class="choice">
            <input type="checkbox" name="scope_${scope.name}" checked${raw(scope.isRequired ? " disabled" : "")}>
            <span class="choice-text">
              <span>${scope.label}</span>
              <code>${scope.name}</code>
            </span>
            ${scope.isRequired ? html`<span class="pill">Required</span>` : ""}
          </label>`,
        )}
      </fieldset>
      <footer class="consent-actions">
        <button class="secondary" name="decision" value="deny">Cancel</button>
        <button class="primary" name="decision" value="allow">Allow</button>
        <p class="soft">Continues at ${new URL(redirectUri).origin}</p>
      </footer>
    </form>`;
  return document(kind, { status: 200, title: `Log in with ${name} · Platform simulator`, body });
}

function instagramChoices(world: Context["world"], query: URLSearchParams): Markup {
  const accounts = world.state.accounts.filter(({ connection }) => connection === "instagram_login");
  const selected = accounts.find(({ externalId }) => externalId === query.get("sim_account")) ?? accounts[0];
  return html`<fieldset>
    <legend>Instagram account</legend>
    ${accounts.length === 0 ? html`<p class="soft">The simulator has no Instagram account for this login.</p>` : ""}
    ${accounts.map(
      (account) => html`<label class="choice">
        <input type="radio" name="subject" value="${account.externalId}"${checked(account === selected)}>
        <span class="choice-text"><span>${account.displayName}</span><span class="soft">@${account.handle}</span></span>
      </label>`,
    )}
  </fieldset>`;
}

function facebookChoices(world: Context["world"], query: URLSearchParams): Markup {
  const { users } = world.state;
  const selected = users.find(({ id }) => id === query.get("sim_user")) ?? users[0];
  return html`<fieldset>
      <legend>Facebook user</legend>
      ${users.map(
        (user) => html`<label class="choice">
          <input type="radio" name="subject" value="${user.id}"${checked(user === selected)}>
          <span class="choice-text"><span>${user.name}</span><span class="soft">${user.id}</span></span>
        </label>`,
      )}
    </fieldset>
    <fieldset>
      <legend>Pages</legend>
      ${pagesOf(world).map(
        (page) => html`<label class="choice">
          <input type="checkbox" name="page_${page.id}" checked>
          <span class="choice-text">
            <span>${page.name}</span>
            <span class="soft">${page.instagram ? `Instagram: @${page.instagram.handle}` : "No linked Instagram account"}</span>
          </span>
          ${page.canMessage ? "" : html`<span class="pill warn">No messaging task</span>`}
        </label>`,
      )}
    </fieldset>`;
}

/** The page of a login that the platform refuses. It never redirects: the redirect URI may not be the app's. */
export function problemPage(kind: LoginKind, problem: string): HttpResponse {
  const name = platformNames[kind];
  const body = html`<div class="consent">
    <header class="consent-head">
      <p class="simulated"><img src="/icon.svg" alt="" width="22" height="22"> Platform simulator</p>
      <h1>${name} refuses this login</h1>
      <p role="alert">${problem}.</p>
    </header>
  </div>`;
  return document(kind, { status: 400, title: `${name} refuses this login · Platform simulator`, body });
}

const checked = (isChecked: boolean): Markup => raw(isChecked ? " checked" : "");

function document(kind: LoginKind, page: { status: number; title: string; body: Markup }): HttpResponse {
  const platform = kind === "user" ? "messenger" : "instagram";
  const body = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${escapeHtml(page.title)}</title>
    <link rel="icon" href="/icon.svg" type="image/svg+xml">
    <link rel="stylesheet" href="/consent.css">
  </head>
  <body data-platform="${platform}"><main>${page.body.markup}</main></body>
</html>
`;
  return { status: page.status, headers, body };
}
