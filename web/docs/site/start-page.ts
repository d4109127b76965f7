import { codeBlock } from "../text/highlight.ts";
import { html } from "../text/html.ts";
import { tabs } from "../text/tabs.ts";
import type { SitePage } from "./layout.ts";

const CURL = `curl -sS "{{base_url}}/v1/conversations" \\
  -H "Authorization: Bearer $KEY"`;

const SENDING = `curl -sS "{{base_url}}/v1/messages/reply" \\
  -H "Authorization: Bearer $KEY" -H "Content-Type: application/json" \\
  -d '{"conversation_id": "CONV#…", "text": "Thank you for your message."}'`;

const CLIENT = `import { Parley } from "@parley/client";

const parley = new Parley({ baseUrl: "{{base_url}}", apiKey: process.env.KEY });`;

const CLIENT_LIST = `${CLIENT}
const { conversations } = await parley.conversations.list();`;

const CLIENT_SEND = `${CLIENT}
await parley.messages.reply({ conversation_id: "CONV#…", text: "Thank you for your message." });`;

const PYTHON = `import os

import requests

api = requests.Session()
api.headers["Authorization"] = f"Bearer {os.environ['KEY']}"`;

const PYTHON_LIST = `${PYTHON}
data = api.get("{{base_url}}/v1/conversations", timeout=30).json()["data"]`;

const PYTHON_SEND = `${PYTHON}
message = {"conversation_id": "CONV#…", "text": "Thank you for your message."}
response = api.post("{{base_url}}/v1/messages/reply", json=message, timeout=30)
response.raise_for_status()`;

/** One request in each language. */
function request(id: string, label: string, code: { readonly curl: string; readonly ts: string; readonly py: string }) {
  return tabs(id, [
    { label: "curl", content: codeBlock(code.curl, "sh", label) },
    { label: "TypeScript", content: codeBlock(code.ts, "ts", label) },
    { label: "Python", content: codeBlock(code.py, "py", label) },
  ]);
}

/** The first page: what the API does, a first request, and every other page. */
export function startPage(pages: readonly SitePage[]): SitePage {
  const groups = Map.groupBy(pages, ({ group }) => group);
  const body = html`
<p class="lead">Receive what people write to a business on Instagram and Messenger, answer within the platforms’ rules, and get every event, signed, at your webhook endpoints.</p>
<div class="first">
<div>
<h2 id="first-request">First request</h2>
<p>The API is JSON over HTTP, at <code>{{base_url}}</code>. Send a key of your tenant with each request:</p>
${request("first-list", "List conversations", { curl: CURL, ts: CLIENT_LIST, py: PYTHON_LIST })}
<p>A successful response is <code>{ "ok": true, "data": … }</code>. A failure has an <a href="/docs/errors">error code</a>. Answer a person with the <code>id</code> of their conversation:</p>
${request("first-send", "Send a reply", { curl: SENDING, ts: CLIENT_SEND, py: PYTHON_SEND })}
</div>
<ul class="cards">
${card("guides/quick-start", "Quick start", "Receive a message and answer it, on your own machine.", pages)}
${card("concepts", "Concepts", "Tenant, account, conversation, window, hold, event and endpoint.", pages)}
${card("guides/sending", "Sending messages", "Which route applies when, what a refusal means, and safe retries.", pages)}
${card("guides/webhooks", "Receiving webhooks", "The request, its signature, and a verifier in seven languages.", pages)}
${card("guides/testing", "Testing", "Windows that close, faults of a platform, receivers that fail.", pages)}
${card("errors", "Errors", "Every code, its cause and what to do.", pages)}
${card("operate/deploy", "Deploy", "From nothing to a first message, in your own AWS account.", pages)}
</ul>
</div>
<h2 id="pages">All pages</h2>
<div class="map">${[...groups].map(
    ([group, members]) =>
      html`<section><h3>${group}</h3><ul>${members.map(({ path, title }) => html`<li><a href="${path}">${title}</a></li>`)}</ul></section>`,
  )}</div>
<p class="machine">For programs: <a href="/openapi.json">openapi.json</a> is the OpenAPI 3.1 document of this deployment. Generators and tools of any origin may read it without a key. Each page is also Markdown, at its address with <code>.md</code>: <a href="/llms.txt">llms.txt</a> lists them, and <a href="/llms-full.txt">llms-full.txt</a> has them in one text.</p>`;
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

/** A link to a page that the site has. */
function card(name: string, title: string, words: string, pages: readonly SitePage[]) {
  const path = `/docs/${name}`;
  return pages.some((page) => page.path === path) && html`<li><a href="${path}">${title}</a><p>${words}</p></li>`;
}
