import type { $ZodType, output } from "zod/v4/core";
import type { Reason, Refusal } from "#base/kernel/refusals.ts";
import type { RequestTime } from "#base/kernel/request-time.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Millis } from "#base/kernel/time.ts";
import type { Caller, CallerAuthor, KeyCaller, Role, SessionCaller } from "#features/access/rules/callers.ts";
import type { Deprecation } from "./deprecation.ts";
import type { ReadableHeaders } from "./header-map.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
/** The credential that a route requires. "caller": an API key, or the session of a signed-in person. */
export type Auth = "key" | "caller" | "session" | "none";
/** "query": from `?tenant=` and the caller. "resource": the handler derives it from the resource in the request. */
export type TenantSource = "query" | "resource" | "none";
export type Status = 200 | 201 | 202 | 204 | 301 | 302 | 303;
export type Body = $ZodType | "bytes" | undefined;

/** Refusals of every route. A handler may return them without declaring them. */
export const commonRefusals = ["invalid_request", "payload_too_large", "internal_error"] as const;
const identifiedRefusals = [
  "unauthorized",
  "tenant_required",
  "tenant_forbidden",
  "tenant_suspended",
  "too_many_requests",
] as const;
const keyRefusals = [...identifiedRefusals, "live_key_required"] as const;
const sessionRefusals = [...identifiedRefusals, "no_membership", "role_forbidden", "csrf_failed"] as const;
/** Refusals of the routes that require such a credential. A handler may return them without declaring them. */
const authRefusals = {
  key: keyRefusals,
  caller: [...keyRefusals, "no_membership", "role_forbidden", "csrf_failed"],
  session: sessionRefusals,
  none: [],
} as const satisfies Record<Auth, readonly Reason[]>;

/** The refusals that the credential, the tenant, the role and the method of a route may cause. */
export function callerRefusals<P>({ auth, tenant, role, method, liveKeyOnly }: Endpoint<P>): readonly Reason[] {
  const isPossible: Partial<Record<Reason, boolean>> = {
    live_key_required: liveKeyOnly === true,
    tenant_required: tenant === "query",
    no_membership: tenant === "query",
    tenant_forbidden: tenant === "query",
    // A key belongs to tenants; a person is refused only for a tenant of the request.
    tenant_suspended: auth !== "session" || tenant !== "none",
    role_forbidden: role !== null,
    csrf_failed: method !== "GET",
  };
  return authRefusals[auth].filter((reason) => isPossible[reason] ?? true);
}

/** The refusals that a handler may return without declaring them. */
export type CommonReason<A extends Auth> = (typeof commonRefusals)[number] | (typeof authRefusals)[A][number];

/** "slug": the parameter of the path. "conversation_id": the field of the body. */
export type NamesTenant = "slug" | "conversation_id";

type ErrorFields = { readonly [status: number]: $ZodType };

type ParameterName<Path> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | ParameterName<Rest> : never;

/** What a handler may read of the request itself. */
export interface RequestMetadata {
  readonly correlationId: string;
  /** The client address that the gateway reports. Null without a gateway. */
  readonly sourceIp: string | null;
  /** As sent: HEAD where a GET route answers a HEAD. */
  readonly method: string;
  readonly headers: ReadableHeaders;
  /** The query string as sent, without its question mark. */
  readonly query: string;
}

/** The validated input of a handler. `now` is read once per request; `time` is for work that takes time. */
export interface Input<P, Path extends string, Q, B> {
  /** Each parameter is decoded exactly once. A value that is not valid percent-encoding arrives as sent. */
  readonly path: { readonly [Name in ParameterName<Path>]: string };
  readonly query: Q extends $ZodType ? output<Q> : Record<never, never>;
  readonly body: B extends $ZodType ? output<B> : B extends "bytes" ? Uint8Array : undefined;
  /** The caller's `Idempotency-Key`. Null when it sent none or the route does not read it. */
  readonly idempotencyKey: string | null;
  /** To be called when the result is that of an earlier request with the same key. */
  readonly onReplay: () => void;
  /** Adds cookies to the response, as values of Set-Cookie. */
  readonly setCookies: (cookies: readonly string[]) => void;
  readonly request: RequestMetadata;
  readonly now: Millis;
  readonly time: RequestTime;
  readonly ports: P;
}

interface CallerOf {
  readonly key: KeyCaller;
  readonly caller: Caller;
  readonly session: SessionCaller;
}

/** The input of a handler behind a credential. With the tenant source "query" it has the tenant. */
export type CallerInput<A extends keyof CallerOf, T extends TenantSource, I> = I & {
  readonly caller: CallerOf[A];
  /** The caller as the author of a change. */
  readonly author: CallerAuthor<CallerOf[A]>;
} & (T extends "query" ? { readonly tenant: TenantId } : unknown);

/** One route. Validation, the OpenAPI operation and the allowed refusals derive from it. Schemas: zod or zod/mini. */
export interface Declaration<
  Path extends string,
  Q extends $ZodType | undefined,
  B extends Body,
  R extends Reason,
  D extends $ZodType,
