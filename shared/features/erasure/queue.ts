import * as z from "zod/mini";
import type { TenantId } from "#base/kernel/tenant.ts";
import { type Traced, traceField } from "#base/kernel/trace.ts";
import { decodeBody, encodeBody, readV1Tenant, tenant, traceId, ulid, version } from "#base/queues/envelope.ts";

/** An erasure to continue. It is identified by a hash, because the conversation's id contains a person's id. */
export interface ErasureMessage extends Traced {
  readonly tenant: TenantId;
  readonly erasureId: string;
  /** The id of the start that the message was sent before. The background refuses that start if it comes later. */
  readonly op?: string;
}

const ERASURE_ID = /^[0-9a-f]{64}$/;

const schema = z.object({
  v: version,
  tenant,
  erasure_id: z.string().check(z.regex(ERASURE_ID)),
  op: z.optional(ulid),
  trace_id: traceId,
});

export function encodeErasure(message: ErasureMessage): string {
  return encodeBody({ tenant: message.tenant, erasure_id: message.erasureId, op: message.op }, message);
}

export function decodeErasure(text: string): ErasureMessage | null {
  return decodeBody(
    text,
    schema,
    (body) => ({
      tenant: body.tenant,
      erasureId: body.erasure_id,
      ...(body.op ? { op: body.op } : {}),
      ...traceField(body.trace_id),
    }),
    readV1,
  );
}

function readV1(body: Readonly<Record<string, unknown>>): ErasureMessage | null {
  const tenant = readV1Tenant(body);
  const { er } = body;
  return tenant && typeof er === "string" && ERASURE_ID.test(er) ? { tenant, erasureId: er } : null;
}
