import * as z from "zod/mini";
import { isUlid } from "#base/kernel/ids.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import { type Traced, traceField } from "#base/kernel/trace.ts";
import { decodeBody, encodeBody, positiveInteger, tenant, traceId, version } from "#base/queues/envelope.ts";

/** A mail to the owners of a tenant about an endpoint. */
export interface EndpointNotice {
  readonly kind: "endpoint_notice";
  /** `failing`: all deliveries fail; `paused`: and Parley paused it; `gone`: it was paused because its receiver answered 410. */
  readonly what: (typeof endpointNotices)[number];
  readonly endpointId: string;
  /** Since when all deliveries fail; null for `gone`. */
  readonly since: Millis | null;
}

/** A mail to the owners of a tenant about an account. */
export interface AccountNotice {
  readonly kind: "account_notice";
  readonly what: (typeof accountNotices)[number];
  /** The account's key. */
  readonly account: string;
  /** The connection that it is about: a ULID, or empty for one from before connections had ids. */
  readonly connectionId: string;
  /** The person who connected it and gets the mail as well; null where there is none. */
  readonly userId: string | null;
}

const endpointNotices = ["failing", "paused", "gone"] as const;
const accountNotices = ["connected", "needs_reauth", "refresh_failing"] as const;

/** Stands for the owner whom the operator named and who has not signed in. */
export const NAMED_OWNER = "owner";

interface OfRecipient {
  readonly tenant: TenantId;
  /** The user id of who gets the mail, or `NAMED_OWNER`. Null: it is still to find out, and each gets a message of their own. */
  readonly recipient: string | null;
}

/** A mail to send. It names a row of the table: a queue has no address, no text and no sign-in token. */
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
    | (EndpointNotice & OfRecipient)
    | (AccountNotice & OfRecipient)
  );

const LOGIN_ID = /^[0-9a-f]{64}$/;
const INVITE_PREFIX = "inv_";

const inviteId = z
  .string()
  .check(z.refine((text) => text.startsWith(INVITE_PREFIX) && isUlid(text.slice(INVITE_PREFIX.length))));

const recipient = z.nullable(z.string());

const schema = z.discriminatedUnion("kind", [
  z.object({
    v: version,
    kind: z.literal("sign_in"),
    login_id: z.string().check(z.regex(LOGIN_ID)),
    trace_id: traceId,
  }),
  z.object({ v: version, kind: z.literal("invite"), tenant, invite_id: inviteId, trace_id: traceId }),
  z.object({
    v: version,
    kind: z.literal("endpoint_notice"),
    tenant,
    recipient,
    what: z.enum(endpointNotices),
    endpoint_id: z.string(),
    since: z.nullable(positiveInteger),
    trace_id: traceId,
  }),
  z.object({
    v: version,
    kind: z.literal("account_notice"),
    tenant,
    recipient,
    what: z.enum(accountNotices),
    account: z.string(),
    connection_id: z.string(),
    user_id: z.nullable(z.string()),
    trace_id: traceId,
  }),
]);

export function encodeMail(message: MailMessage): string {
  const { kind } = message;
  switch (kind) {
    case "sign_in":
      return encodeBody({ kind, login_id: message.loginId }, message);
    case "invite":
      return encodeBody({ kind, tenant: message.tenant, invite_id: message.inviteId }, message);
    case "endpoint_notice": {
      const { tenant, recipient, what, endpointId: endpoint_id, since } = message;
      return encodeBody({ kind, tenant, recipient, what, endpoint_id, since }, message);
    }
    case "account_notice": {
      const { tenant, recipient, what, account, connectionId: connection_id, userId: user_id } = message;
      return encodeBody({ kind, tenant, recipient, what, account, connection_id, user_id }, message);
    }
  }
}

export function decodeMail(text: string): MailMessage | null {
  return decodeBody(
    text,
    schema,
    (body): MailMessage => {
      const traced = traceField(body.trace_id);
      switch (body.kind) {
        case "sign_in":
          return { kind: body.kind, loginId: body.login_id, ...traced };
        case "invite":
          return { kind: body.kind, tenant: body.tenant, inviteId: body.invite_id, ...traced };
        case "endpoint_notice": {
          const { kind, tenant, recipient, what, endpoint_id: endpointId, since } = body;
          return { kind, tenant, recipient, what, endpointId, since, ...traced };
        }
        case "account_notice": {
          const { kind, tenant, recipient, what, account, connection_id: connectionId, user_id: userId } = body;
          return { kind, tenant, recipient, what, account, connectionId, userId, ...traced };
        }
      }
    },
    // The release before this one had no such queue.
    () => null,
  );
}
