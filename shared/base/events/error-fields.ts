import * as z from "zod/mini";

/** The error of a hold or an upload. */
export function errorFields() {
  return z.object({ code: z.string(), message: z.string(), detail: z.nullable(z.string()) });
}
