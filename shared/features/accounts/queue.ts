import * as z from "zod/mini";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import { type Traced, traceField } from "#base/kernel/trace.ts";
import { decodeBody, encodeBody, tenant, traceId, ulid, version } from "#base/queues/envelope.ts";
import { type AccountRef, accountKey, parseAccountKey } from "./rules/accounts.ts";

/** Why an account was disconnected. */
export const disconnectReasons = ["user", "platform_deauthorized"] as const;
export type DisconnectReason = (typeof disconnectReasons)[number];

interface OfAccount {
  readonly tenant: TenantId;
  readonly account: AccountRef;
}

/** A task of one connection. A later connection of the account has another id. */
interface OfConnection extends OfAccount {
  /** A ULID; empty for an account that was connected before connections had ids. */
  readonly connectionId: string;
}

/** Work on an account outside of a request. It names rows of the table: a queue has no token and no text. */
export type AccountTask =
  /** Completes a connection whose process died: the subscription, then the event. */
  | ({
      readonly op: "finish_connect";
      /** The person who connected it. Absent in messages of the previous release, and for any other actor. */
      readonly userId?: string | undefined;
    } & OfConnection)
  /** Completes a disconnection whose process died. */
  | ({
      readonly op: "disconnect";
      readonly reason: DisconnectReason;
      /** Who requested it, as the audit log names them. */
      readonly actor: string;
      /** The member who requested it; null for any other actor. */
      readonly userId: string | null;
      readonly ip: string | null;
      /** When it was requested. */
      readonly at: Millis;
    } & OfConnection)
  /** Asks the platform whether the account still works. `dueAt`: when the check was due; absent for one at once. */
  | ({ readonly op: "check"; readonly dueAt?: Millis } & OfAccount)
  /**
   * Subscribes the app for the accounts that use a page, where it is not: the subscription was ended while one of them came.
   * It names one of them.
   */
  | ({
      readonly op: "reconcile_subscription";
      /** Null for an account of Instagram Login, which has a subscription of its own. */
      readonly pageId: string | null;
    } & OfAccount)
  /** Fetches the messages that no webhook brought. */
  | ({
      readonly op: "backfill";
      readonly since: Millis;
      readonly until: Millis;
      /** The platform's cursor of the next page; null for the first. */
      readonly after: string | null;
      /** The number of threads that earlier messages processed. */
      readonly done: number;
      /**
       * The threads are listed again until none moved while they were read. `start`: when this pass began; `floor`: it
       * reads the threads that moved since then. Absent at the start.
       */
      readonly pass?: { readonly start: Millis; readonly floor: Millis } | undefined;
    } & OfConnection)
  /** Erases the conversations of an account whose login requested it from the platform. */
  | ({
      readonly op: "erase_conversations";
      /** The confirmation code of the request; null for none. */
      readonly code: string | null;
      /** The sweep's run that queued it: of several, only the newest goes on. Absent in messages of the previous release. */
      readonly run?: string | undefined;
      /** Where an earlier message stopped; null at the start of a pass. */
      readonly after: string | null;
      /** Whether earlier messages of this pass erased a conversation. */
      readonly erased: boolean;
      /** When this pass began. Absent at the start of a pass. */
      readonly began?: Millis | undefined;
      /** An earlier pass read what is older than this; absent in the first pass. */
      readonly floor?: Millis | undefined;
    } & OfAccount);

export type AccountMessage = Traced & AccountTask;

const account = z
  .string()
  .check(z.refine((key) => parseAccountKey(key) !== null))
  .check(z.maxLength(100));
const connectionId = z.union([ulid, z.literal("")]);
const time = z.int().check(z.nonnegative());
const cursor = z.nullable(z.string());

const common = { v: version, tenant, account, trace_id: traceId };

/** The operations that have another name in a message than in the code. A message of an earlier release has it too. */
const wireOperations = { disconnect: "let_go", backfill: "fill_gap" } as const;

/** The operation of a task as its message has it. */
export const wireOperation = (op: AccountTask["op"]) =>
  op === "disconnect" || op === "backfill" ? wireOperations[op] : op;

const schema = z.discriminatedUnion("op", [
  z.object({
    ...common,
    op: z.literal("finish_connect"),
    connection_id: connectionId,
    user_id: z.optional(z.string()),
  }),
  z.object({
    ...common,
    op: z.literal(wireOperations.disconnect),
    connection_id: connectionId,
    reason: z.enum(disconnectReasons),
    actor: z.string(),
    user_id: z.nullable(z.string()),
    ip: z.nullable(z.string()),
    at: time,
  }),
  z.object({ ...common, op: z.literal("check"), due_at: z.optional(time) }),
  z.object({ ...common, op: z.literal("reconcile_subscription"), page_id: z.nullable(z.string()) }),
  z.object({
    ...common,
    op: z.literal(wireOperations.backfill),
    connection_id: connectionId,
    since: time,
    until: time,
    after: cursor,
    done: time,
    pass: z.optional(z.object({ start: time, floor: time })),
  }),
  z.object({
    ...common,
    op: z.literal("erase_conversations"),
    code: cursor,
    run: z.optional(ulid),
    after: cursor,
    erased: z.boolean(),
    began: z.optional(time),
    floor: z.optional(time),
  }),
]);

export function encodeAccountTask(message: AccountMessage): string {
  const { tenant, account, traceId: _, ...task } = message;
  const absent = { connectionId: undefined, userId: undefined, dueAt: undefined, pageId: undefined };
  const { connectionId, userId, dueAt, pageId, ...fields } = { ...absent, ...task };
  const ids = { connection_id: connectionId, user_id: userId, due_at: dueAt, page_id: pageId };
  const op = wireOperation(fields.op);
  return encodeBody({ tenant, account: accountKey(account), ...ids, ...fields, op }, message);
}

export function decodeAccountTask(text: string): AccountMessage | null {
  return decodeBody(
    text,
    schema,
    ({ v: _, account: key, trace_id: id, ...body }): AccountMessage | null => {
      const account = parseAccountKey(key);
      if (!account) return null;
      const common = { account, ...traceField(id) };
      if (body.op === wireOperations.disconnect) {
        const { connection_id: connectionId, user_id: userId, ...fields } = body;
        return { ...fields, ...common, op: "disconnect", connectionId, userId };
      }
      if (body.op === wireOperations.backfill) {
        const { connection_id: connectionId, ...fields } = body;
        return { ...fields, ...common, op: "backfill", connectionId };
      }
      if (body.op === "finish_connect") {
        const { connection_id: connectionId, user_id: userId, ...fields } = body;
        return { ...fields, ...common, connectionId, ...(userId === undefined ? {} : { userId }) };
      }
      if (body.op === "check") {
        const { due_at: dueAt, ...fields } = body;
        return { ...fields, ...common, ...(dueAt === undefined ? {} : { dueAt }) };
      }
      if (body.op === "reconcile_subscription") {
        const { page_id: pageId, ...fields } = body;
        return { ...fields, ...common, pageId };
      }
      return { ...body, ...common };
    },
    // The release before this one had no such queue.
    () => null,
  );
}
