import { readFileSync } from "node:fs";

// biome-ignore lint/suspicious/noExplicitAny: a schema is read by its keywords
export type Schema = any;

/** A parameter or a response header. */
export interface DocumentedValue {
  readonly name: string;
  readonly in?: "path" | "query" | "header" | "cookie";
  readonly required?: boolean;
  readonly schema?: Schema;
}

interface DocumentedContent {
  readonly [mediaType: string]: { readonly schema?: Schema };
}

export interface DocumentedResponse {
  readonly headers?: { readonly [name: string]: { readonly required?: boolean; readonly schema?: Schema } };
  readonly content?: DocumentedContent;
}

export interface DocumentedOperation {
  readonly operationId: string;
  readonly parameters?: readonly DocumentedValue[];
  readonly requestBody?: { readonly required?: boolean; readonly content: DocumentedContent };
  readonly responses: { readonly [status: string]: DocumentedResponse };
}

/** A frame of the realtime stream. */
interface DocumentedFrame {
  readonly name: string;
  readonly schema: Schema;
}

export interface ApiDocument {
  readonly paths: { readonly [path: string]: { readonly [method: string]: DocumentedOperation } };
  /** The events, by type. */
  readonly webhooks: { readonly [type: string]: { readonly post: DocumentedOperation } };
  readonly "x-realtime": {
    readonly client: { readonly frames: readonly DocumentedFrame[] };
    readonly server: { readonly frames: readonly DocumentedFrame[]; readonly failure: DocumentedFrame };
  };
}

const servedFile = new URL("../../../docs/openapi.json", import.meta.url);

/** The paths of pages and their files, which the served document leaves out. */
const pagesFile = new URL("./pages.json", import.meta.url);

/** The document that `GET /openapi.json` serves. */
export function readPublishedDocument(): ApiDocument {
  return readJson(servedFile);
}

/** The published document with the paths of pages: everything that a deployment serves. */
export function readServedDocument(): ApiDocument {
  const [served, pages] = [servedFile, pagesFile].map(readJson);
  const { schemas, responses, ...components } = served.components;
  return {
    ...served,
    paths: { ...served.paths, ...pages.paths },
    components: {
      ...components,
      schemas: { ...pages.components.schemas, ...schemas },
      responses: { ...pages.components.responses, ...responses },
    },
  };
}

// biome-ignore lint/suspicious/noExplicitAny: a document is read by its paths
function readJson(file: URL): any {
  return JSON.parse(readFileSync(file, "utf8"));
}

/** The target of a JSON pointer such as `#/components/headers/Tenant`. Throws when there is none. */
export function resolveRef(document: object, ref: string): Schema {
  const segments = ref.replace(/^#\//, "").split("/");
  const target = segments.reduce<Schema>(
    (node, segment) => node?.[decodeURIComponent(segment).replaceAll("~1", "/").replaceAll("~0", "~")],
    document,
  );
  if (!ref.startsWith("#/") || target === undefined) throw new Error(`The document has no ${ref}.`);
  return target;
}

/** The node, or what its `$ref` names. */
export function dereference<T>(document: object, node: T): T {
  const ref = (node as { readonly $ref?: string } | null)?.$ref;
  return ref === undefined ? node : dereference(document, resolveRef(document, ref));
}
