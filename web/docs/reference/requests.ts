import { type Json, list, type Operation, object, resolve, strings, text } from "./document.ts";
import { sample } from "./samples.ts";

/** A parameter of an operation. */
export interface Parameter {
  readonly name: string;
  readonly place: "path" | "query" | "header" | "cookie";
  readonly isRequired: boolean;
  readonly description: string;
  readonly schema: unknown;
  readonly example: unknown;
}

/** One exchange that was recorded by running the operation. */
export interface Exchange {
  readonly name: string;
  readonly summary: string;
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: unknown;
  };
  readonly response: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: unknown;
  };
}

export function parameters(document: Json, { declaration }: Operation): Parameter[] {
  return list(declaration.parameters).map((parameter) => {
    const { name, in: place, required, description, schema, example } = resolve(document, parameter);
    return {
      name: text(name),
      place: text(place) as Parameter["place"],
      isRequired: required === true,
      description: text(description),
      schema,
      example,
    };
  });
}

/** The body of a request. Null if the operation takes none. */
export function requestBody(
  document: Json,
  { declaration }: Operation,
): { readonly mediaType: string; readonly schema: unknown; readonly isRequired: boolean } | null {
  if (declaration.requestBody === undefined) return null;
  const { content, required } = resolve(document, declaration.requestBody);
  const [mediaType, media] = Object.entries(object(content))[0] ?? ["", {}];
  return { mediaType, schema: object(media).schema, isRequired: required === true };
}

/** The exchanges that were recorded, if the document has them. */
export function exchanges({ declaration }: Operation): readonly Exchange[] {
  return list(declaration["x-examples"]) as readonly Exchange[];
}

/** The recorded request to show: one that succeeded, else one that was refused for its caller alone. */
export function recordedRequest(operation: Operation): Exchange["request"] | undefined {
  const recorded = exchanges(operation);
  const shown = recorded.find(({ response }) => response.status < 400);
  return (shown ?? recorded.find(({ response }) => response.status === 403))?.request;
}

/** A body to show: the recorded one, else one that the schema accepts. Undefined if the operation takes none. */
export function exampleBody(document: Json, operation: Operation): unknown {
  const body = requestBody(document, operation);
  if (body === null) return undefined;
  const recorded = recordedRequest(operation)?.body;
  if (recorded !== undefined) return recorded;
  return body.mediaType.includes("json") ? sample(document, body.schema) : undefined;
}

/** What may call an operation. */
export interface Access {
  /** The scopes of keys; null if a key is refused. */
  readonly keyScopes: readonly string[] | null;
  readonly takesSession: boolean;
  readonly needsCsrf: boolean;
  /** The least role of a person; null if there is none. */
  readonly role: string | null;
}

export function access({ declaration }: Operation): Access {
  const schemes = list(declaration.security).map((option) => Object.keys(object(option)));
  const scopes = strings(declaration["x-key-scopes"]);
  return {
    keyScopes: schemes.some((names) => names.includes("apiKey"))
      ? scopes.length > 0
        ? scopes
        : ["live", "test"]
      : null,
    takesSession: schemes.some((names) => names.includes("session")),
    needsCsrf: schemes.some((names) => names.includes("csrfToken")),
    role: text(declaration["x-role"]) || null,
  };
}
