import type { Json } from "#http/openapi/schemas.ts";

// Some objects need exactly one of two fields. A schema may say so by `oneOf` of what differs, which generators of clients
// cannot read: they make a type of each part alone, or leave the operation out. The document has whole objects instead.

/** The names of the whole objects, by the schema and the field that each needs. */
const names: Readonly<Record<string, string>> = {
  "OutgoingAttachment.url": "LinkedFile",
  "OutgoingAttachment.attachment_id": "UploadedFile",
  "SendReplyRequest.text": "TextReply",
  "SendReplyRequest.attachments": "AttachmentsReply",
  "SendHumanAgentMessageRequest.text": "TextFromPerson",
  "SendHumanAgentMessageRequest.attachments": "AttachmentsFromPerson",
};

/** The document in which every choice between fields is a choice between whole, named objects. */
export function withFullBodies(document: Json): Json {
  const components = document.components as { readonly schemas: Record<string, Json> };
  const schemas = Object.entries(components.schemas).flatMap(([name, schema]) => toWholeObjects(name, schema));
  return { ...document, components: { ...components, schemas: Object.fromEntries(schemas) } };
}

interface Choice {
  readonly required: readonly [string];
  readonly properties: Record<string, { readonly type: string }>;
}

/** The schema, and the objects of which it is a choice. */
function toWholeObjects(name: string, schema: Json): [string, Json][] {
  const { oneOf, ...base } = schema;
  if (!isChoice(oneOf)) return [[name, schema]];
  const { properties, required = [], ...rest } = base as { properties: Record<string, Json>; required?: string[] };
  const objects = (oneOf as Choice[]).map((choice): [string, Json] => {
    const [field] = choice.required;
    const objectName = names[`${name}.${field}`];
    if (objectName === undefined) throw new Error(`The object of ${name} with ${field} has no name.`);
    const excluded = Object.entries(choice.properties).filter(([, { type }]) => type === "null");
    const fields = Object.entries(properties)
      .filter(([other]) => !excluded.some(([one]) => one === other))
      .map(([other, property]) => [other, other === field ? withoutNull(property) : property]);
    return [
      objectName,
      { ...rest, properties: Object.fromEntries(fields), required: [...new Set([...required, field])] },
    ];
  });
  const references = objects.map(([objectName]) => ({ $ref: `#/components/schemas/${objectName}` }));
  return [[name, { oneOf: references }], ...objects];
}

function isChoice(oneOf: unknown): boolean {
  return (
    Array.isArray(oneOf) && oneOf.every((part: Json) => "required" in part && !("type" in part) && !("$ref" in part))
  );
}

/** The schema without null: of a nullable choice with one other part, that part alone. */
function withoutNull(schema: Json): Json {
  const parts = (schema.anyOf as Json[] | undefined)?.filter(({ type }) => type !== "null");
  return parts?.length === 1 ? (parts[0] as Json) : parts ? { ...schema, anyOf: parts } : schema;
}
