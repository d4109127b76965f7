import type { Json } from "#http/openapi/schemas.ts";
import { compareMessages } from "./messages.ts";
import { compareOperations, compareParameters, compareResponses } from "./operations.ts";
import { compareSchemas } from "./schemas.ts";
import type { Versions } from "./versions.ts";

const methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

/**
 * What a document takes away from the clients of a released one: each removed or narrowed path, method, parameter, field,
 * status, code, value, event and frame. Additions are no problems: a request may have more, and a response may say more.
 */
export function compareDocuments(documents: Versions): string[] {
  const problems = [
    ...compareServers(documents),
    ...compareCredentials(documents),
    ...compareItems(documents, "paths", compareOperations),
    ...compareItems(documents, "webhooks", compareEvent),
    ...compareUnrouted(documents),
    ...compareStream(documents),
  ];
  return [...new Set(problems)];
}

/** The URLs to which the paths are relative. */
function compareServers(documents: Versions): string[] {
  const urlsOf = ({ servers = [] }: Json) => (servers as { readonly url: string }[]).map(({ url }) => url);
  const current = urlsOf(documents.current);
  return urlsOf(documents.released)
    .filter((url) => !current.includes(url))
    .map((url) => `The server ${url}: was removed.`);
}

/** How a client sends each credential. */
function compareCredentials(documents: Versions): string[] {
  const schemesOf = ({ components }: Json) =>
    ((components as Json | undefined)?.securitySchemes ?? {}) as Record<string, Json>;
  const current = schemesOf(documents.current);
  return Object.entries(schemesOf(documents.released)).flatMap(([name, scheme]) => {
    const other = current[name];
    if (!other) return [`The credential ${name}: was removed.`];
    return Object.entries(scheme)
      .filter(
        ([keyword, value]) => keyword !== "description" && JSON.stringify(other[keyword]) !== JSON.stringify(value),
      )
      .map(([keyword, value]) => `The credential ${name}: ${keyword} was ${value}.`);
  });
}

type Compare = (documents: Versions, operations: Versions, name: string) => string[];

function compareItems(documents: Versions, section: "paths" | "webhooks", compare: Compare): string[] {
  const current = (documents.current[section] ?? {}) as Record<string, Json>;
  return Object.entries((documents.released[section] ?? {}) as Record<string, Json>).flatMap(([path, item]) =>
    methods
      .filter((method) => method in item)
      .flatMap((method) => {
        const name = section === "webhooks" ? `event ${path}` : `${method.toUpperCase()} ${path}`;
        const operation = current[path]?.[method] as Json | undefined;
        if (!operation) return [`${name}: was removed.`];
        return compare(documents, { released: item[method] as Json, current: operation }, name);
      }),
  );
}

/** The request that an endpoint gets: what Parley sends is a promise. An endpoint answers as before. */
function compareEvent(documents: Versions, { released, current }: Versions, name: string): string[] {
  const comparison = { ...documents, direction: "response" } as const;
  const bodies = { released: released.requestBody as Json, current: (current.requestBody ?? {}) as Json };
  const answers = Object.keys((current.responses ?? {}) as Json);
  return [
    ...Object.keys((released.responses ?? {}) as Json)
      .filter((status) => !answers.includes(status))
      .map((status) => `${name}: no longer accepts the answer ${status}.`),
    ...(bodies.released.required === true && bodies.current.required !== true
      ? [`${name}: the body may now be absent.`]
      : []),
    ...compareParameters(comparison, { released, current }, name),
    ...compareMessages(comparison, bodies, `${name}: body`),
  ];
}

function compareUnrouted(documents: Versions): string[] {
  const released = documents.released["x-unrouted"] as Json | undefined;
  const current = (documents.current["x-unrouted"] ?? { responses: {} }) as Json;
  return released ? compareResponses(documents, { released, current }, "A request without a route") : [];
}

interface Frame {
  readonly name: string;
  readonly schema: Json;
}

interface Frames {
  readonly frames: readonly Frame[];
  readonly failure?: Frame;
}

function compareStream(documents: Versions): string[] {
  const framesOf = (document: Json, side: "client" | "server") => {
    const { frames = [], failure } = (document["x-realtime"] as Record<string, Frames> | undefined)?.[side] ?? {};
    return [...frames, ...(failure ? [failure] : [])].map(({ name, schema }) => [name, schema] as const);
  };
  return (["client", "server"] as const).flatMap((side) => {
    const current = new Map(framesOf(documents.current, side));
    const direction = side === "client" ? "request" : "response";
    return framesOf(documents.released, side).flatMap(([name, schema]) => {
      const other = current.get(name);
      const frame = `frame ${name}`;
      if (!other) return [`${frame}: was removed.`];
      return compareSchemas({ ...documents, direction }, { released: schema, current: other }, frame);
    });
  });
}
