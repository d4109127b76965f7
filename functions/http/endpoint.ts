import type { $ZodType, output } from "zod/v4/core";
import type { Caller } from "../../shared/domain/access/api-keys.ts";
import type { Reason, Refusal } from "../../shared/kernel/refusals.ts";
import type { TenantId } from "../../shared/kernel/tenant.ts";
import type { Millis } from "../../shared/kernel/time.ts";
import type { Page } from "./page.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
export type Auth = "key" | "none";
/** From `?tenant=` and the key, from the resource that the request names (the handler does it), or not at all. */
export type TenantSource = "query" | "resource" | "none";
export type Status = 200 | 201 | 202 | 204 | 301 | 302;
type Body = $ZodType | "bytes" | undefined;

/** Refusals of every route, and of every route that takes a key; a handler may give them without declaring them. */
export const commonRefusals = ["invalid_request", "payload_too_large", "internal_error"] as const;
export const keyAuthRefusals = ["unauthorized", "tenant_required", "forbidden", "too_many_requests"] as const;
type CommonReason<A> = (typeof commonRefusals)[number] | (A extends "key" ? (typeof keyAuthRefusals)[number] : never);

type ParameterName<Path> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | ParameterName<Rest> : never;

/** What a handler may know of the request itself. */
export interface RequestMetadata {
  readonly correlationId: string;
  /** The address the gateway saw; null where no gateway stands before the app. */
  readonly sourceIp: string | null;
  /** As sent: HEAD where a GET route answers a HEAD. */
  readonly method: string;
  readonly headers: Headers;
  /** The query string without its question mark, as sent. */
  readonly query: string;
}

/** What a handler gets, all of it checked. `now` is read once per request. */
export interface Input<P, Path extends string, A, T, Q, B, G> {
  readonly caller: A extends "key" ? Caller : null;
  readonly tenant: T extends "query" ? TenantId : null;
  /** Decoded exactly once; a value that is not valid percent-encoding arrives as it was sent. */
  readonly path: { readonly [Name in ParameterName<Path>]: string };
  readonly query: Q extends $ZodType ? output<Q> : Record<never, never>;
  readonly body: B extends $ZodType ? output<B> : B extends "bytes" ? Uint8Array : undefined;
  readonly page: G extends true ? Page : null;
  /** The caller's own key of this request; null where it gave none, or the route takes none. */
  readonly idempotencyKey: string | null;
  readonly request: RequestMetadata;
  readonly now: Millis;
  readonly ports: P;
}

/** One route: validation, OpenAPI and the refusals it may give, all from here. Schemas come from zod or zod/mini. */
export interface Declaration<
  P,
  Path extends string,
  A extends Auth,
  T extends TenantSource,
  Q extends $ZodType | undefined,
  B extends Body,
  G extends boolean,
  R extends Reason,
  D extends $ZodType,
  E extends boolean,
> {
  readonly method: Method;
  /** `/v1/things/{id}`; a literal segment is preferred over a parameter, whatever the order of declaration. */
  readonly path: Path;
  readonly auth: A;
  readonly tenant: A extends "key" ? T : T & ("resource" | "none");
  readonly summary: string;
  readonly description?: string;
  readonly tag: string;
  /** An object of the parameters, each a string on arrival. Others are ignored. */
  readonly query?: Q;
  /** An object (optional when the body may be absent), or "bytes" for the raw body. Unknown fields are ignored. */
  readonly body?: B;
  /** Other names of the body's fields, from clients of old; no document shows them. The name itself goes first. */
  readonly aliases?: { readonly [alias: string]: string };
  /** 256 KiB when not given. */
  readonly bodyBytesMax?: number;
  /** Takes an `Idempotency-Key` header. */
  readonly idempotent?: boolean;
  /** Adds `limit` and `cursor`. */
  readonly paged?: G;
  /** The reasons the handler may give besides those of every route. */
  readonly refusals?: readonly R[];
  /** 200 when not given. */
  readonly status?: Status;
  /** Answers 202 instead when it says so of the data: the work goes on behind the answer. */
  readonly acceptedWhen?: (data: output<NoInfer<D>>) => boolean;
  /** The shape of `data`, or of the whole body where there is no envelope. */
  readonly data?: D;
  /** false: the handler makes the Response itself. Refusals are enveloped all the same. */
  readonly envelope?: E;
  readonly handle: (
    input: Input<P, NoInfer<Path>, NoInfer<A>, NoInfer<T>, NoInfer<Q>, NoInfer<B>, NoInfer<G>>,
  ) => Promise<
    (NoInfer<E> extends false ? Response : output<NoInfer<D>>) | Refusal<CommonReason<NoInfer<A>> | NoInfer<R>>
  >;
}

/** A declared route, as the app and the OpenAPI document read it. */
export interface Endpoint<P> {
  readonly method: Method;
  readonly path: string;
  readonly auth: Auth;
  readonly tenant: TenantSource;
  readonly summary: string;
  readonly description?: string;
  readonly tag: string;
  readonly query?: $ZodType | undefined;
  readonly body?: Body;
  readonly aliases?: { readonly [alias: string]: string };
  readonly bodyBytesMax?: number;
  readonly idempotent?: boolean;
  readonly paged?: boolean;
  readonly refusals?: readonly Reason[];
  readonly status?: Status;
  // Written as methods, whose parameters may be narrower than said here: only the declaration knows its exact input.
  acceptedWhen?(data: unknown): boolean;
  readonly data?: $ZodType;
  readonly envelope?: boolean;
  handle(input: unknown & { readonly ports: P }): Promise<unknown>;
}

/**
 * The `endpoint()` of a set of routes that share their ports: `const endpoint = endpointFor<Ports>()`. A refusal that
 * is not declared does not compile. Throws while the module loads when a route with an envelope declares no data.
 */
export function endpointFor<P>() {
  return function endpoint<
    const Path extends string,
    A extends Auth,
    T extends TenantSource,
    Q extends $ZodType | undefined = undefined,
    B extends Body = undefined,
    G extends boolean = false,
    const R extends Reason = never,
    D extends $ZodType = never,
    E extends boolean = true,
  >(declaration: Declaration<P, Path, A, T, Q, B, G, R, D, E>): Endpoint<P> {
    if (declaration.envelope !== false && declaration.data === undefined) {
      throw new Error(`${declaration.method} ${declaration.path}: declare the shape of its data`);
    }
    return declaration as Endpoint<P>;
  };
}
