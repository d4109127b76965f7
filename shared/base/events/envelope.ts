import * as z from "zod/mini";
import { API_VERSION } from "./events.ts";

/** The schema of an envelope with this type and data. */
export function envelopeSchema<Type extends string, Data extends z.ZodMiniType>(type: Type, data: Data) {
  return z.object({
    id: z.string().check(z.regex(/^evt_[0-7][0-9A-HJKMNP-TV-Z]{25}$/)),
    type: z.literal(type),
    api_version: z.literal(API_VERSION),
    created_at: z.iso.datetime(),
    tenant_id: z.string(),
    data,
  });
}
