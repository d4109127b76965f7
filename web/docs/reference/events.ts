import { codeBlock } from "../text/highlight.ts";
import { type Html, html } from "../text/html.ts";
import { inlineMarkdown } from "../text/markdown.ts";
import { type Json, list, object, resolve, text } from "./document.ts";
import { sample } from "./samples.ts";
import { type FieldRow, schemaFields } from "./schema-fields.ts";

/** An event that endpoints or sockets receive. */
export interface EventEntry {
  readonly type: string;
  readonly summary: string;
  readonly schema: unknown;
  readonly example: unknown;
}

/** The events that are sent to webhook endpoints. */
export function listEvents(document: Json): EventEntry[] {
  return Object.entries(object(document.webhooks)).map(([type, item]) => {
    const { summary, description, requestBody } = object(object(item).post);
    const content = object(resolve(document, requestBody).content);
    const media = object(Object.values(content)[0]);
    const [named] = Object.values(object(media.examples));
    const example = media.example ?? (named === undefined ? undefined : resolve(document, named).value);
    return { type, summary: text(description) || text(summary), schema: media.schema, example };
  });
}

/** The headers of the request that an endpoint gets: the same for every event. */
export function eventHeaders(document: Json): FieldRow[] {
  const [first] = Object.values(object(document.webhooks));
  return list(object(object(first).post).parameters).map((parameter) => {
    const { name, description, schema } = resolve(document, parameter);
    return { name: text(name), description: text(description), schema, isRequired: true };
  });
}

/** A frame of the realtime stream. */
export interface Frame {
  readonly name: string;
  readonly description: string;
  readonly schema: unknown;
}

/** What `x-realtime` describes. Null if the document has no stream. */
export function realtimeStream(document: Json) {
  const stream = object(document["x-realtime"]);
  if (Object.keys(stream).length === 0) return null;
  const toFrame = (frame: unknown): Frame => {
    const { name, description, schema } = object(frame);
    return { name: text(name), description: text(description), schema };
  };
  const frames = (side: unknown): Frame[] => list(object(side).frames).map(toFrame);
  const { failure } = object(stream.server);
  return {
    description: text(stream.description),
    address: text(object(stream.address).description),
    example: text(object(stream.address).example),
    client: frames(stream.client),
    server: [...frames(stream.server), ...(failure === undefined ? [] : [toFrame(failure)])],
  };
}

/** The section of one frame, under its type. */
export function frameSection(document: Json, { name, description, schema }: Frame): Html {
  const fields = schemaFields(document, schema, "response");
  return html`<section class="operation" id="${name}">
<div class="about">
<h2><a class="anchor" href="#${name}"><code>${name}</code></a></h2>
<p class="words">${inlineMarkdown(description)}</p>
${fields}
</div>
<div class="example">${codeBlock(JSON.stringify(sample(document, schema), null, 2), "json", name)}</div>
</section>
`;
}

/** The section of one event, under its type. */
export function eventSection(document: Json, { type, summary, schema, example }: EventEntry): Html {
  const data = object(object(resolve(document, schema).properties)).data ?? schema;
  const fields = data === undefined ? null : schemaFields(document, data, "response");
  return html`<section class="operation" id="${type}">
<div class="about">
<h2><a class="anchor" href="#${type}"><code>${type}</code></a></h2>
<p class="words">${inlineMarkdown(summary)}</p>
${fields && html`<h3><code>data</code></h3>${fields}`}
</div>
<div class="example">${example !== undefined && codeBlock(JSON.stringify(example, null, 2), "json", type)}</div>
</section>
`;
}