> {
  /** The unique camelCase operationId. Request logs name the route by it. */
  readonly operation: string;
  readonly method: Method;
  /** `/v1/things/{id}`. A literal segment wins over a parameter, regardless of the order. */
  readonly path: Path;
  /** The path's last parameter may contain `/`, as the ids of the platforms may. A longer route still wins. */
  readonly slashInId?: boolean;
  /** Starts with a verb: `List deliveries`. */
  readonly summary: string;
  readonly description?: string;
  readonly tag: string;
  /** An object schema. Every parameter arrives as a string. Unknown parameters are ignored. */
  readonly query?: () => Q;
  /** An object schema (optional when the body may be absent), or "bytes" for the raw body. Unknown fields are ignored. */
  readonly body?: B extends $ZodType ? () => B : B;
  /** Undocumented legacy names of body fields. The documented name wins. */
  readonly aliases?: { readonly [alias: string]: string };
  /** Default: 256 KiB. */
  readonly bodyBytesMax?: number;
  /** "as_empty": a query that repeats a parameter counts as an empty one. Default: it is 400. */
  readonly repeatedParameters?: "as_empty";
  /** Where the request of a resource names its tenant, before the resource is read. The request is counted for it. */
  readonly namesTenant?: NamesTenant;
  /** Reads the `Idempotency-Key` header. */
  readonly idempotent?: boolean;
  /** An object schema of the headers that the handler reads, for the OpenAPI document. */
  readonly requestHeaders?: () => $ZodType;
  /** What the body "bytes" is, for the OpenAPI document. */
  readonly rawBody?: RawBody;
  /** The responses beside the envelope, by status, for the OpenAPI document. */
  readonly answers?: Answers;
  /** A key of the scope `test` is refused. */
  readonly liveKeyOnly?: true;
  /** Every response says since when the route is deprecated. */
  readonly deprecation?: Deprecation;
  /** The reasons that the handler may return besides those of every route. */
  readonly refusals?: readonly R[];
  /** Object schemas of further fields of `error`, by status. A refusal carries them as `fields`. */
  readonly errorFields?: () => ErrorFields;
  /** No page may read its response from another origin. Default: the console may. */
  readonly cors?: false;
  /**
   * Of a GET that changes something: a HEAD request and a prefetch get 204 and change nothing. `confirm` or `proof` says how
   * the person's will is known.
   */
  readonly changes?: true;
  /** Of a GET that changes something: what its handler checks to know that the person meant it. */
  readonly proof?: string;
  /** Default: 200. */
  readonly status?: Status;
  /** Returns true for data that is answered with 202 because the work continues in the background. */
  readonly acceptedWhen?: (data: output<NoInfer<D>>) => boolean;
  /** The schema of `data`. */
  readonly data: () => D;
}

/** A response beside the envelope, for the OpenAPI document. */
export interface Answer {
  readonly description?: string;
  /** The media types of a body that is no JSON. */
  readonly types?: readonly string[];
  /** What each further header is for. */
  readonly headers?: { readonly [name: string]: string };
}
export type Answers = { readonly [status: number]: Answer };

/** What a raw body is, for the OpenAPI document. */
export interface RawBody {
  /** Its media type. */
  readonly type: string;
  readonly schema: $ZodType;
}

/** What the location of a redirect is made from. */
export interface LocationContext<P> {
  readonly request: RequestMetadata;
  readonly ports: P;
}

/** The envelope of a response. */
export type Outcome =
  | { readonly ok: true; readonly data: unknown }
  | { readonly ok: false; readonly error: { readonly code: string } };

export type Handler<I, D extends $ZodType, R extends Reason> = (input: I) => Promise<output<D> | Refusal<R>>;

/** A declared route, as the app and the OpenAPI document read it. */
export interface Endpoint<P> {
  readonly operation: string;
  readonly method: Method;
  readonly path: string;
  readonly slashInId?: boolean;
  readonly auth: Auth;
  readonly tenant: TenantSource;
  /** The role that a signed-in person needs at least. Null: any person, or no session. */
  readonly role: Role | null;
  readonly summary: string;
  readonly description?: string;
  readonly tag: string;
  readonly query?: $ZodType | undefined;
  readonly body?: Body;
  readonly aliases?: { readonly [alias: string]: string };
  readonly bodyBytesMax?: number;
  readonly repeatedParameters?: "as_empty";
  readonly namesTenant?: NamesTenant;
  readonly idempotent?: boolean;
  readonly requestHeaders?: $ZodType;
  readonly rawBody?: RawBody;
  readonly answers?: Answers;
  readonly liveKeyOnly?: true;
  readonly deprecation?: Deprecation;
  readonly paged?: boolean;
  readonly refusals?: readonly Reason[];
  readonly errorFields?: ErrorFields;
  readonly cors?: false;
  readonly changes?: true;
  readonly proof?: string;
  /**
   * Of a GET that changes something: the page with one press that answers a browser, unless a page of the API's origin
   * caused the request. It changes nothing.
   */
  confirm?(input: unknown & { readonly ports: P }): Promise<unknown>;
  readonly status?: Status;
  // Method syntax: its parameters are bivariant, and only the declaration knows the exact input.
  acceptedWhen?(data: unknown): boolean;
  readonly data?: $ZodType;
  readonly envelope?: boolean;
  /**
   * Of a route to which a browser navigates: where it is redirected with the outcome, also with that of a request that
   * did not reach the handler. A caller that accepts JSON gets the envelope.
   */
  browserLocation?(outcome: Outcome, context: LocationContext<P>): Promise<string>;
  handle(input: unknown & { readonly ports: P }): Promise<unknown>;
}
