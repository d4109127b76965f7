/** A part of the OpenAPI document, as it was parsed. */
export type Json = { readonly [name: string]: unknown };

/** One operation of the document. */
export interface Operation {
  readonly id: string;
  /** Upper case. */
  readonly method: string;
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  readonly declaration: Json;
}

const METHODS = ["get", "post", "put", "patch", "delete"] as const;

/** Every operation, in the order of the document. */
export function listOperations(document: Json): Operation[] {
  return Object.entries(object(document.paths)).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const declaration = object(item)[method];
      if (declaration === undefined) return [];
      const { operationId, summary, description, tags } = declaration as Json;
      const [tag = "Other"] = strings(tags);
      return {
        id: text(operationId) || `${method}-${path}`,
        method: method.toUpperCase(),
        path,
        tag,
        summary: text(summary),
        description: text(description),
        declaration: declaration as Json,
      };
    }),
  );
}

/** The value, or what its `$ref` names. Throws if the document does not have it. */
export function resolve(document: Json, value: unknown): Json {
  const json = object(value);
  const { $ref, ...rest } = json;
  if (typeof $ref !== "string") return json;
  let target: unknown = document;
  for (const part of $ref.replace(/^#\//, "").split("/")) {
    target = object(target)[decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~")];
  }
  if (target === undefined) throw new Error(`The document has no ${$ref}.`);
  return { ...resolve(document, target), ...rest };
}

export function object(value: unknown): Json {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function strings(value: unknown): string[] {
  return list(value).filter((item) => typeof item === "string");
}

export function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
