import { type Json, list, object, resolve, strings } from "./document.ts";
import { alternatives } from "./schema-text.ts";

const CONVERSATION = "CONV#demo#messenger#100000000000001#6543210987654321";

/** Values of fields that a pattern or a name describes better than a type. */
const byName: Readonly<Record<string, unknown>> = {
  conversation_id: CONVERSATION,
  text: "It is ready.",
  actor_id: "ann",
  label: "help desk",
  url: "https://example.com/hooks",
  email: "ann@example.com",
  filename: "photo.jpg",
  content_type: "image/jpeg",
};

/** A value that a schema accepts, with the required fields alone. For an operation without a recorded example. */
export function sample(document: Json, value: unknown, name = "", depth = 0): unknown {
  const schema = resolve(document, value);
  for (const declared of [schema.example, list(schema.examples)[0], schema.const, schema.default]) {
    if (declared !== undefined) return declared;
  }
  const [first] = alternatives(document, schema).schemas;
  if (first === undefined || depth > 6) return null;
  if (first.const !== undefined) return first.const;
  const [option] = list(first.enum);
  if (option !== undefined) return option;
  if (first.type === "object" || first.properties !== undefined) return sampleObject(document, first, depth);
  if (first.type === "array") return [sample(document, first.items ?? {}, name, depth + 1)];
  if (first.type === "integer" || first.type === "number") return Math.max(1, Number(first.minimum ?? 1));
  if (first.type === "boolean") return true;
  return Object.hasOwn(byName, name) ? byName[name] : first.format === "date-time" ? "2026-11-21T15:12:34.402Z" : "…";
}

function sampleObject(document: Json, schema: Json, depth: number): Json {
  const choice = list(schema.oneOf ?? schema.anyOf).map((option) => strings(object(option).required))[0] ?? [];
  const names = [...new Set([...strings(schema.required), ...choice])];
  const properties = object(schema.properties);
  return Object.fromEntries(names.map((name) => [name, sample(document, properties[name] ?? {}, name, depth + 1)]));
}
