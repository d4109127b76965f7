import { type Json, listOperations, type Operation, object, text } from "../reference/document.ts";
import { eventHeaders, eventSection, frameSection, listEvents, realtimeStream } from "../reference/events.ts";
import { breakable, operationSection } from "../reference/operation.ts";
import { type ErrorMessage, errorCodes, listResponses } from "../reference/responses.ts";
import { fieldRows } from "../reference/schema-fields.ts";
import { codeBlock } from "../text/highlight.ts";
import { html, slug } from "../text/html.ts";
import { inlineMarkdown, paragraphs } from "../text/markdown.ts";
import type { CodeUses } from "./errors-page.ts";
import type { SitePage } from "./layout.ts";

const GROUP = "API reference";
/** The tag of the tickets that open the stream. */
const STREAM_TAG = "Realtime";

/** A page for each tag of the document, and one for the events. */
export function referencePages(document: Json, messages: readonly ErrorMessage[]): SitePage[] {
  const operations = listOperations(document);
  const tags = (document.tags as readonly Json[]).map((tag) => ({
    name: text(tag.name),
    words: text(tag.description),
  }));
  const pages = tags.flatMap(({ name, words }) => {
    const members = operations.filter(({ tag }) => tag === name);
    return members.length === 0 ? [] : [tagPage(document, { tag: name, words, operations: members, messages })];
  });
  return [...pages, eventsPage(document)];
}

/** Where each operation is described. */
export function operationHref({ tag, id }: Operation): string {
  return `${tagPath(tag)}#${id}`;
}

/** The operations that answer with each error code. */
export function codeUses(document: Json): CodeUses {
  const uses = listOperations(document).flatMap((operation) =>
    [...new Set(listResponses(document, operation).flatMap(({ schema }) => errorCodes(document, schema)))].map(
      (code) => ({ code, id: operation.id, href: operationHref(operation) }),
    ),
  );
  return Map.groupBy(uses, ({ code }) => code);
}

function tagPath(tag: string): string {
  return `/docs/reference/${slug(tag)}`;
}

interface TagContent {
  readonly tag: string;
  readonly words: string;
  readonly operations: readonly Operation[];
  readonly messages: readonly ErrorMessage[];
}

function tagPage(document: Json, { tag, words, operations, messages }: TagContent): SitePage {
  const table = html`<ul class="operations">${operations.map(
    ({ id, method, path, summary }) =>
      html`<li><a href="#${id}"><span class="method ${method.toLowerCase()}">${method}</span> <code>${breakable(path)}</code> <span class="summary">${summary}</span></a></li>`,
  )}</ul>`;
  const stream = tag === STREAM_TAG ? streamPart(document) : null;
  return {
    path: tagPath(tag),
    group: GROUP,
    title: tag,
    description: `The operations of the Parley API: ${tag}.`,
    body: html`${words !== "" && html`<p class="words">${inlineMarkdown(words)}</p>`}${table}${operations.map((operation) => operationSection(document, operation, messages))}${stream?.body}`,
    headings: [...operations.map(({ id, summary }) => ({ id, text: summary, level: 2 })), ...(stream?.headings ?? [])],
    layout: "reference",
  };
}

function eventsPage(document: Json): SitePage {
  const events = listEvents(document);
  const first = object(events[0]?.example);
  const envelope = Object.keys(first).length > 0;
  return {
    path: "/docs/reference/events",
    group: GROUP,
    title: "Event types",
    description: "Every event that Parley sends to webhook endpoints, with its schema and an example.",
    body: html`<p class="words">Each event is a signed <code>POST</code> to your <a href="/docs/guides/webhooks">webhook endpoints</a>${
      envelope &&
      html`, with <code>id</code>, <code>type</code>, <code>api_version</code>, <code>created_at</code>, <code>tenant_id</code> and <code>data</code>`
    }. Ignore fields and types that you do not know: within an <code>api_version</code>, events only gain fields.</p>
<ul class="operations">${events.map(
      ({ type, summary }) =>
        html`<li><a href="#${type}"><code>${type}</code> <span class="summary">${inlineMarkdown(summary)}</span></a></li>`,
    )}</ul>
<section class="operation headers" id="headers"><div class="about"><h2><a class="anchor" href="#headers">Headers of a delivery</a></h2>${fieldRows(document, eventHeaders(document), "response")}</div></section>
${events.map((event) => eventSection(document, event))}`,
    headings: [
      { id: "headers", text: "Headers of a delivery", level: 2 },
      ...events.map(({ type }) => ({ id: type, text: type, level: 2 })),
    ],
    layout: "reference",
  };
}

/** The stream: how to connect, and its frames. It follows the operations of its tag. Null if the document has none. */
function streamPart(document: Json): Pick<SitePage, "body" | "headings"> | null {
  const stream = realtimeStream(document);
  if (stream === null) return null;
  const frames = [...stream.server, ...stream.client];
  const body = html`<h2 id="connect"><a class="anchor" href="#connect">Connect</a></h2>
<div class="words">${paragraphs(stream.description)}${paragraphs(stream.address)}</div>${codeBlock(stream.example, "", "Address")}
<h2 id="frames"><a class="anchor" href="#frames">Frames</a></h2>
<p>The stream also sends each of the <a href="/docs/reference/events">event types</a>, as an endpoint gets it.</p>
<ul class="operations">${frames.map(
    ({ name, description }) =>
      html`<li><a href="#${name}"><code>${name}</code> <span class="summary">${inlineMarkdown(description)}</span></a></li>`,
  )}</ul>${frames.map((frame) => frameSection(document, frame))}`;
  const names = frames.map(({ name }) => ({ id: name, text: name, level: 2 }));
  return { body, headings: [{ id: "connect", text: "Connect", level: 2 }, ...names] };
}
