import { codeBlock } from "../text/highlight.ts";
import { type Html, html, joinHtml } from "../text/html.ts";
import { inlineMarkdown, paragraphs } from "../text/markdown.ts";
import { type Json, list, type Operation, object, resolve, strings, text } from "./document.ts";
import { type Exchange, exchanges } from "./requests.ts";
import { schemaFields } from "./schema-fields.ts";
import { merged, typeText } from "./schema-text.ts";

const SHOWN_LINES_MAX = 200;
const SHOWN_CHARS_MAX = 10_000;

interface Response {
  readonly status: string;
  readonly description: string;
  readonly headers: Json;
  readonly mediaTypes: readonly string[];
  readonly schema: unknown;
}

/** Every response of an operation, by status. */
export function listResponses(document: Json, { declaration }: Operation): Response[] {
  return Object.entries(object(declaration.responses))
    .map(([status, value]) => {
      const { description, headers, content } = resolve(document, value);
      const media = object(content);
      const json = Object.entries(media).find(([type]) => type.includes("json"))?.[1];
      return {
        status,
        description: text(description),
        headers: object(headers),
        mediaTypes: Object.keys(media),
        schema: object(json ?? Object.values(media)[0]).schema,
      };
    })
    .sort((a, b) => (a.status < b.status ? -1 : 1));
}

/** The error codes of a response. */
export function errorCodes(document: Json, schema: unknown): string[] {
  if (schema === undefined) return [];
  const resolved = resolve(document, schema);
  const choices = list(resolved.oneOf ?? resolved.anyOf).flatMap((choice) => errorCodes(document, choice));
  const error = object(merged(document, merged(document, schema).properties).error);
  const code = object(object(merged(document, error).properties).code);
  return [...new Set([...choices, ...strings(code.enum), ...strings([code.const])])];
}

/** A message of an error code, as the page of errors has it. */
export interface ErrorMessage {
  readonly code: string;
  readonly message: string;
}

/**
 * What an operation answers: the fields of its data, its headers, and each refusal with its codes.
 * @param messages those of all codes: a refusal shows each of its own apart
 */
export function responsesSection(document: Json, operation: Operation, messages: readonly ErrorMessage[]): Html {
  const responses = listResponses(document, operation);
  const successes = responses.filter(({ status }) => status < "4");
  const failures = responses.filter(({ status }) => status >= "4");
  return html`<h3>Response</h3>${successes.map((response) => successPart(document, response))}${
    failures.length > 0 &&
    html`<details class="errors"><summary>Errors: ${joinHtml(
      [...new Set(failures.map(({ status }) => status))].map((status) => html`<code>${status}</code>`),
      " ",
    )}</summary><dl>${failures.map((response) => failurePart(document, response, messages))}</dl></details>`
  }`;
}

function successPart(document: Json, { status, description, headers, mediaTypes, schema }: Response): Html {
  const { data, isEnvelope } = unwrap(document, schema);
  const fields = data === undefined ? null : schemaFields(document, data, "response");
  const type = data === undefined ? "" : typeText(document, data);
  const what = isEnvelope
    ? html`<code>data</code>${fields ? "" : html` <span class="type">${type}</span>`}`
    : mediaTypes.length > 0
      ? joinHtml(
          mediaTypes.map((name) => html`<code>${name}</code>`),
          ", ",
        )
      : "without a body";
  const special = Object.keys(headers).filter((name) => !/^(ratelimit-|x-correlation-id)/i.test(name));
  return html`<p class="status"><code class="ok">${status}</code> ${what} <span class="words">${inlineMarkdown(description)}</span></p>${
    special.length > 0 &&
    html`<p class="limits">Headers: ${joinHtml(
      special.map((name) => html`<code>${name}</code>`),
      ", ",
    )}</p>`
  }${fields}`;
}

/** The schema of `data`, if the response is the envelope. */
function unwrap(document: Json, schema: unknown): { readonly data: unknown; readonly isEnvelope: boolean } {
  const { ok, data } = schema === undefined ? {} : object(merged(document, schema).properties);
  const isEnvelope = ok !== undefined && data !== undefined;
  return { data: isEnvelope ? data : schema, isEnvelope };
}

function failurePart(
  document: Json,
  { status, description, schema }: Response,
  messages: readonly ErrorMessage[],
): Html {
  const codes = errorCodes(document, schema);
  const shown = messages.filter(({ code, message }) => codes.includes(code) && description.includes(message));
  // The longest first: a message may be the start of another one.
  const longestFirst = shown.toSorted((a, b) => b.message.length - a.message.length);
  const rest = longestFirst.reduce((text, { message }) => text.replace(message, ""), description).trim();
  const byCode = codes.map((code) => ({ code, of: shown.filter((each) => each.code === code) }));
  return html`<div><dt><code>${status}</code></dt>${byCode.map(
    ({ code, of }) =>
      html`<dd>${errorLink(code)} ${joinHtml(
        of.map(({ message }) => inlineMarkdown(message)),
        html`<br>`,
      )}</dd>`,
  )}${rest !== "" && html`<dd>${inlineMarkdown(rest)}</dd>`}</div>`;
}

/** A link to the help of an error code. */
export function errorLink(code: string): Html {
  return html`<a href="/docs/errors#${code}"><code>${code}</code></a>`;
}

/** The responses that were recorded: the first opened by the reader, one success before the refusals. */
export function responseExamples(operation: Operation): Html | null {
  const recorded = exchanges(operation).filter(({ response }) => response.body !== undefined);
  if (recorded.length === 0) return null;
  const [first, ...others] = recorded.toSorted((a, b) => a.response.status - b.response.status);
  return html`<div class="samples">${first && exampleBlock(first)}${others.map(
    (exchange) =>
      html`<details><summary><code>${exchange.response.status}</code> ${exchange.summary || exchange.name}</summary>${exampleBlock(exchange)}</details>`,
  )}</div>`;
}

function exampleBlock({ response }: Exchange): Html {
  const isText = typeof response.body === "string";
  const body = isText ? String(response.body) : JSON.stringify(response.body, null, 2);
  return codeBlock(excerpt(body), isText ? "" : "json", `Response ${response.status}`);
}

/** The first lines of a body that is longer than anyone reads. */
function excerpt(body: string): string {
  const lines = body.split("\n");
  if (lines.length <= SHOWN_LINES_MAX && body.length <= SHOWN_CHARS_MAX) return body;
  const shown = lines.slice(0, SHOWN_LINES_MAX).join("\n").slice(0, SHOWN_CHARS_MAX);
  const left = lines.length - shown.split("\n").length;
  return `${shown}\n… ${left > 0 ? `${left} more lines` : "and so on"}`;
}

/** A description with several paragraphs. */
export function words(description: string): Html | null {
  return description === "" ? null : html`<div class="words">${paragraphs(description)}</div>`;
}
