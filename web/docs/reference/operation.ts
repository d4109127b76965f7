import { codeBlock } from "../text/highlight.ts";
import { type Html, html, joinHtml } from "../text/html.ts";
import { tabs } from "../text/tabs.ts";
import type { Json, Operation } from "./document.ts";
import { pythonSnippet } from "./python.ts";
import { access, type Parameter, parameters, requestBody } from "./requests.ts";
import { type ErrorMessage, responseExamples, responsesSection, words } from "./responses.ts";
import { fieldRows, schemaFields } from "./schema-fields.ts";
import { clientSnippet, curlSnippet } from "./snippets.ts";

const placeTitles = {
  path: "Path parameters",
  query: "Query parameters",
  header: "Headers",
  cookie: "Cookies",
} as const;
const higherRoles: Readonly<Record<string, string>> = { agent: "agent, admin or owner", admin: "admin or owner" };

/** The section of one operation, under its operationId. */
export function operationSection(document: Json, operation: Operation, messages: readonly ErrorMessage[] = []): Html {
  const { id, method, path, summary, description, declaration } = operation;
  return html`<section class="operation" id="${id}">
<div class="about">
<h2><a class="anchor" href="#${id}">${summary}</a></h2>
<p class="route"><span class="method ${method.toLowerCase()}">${method}</span> <code>${breakable(path)}</code></p>
${declaration.deprecated === true && html`<p class="deprecated">Deprecated. It still works; new programs use another operation.</p>`}
${words(withoutRole(description))}
${accessLine(operation)}
${parameterSections(document, operation)}
${bodySection(document, operation)}
${responsesSection(document, operation, messages)}
</div>
<div class="example">
${snippets(document, operation)}
${responseExamples(operation)}
</div>
</section>
`;
}

/** The description without its sentence on the role, which the line on access has. */
function withoutRole(description: string): string {
  // Super-linear: the descriptions are written in this repository.
  return description.replace(/\s*A signed-in person needs the role [^.]*\./, "");
}

/** A path that a narrow column may break after each slash. */
export function breakable(path: string): Html {
  return joinHtml(path.split(/(?<=\/)/), html`<wbr>`);
}

function accessLine(operation: Operation): Html {
  const { keyScopes, takesSession, needsCsrf, role } = access(operation);
  const key = keyScopes && html`API key <span class="soft">(${keyScopes.join(" or ")})</span>`;
  const person = role === null ? "any signed-in person" : (higherRoles[role] ?? role);
  const session =
    takesSession && html`session <span class="soft">(${person}${needsCsrf ? ", with the CSRF token" : ""})</span>`;
  const ways = [key, session].filter((way) => way !== null && way !== false);
  return html`<p class="access"><span>Who may call</span> ${
    ways.length === 0 ? "No credential of Parley is needed." : joinHtml(ways, ", or ")
  }</p>`;
}

function parameterSections(document: Json, operation: Operation): Html[] {
  const byPlace = Map.groupBy(parameters(document, operation), ({ place }) => place);
  return (Object.keys(placeTitles) as Parameter["place"][])
    .filter((place) => byPlace.has(place))
    .map((place) => html`<h3>${placeTitles[place]}</h3>${fieldRows(document, byPlace.get(place) ?? [], "request")}`);
}

function bodySection(document: Json, operation: Operation): Html | null {
  const body = requestBody(document, operation);
  if (body === null) return null;
  const fields = body.schema === undefined ? null : schemaFields(document, body.schema, "request");
  const note = body.isRequired ? "" : " (optional)";
  return html`<h3>Body <span class="soft"><code>${body.mediaType}</code>${note}</span></h3>${fields}`;
}

function snippets(document: Json, operation: Operation): Html {
  const client = clientSnippet(document, operation);
  const python = pythonSnippet(document, operation);
  const title = `${operation.method} ${operation.path}`;
  return tabs(`${operation.id}-request`, [
    { label: "curl", content: codeBlock(curlSnippet(document, operation), "sh", title) },
    ...(client === null ? [] : [{ label: "TypeScript", content: codeBlock(client, "ts", "@parley/client") }]),
    ...(python === null ? [] : [{ label: "Python", content: codeBlock(python, "py", "requests") }]),
  ]);
}
