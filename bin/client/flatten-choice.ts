import type { Json } from "./json.ts";

/**
 * A choice between whole objects as one object: what only some of them have is optional and may be null. A program that
 * builds a body field by field then needs no cast. The API refuses what none of the objects permits.
 */
export function flattenChoice(schema: Json, resolve: (value: unknown) => Json): Json {
  const { oneOf, discriminator, ...rest } = schema;
  if (!Array.isArray(oneOf) || discriminator !== undefined) return schema;
  const objects = oneOf.map(resolve);
  if (objects.some(({ type }) => type !== "object")) return schema;
  const fieldsOf = ({ properties = {} }: Json) => Object.entries(properties as Record<string, Json>);
  const isInEach = (name: string) => objects.every((object) => fieldsOf(object).some(([other]) => other === name));
  const properties = objects.flatMap(fieldsOf).map(([name, field]) => [name, isInEach(name) ? field : nullable(field)]);
  const required = objects
    .map((object) => (object.required ?? []) as string[])
    .reduce((names, more) => names.filter((name) => more.includes(name)));
  return { ...rest, type: "object", properties: Object.fromEntries(properties), required };
}

function nullable({ description, ...field }: Json): Json {
  const parts = (field.anyOf as Json[] | undefined) ?? [field];
  return { ...(description === undefined ? {} : { description }), anyOf: [...parts, { type: "null" }] };
}
