import type { Fields } from "../http/fields.ts";

/** The fields that name a message. */
export const messageFields = ["mid", "reply_to"];

/** The fields of a step with the ids of the messages that earlier steps named. */
export function withMessageIds(fields: Fields, mids: ReadonlyMap<string, string>): Fields {
  const ids = messageFields.flatMap((field) => {
    const value = fields[field];
    return typeof value === "string" && value.startsWith("$") ? [[field, mids.get(value.slice(1))]] : [];
  });
  return { ...fields, ...Object.fromEntries(ids) };
}
