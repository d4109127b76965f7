import { codeBlock } from "../text/highlight.ts";
import { html } from "../text/html.ts";
import type { SitePage } from "./layout.ts";

const CURL = `curl -sS "{{base_url}}/v1/conversations" \\
  -H "Authorization: Bearer $KEY"`;

const SENDING = `curl -sS "{{base_url}}/v1/messages/reply" \\
  -H "Authorization: Bearer $KEY" -H "Content-Type: application/json" \\
  -d '{"conversation_id": "CONV#…", "text": "Thank you for your message."}'`;

/** The first page: what the API does, a first request, and every other page. */
export function startPage(pages: readonly SitePage[]): SitePage {
  const groups = Map.groupBy(pages, ({ group }) => group);
  const body = html`
<p class="lead">Receive what people write to a business on Instagram and Messenger, answer within the platforms’ rules, and get every event, signed, at your webhook endpoints.</p>
<div class="first">
<div>
<h2 id="first-request">First request</h2>
<p>The API is JSON over HTTP, at <code>{{base_url}}</code>. Send a key of your tenant with each request:</p>
${codeBlock(CURL, "sh", "List conversations")}
<p>A successful response is <code>{ "ok": true, "data": … }</code>. A failure has an <a href="/docs/errors">error code</a>. Answer a person with the <code>id</code> of their conversation:</p>
${codeBlock(SENDING, "sh", "Send a reply")}
</div>
<ul class="cards">
<li><a href="/docs/concepts">Concepts</a><p>Tenant, account, conversation, window, hold, event and endpoint.</p></li>
<li><a href="/docs/guides/sending">Sending messages</a><p>Which route applies when, what a refusal means, and safe retries.</p></li>
<li><a href="/docs/guides/webhooks">Receiving webhooks</a><p>The request, its signature, and a verifier in seven languages.</p></li>
<li><a href="/docs/errors">Errors</a><p>Every code, its cause and what to do.</p></li>
</ul>
</div>
<h2 id="pages">All pages</h2>
<div class="map">${[...groups].map(
    ([group, members]) =>
      html`<section><h3>${group}</h3><ul>${members.map(({ path, title }) => html`<li><a href="${path}">${title}</a></li>`)}</ul></section>`,
  )}</div>
<p class="machine">For programs: <a href="/openapi.json">openapi.json</a> is the OpenAPI 3.1 document of this deployment. Generators and tools of any origin may read it without a key.</p>`;
  return {
    path: "/docs",
    group: "",
    title: "Parley documentation",
    description: "Guides and reference of the Parley API: messages on Instagram and Messenger, webhooks, accounts.",
    body,
    headings: [],
    layout: "start",
  };
}
