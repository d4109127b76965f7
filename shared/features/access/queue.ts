import * as z from "zod/mini";
import { isUlid } from "#base/kernel/ids.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import { type Traced, traceField } from "#base/kernel/trace.ts";
import { decodeBody, encodeBody, tenant, traceId, version } from "#base/queues/envelope.ts";

/** A mail to send. It names a row of the table: a queue has no address and no sign-in token. */
export type MailMessage = Traced &
  (
    | {
        readonly kind: "sign_in";
        /** The SHA-256 of the sign-in token, in hex. */
        readonly loginId: string;
      }
    | {
        readonly kind: "invite";
        readonly tenant: TenantId;
        /** `inv_<ULID>` */
        readonly inviteId: string;
      }
  );

const LOGIN_ID = /^[0-9a-f]{64}$/;
const INVITE_PREFIX = "inv_";

const inviteId = z
  .string()
  .check(z.refine((text) => text.startsWith(INVITE_PREFIX) && isUlid(text.slice(INVITE_PREFIX.length))));

const schema = z.discriminatedUnion("kind", [
  z.object({
    v: version,
    kind: z.literal("sign_in"),
    login_id: z.string().check(z.regex(LOGIN_ID)),
    trace_id: traceId,
  }),
  z.object({ v: version, kind: z.literal("invite"), tenant, invite_id: inviteId, trace_id: traceId }),
]);

export function encodeMail(message: MailMessage): string {
  const { kind } = message;
  return kind === "sign_in"
    ? encodeBody({ kind, login_id: message.loginId }, message)
    : encodeBody({ kind, tenant: message.tenant, invite_id: message.inviteId }, message);
}

export function decodeMail(text: string): MailMessage | null {
  return decodeBody(
    text,
    schema,
    (body): MailMessage => {
      const traced = traceField(body.trace_id);
      return body.kind === "sign_in"
        ? { kind: body.kind, loginId: body.login_id, ...traced }
        : { kind: body.kind, tenant: body.tenant, inviteId: body.invite_id, ...traced };
    },
    // The release before this one had no such queue.
    () => null,
  );
}
