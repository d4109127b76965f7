import type { Json } from "#http/openapi/schemas.ts";
import { compareSchemas } from "./schemas.ts";
import type { Comparison, Versions } from "./versions.ts";

/** The media types of a body, with their schemas. @param bodies each with its `content` */
export function compareMessages(comparison: Comparison, bodies: Versions, path: string): string[] {
  const released = (bodies.released.content as Json | undefined) ?? {};
  const current = (bodies.current.content as Json | undefined) ?? {};
  return Object.entries(released).flatMap(([type, media]) => {
    const other = current[type] as Json | undefined;
    if (!other) return [`${path}: ${type} was removed.`];
    const schemas = { released: schemaOf(media as Json), current: schemaOf(other) };
    return compareSchemas(comparison, schemas, path);
  });
}

function schemaOf({ schema }: Json): Json {
  return (schema as Json | undefined) ?? {};
}
