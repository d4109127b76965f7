import { type Json, typeName } from "#http/openapi/schemas.ts";
import { TextLookup, type TextSource, valueProblems } from "./text-lookup.ts";
import { type Text, toMarkdown } from "./texts.ts";

const METHODS = ["get", "post", "put", "patch", "delete"];

/**
 * The document with the descriptions of its operations, parameters, schemas and fields. Throws for a description of
 * something that the document does not have, for one beside a declaration's own, and for an enumeration of which it does
 * not describe each value. What has no description stays without one: `findUndescribed` reports it.
 */
export function describeDocument(document: Json, source: TextSource): Json {
  const describer = new Describer(new TextLookup(source));
  const described = describer.document(document);
  const problems = describer.problems();
  if (problems.length > 0) throw new Error(problems.join("\n"));
  return described;
}

class Describer {
  readonly #lookup: TextLookup;
  readonly #problems: string[] = [];
  #derived: ReadonlyMap<string, string> = new Map();

  constructor(lookup: TextLookup) {
    this.#lookup = lookup;
  }

  problems(): string[] {
    return [...this.#problems, ...this.#lookup.unused().map((key) => `${key}: the document does not have it.`)];
  }

  document(document: Json): Json {
    this.#derived = derivedTexts(document);
    const { schemas, ...components } = document.components as Json;
    return {
      ...document,
      paths: mapItems(document.paths, (operation, path) => this.#operation(operation, path)),
      webhooks: mapItems(document.webhooks, (operation, type) => this.#event(operation, type)),
      components: {
        ...components,
        schemas: mapValues(schemas, (schema, name) => this.#component(schema, name)),
      },
    };
  }

  #operation(operation: Json, path: string): Json {
    const id = String(operation.operationId);
    const text = this.#lookup.find(id);
    const parameters = operation.parameters as Json[] | undefined;
    if (text !== undefined && !/^(A signed-in person |$)/.test(String(operation.description ?? ""))) {
      this.#problems.push(`${id}: is described twice.`);
    }
    const description = [text === undefined ? [] : toMarkdown(text), operation.description ?? []].flat().join(" ");
    const { operationId, summary, ...rest } = operation;
    return {
      operationId,
      summary,
      ...(description === "" ? {} : { description }),
      ...without(rest, "description"),
      ...(parameters ? { parameters: parameters.map((parameter) => this.#parameter(parameter, id, path)) } : {}),
      ...(operation.requestBody ? { requestBody: this.#content(operation.requestBody as Json, `${id}Form`) } : {}),
      responses: mapValues(operation.responses, (response) =>
        "$ref" in response ? response : this.#content(response, `${id}Response`),
      ),
    };
  }

  #event(operation: Json, type: string): Json {
    const text = this.#lookup.find(type);
    if (text === undefined) return operation;
    const { operationId, summary, ...rest } = operation;
    return { operationId, summary: toMarkdown(text), description: summary, ...rest };
  }

  #parameter(parameter: Json, operation: string, path: string): Json {
    if ("$ref" in parameter) return parameter;
    const name = String(parameter.name);
    const place = path.slice(0, path.indexOf(`{${name}}`) + name.length + 2);
    const text = parameter.in === "path" ? this.#lookup.find(place) : this.#lookup.find(`${operation}?${name}`);
    const key = parameter.in === "path" ? place : `${operation}?${name}`;
    const { name: _, in: location, required, description, schema, ...rest } = parameter;
    if (text !== undefined && parameter.in !== "path" && description !== undefined)
      this.#problems.push(`${key}: is described twice.`);
    if (text !== undefined) this.#problems.push(...valueProblems(key, text, enumeration(schema as Json)));
    const words = [text === undefined ? [] : toMarkdown(text), description ?? []].flat().join(" ");
    return {
      ...{ name, in: location, required },
      ...(words === "" ? {} : { description: words }),
      schema: this.#schema(schema as Json, key),
      ...rest,
    };
  }

  #content(holder: Json, key: string): Json {
    if (holder.content === undefined) return holder;
    const content = mapValues(holder.content, (media) =>
      media.schema === undefined ? media : { ...media, schema: this.#schema(media.schema as Json, key) },
    );
    return { ...holder, content };
  }

  #component(schema: Json, name: string): Json {
    const described = this.#schema(schema, name);
    return "$ref" in described
      ? described
      : this.#withText(described, name, this.#lookup.find(name) ?? this.#derived.get(name));
  }

  /** The schema with the descriptions of the fields in it. */
  #schema(schema: Json, path: string): Json {
    const inEach = (parts: unknown) => (parts as Json[]).map((part) => this.#schema(part, path));
    const { properties, items, additionalProperties, anyOf, oneOf, allOf } = schema;
    return {
      ...schema,
      ...(properties
        ? { properties: mapValues(properties, (field, name) => this.#field(field, `${path}.${name}`)) }
        : {}),
      ...(isSchema(items) ? { items: this.#schema(items, `${path}[]`) } : {}),
      ...(isSchema(additionalProperties)
        ? { additionalProperties: this.#schema(additionalProperties, `${path}.*`) }
        : {}),
      ...(anyOf ? { anyOf: inEach(anyOf) } : {}),
      ...(oneOf ? { oneOf: inEach(oneOf) } : {}),
      ...(allOf ? { allOf: inEach(allOf) } : {}),
    };
  }

  #field(field: Json, key: string): Json {
    const described = this.#schema(field, key);
    // What a reference names describes itself.
    if ("$ref" in field) return described;
    return this.#withText(
      described,
      key,
      field.description === undefined ? this.#lookup.findField(key) : this.#lookup.find(key),
    );
  }

  #withText(schema: Json, key: string, text: Text | undefined): Json {
    if (text === undefined) return schema;
    if (schema.description !== undefined) this.#problems.push(`${key}: is described twice.`);
    this.#problems.push(...valueProblems(key, text, enumeration(schema)));
    const { type, ...rest } = schema;
    return { ...(type === undefined ? {} : { type }), description: toMarkdown(text), ...rest };
  }
}

/** What the schema of a body or of data is for, by its name: that of its operation. */
function derivedTexts(document: Json): Map<string, string> {
  const operations = Object.values(document.paths as Json).flatMap((item) => Object.values(item as Json) as Json[]);
  return new Map(
    operations.flatMap(({ operationId }) => {
      const id = String(operationId);
      const type = typeName(id);
      return [
        [`${type}Data`, `The data that \`${id}\` returns.`],
        [`${type}Request`, `The body that \`${id}\` takes.`],
      ] as const;
    }),
  );
}

/** The values of an enumeration, of one that may be null, and of a list of such values. */
export function enumeration(schema: Json): readonly unknown[] {
  if (Array.isArray(schema.enum)) return schema.enum.filter((value) => value !== null);
  const parts = [...((schema.anyOf as Json[] | undefined) ?? []), ...(isSchema(schema.items) ? [schema.items] : [])];
  return parts.flatMap(enumeration);
}

function isSchema(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function mapValues(value: unknown, change: (member: Json, name: string) => Json): Json {
  return Object.fromEntries(
    Object.entries(value as Record<string, Json>).map(([name, one]) => [name, change(one, name)]),
  );
}

function mapItems(value: unknown, change: (operation: Json, path: string) => Json): Json {
  return mapValues(value, (item, path) =>
    mapValues(item, (operation, method) => (METHODS.includes(method) ? change(operation, path) : operation)),
  );
}

function without(json: Json, field: string): Json {
  return Object.fromEntries(Object.entries(json).filter(([name]) => name !== field));
}
