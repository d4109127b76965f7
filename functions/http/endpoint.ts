import type { $ZodType, output } from "zod/v4/core";
import type { Caller } from "../../shared/domain/access/api-keys.ts";
import type { Reason, Refusal } from "../../shared/kernel/refusals.ts";
import type { RequestTime } from "../../shared/kernel/request-time.ts";
import type { TenantId } from "../../shared/kernel/tenant.ts";
import type { Millis } from "../../shared/kernel/time.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
/** The credential that a route requires. */
export type Auth = "key" | "none";
/** "query": from `?tenant=` and the key. "resource": the handler derives it from the resource in the request. */
export type TenantSource = "query" | "resource" | "none";
export type Status = 200 | 201 | 202 | 204 | 301 | 302;
export type Body = $ZodType | "bytes" | undefined;

/** Refusals of every route, and of every route that takes a key. A handler may return them without declaring them. */
export const commonRefusals = ["invalid_request", "payload_too_large", "internal_error"] as const;
export const keyAuthRefusals = [
  "unauthorized",
  "tenant_required",
  "tenant_forbidden",
  "tenant_suspended",
  "live_key_required",
  "too_many_requests",
] as const;
type CommonReason = (typeof commonRefusals)[number];
export type KeyRouteReason = CommonReason | (typeof keyAuthRefusals)[number];

type ErrorFields = { readonly [status: number]: $ZodType };

type ParameterName<Path> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | ParameterName<Rest> : never;

/** What a handler may read of the request itself. */
export interface RequestMetadata {
  readonly correlationId: string;
  /** The client address that the gateway reports. Null without a gateway. */
  readonly sourceIp: string | null;
  /** As sent: HEAD where a GET route answers a HEAD. */
  readonly method: string;
  readonly headers: Headers;
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
  readonly request: RequestMetadata;
  readonly now: Millis;
  readonly time: RequestTime;
  readonly ports: P;
}

export interface KeyInput<P, Path extends string, Q, B> extends Input<P, Path, Q, B> {
  readonly caller: Caller;
}

export interface TenantInput<P, Path extends string, Q, B> extends KeyInput<P, Path, Q, B> {
  readonly tenant: TenantId;
}

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
  readonly query?: Q;
  /** An object schema (optional when the body may be absent), or "bytes" for the raw body. Unknown fields are ignored. */
  readonly body?: B;
  /** Undocumented legacy names of body fields. The documented name wins. */
  readonly aliases?: { readonly [alias: string]: string };
  /** Default: 256 KiB. */
  readonly bodyBytesMax?: number;
  /** Reads the `Idempotency-Key` header. */
  readonly idempotent?: boolean;
  /** The reasons that the handler may return besides those of every route. */
  readonly refusals?: readonly R[];
  /** Object schemas of further fields of `error`, by status. A refusal carries them as `fields`. */
  readonly errorFields?: ErrorFields;
  /** Default: 200. */
  readonly status?: Status;
  /** Returns true for data that is answered with 202 because the work continues in the background. */
  readonly acceptedWhen?: (data: output<NoInfer<D>>) => boolean;
  /** The schema of `data`. */
  readonly data: D;
}

type Handler<I, D extends $ZodType, R extends Reason> = (input: I) => Promise<output<D> | Refusal<R>>;

/** A declared route, as the app and the OpenAPI document read it. */
export interface Endpoint<P> {
  readonly operation: string;
  readonly method: Method;
  readonly path: string;
  readonly slashInId?: boolean;
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
  readonly errorFields?: ErrorFields;
  readonly status?: Status;
  // Method syntax: its parameters are bivariant, and only the declaration knows the exact input.
  acceptedWhen?(data: unknown): boolean;
  readonly data?: $ZodType;
  readonly envelope?: boolean;
  handle(input: unknown & { readonly ports: P }): Promise<unknown>;
}

/**
 * The constructors of routes that share their ports: `const endpoint = endpointsFor<Ports>()`. A handler that returns
 * an undeclared refusal does not compile. `page.ts` adds the constructor of paginated lists.
 */
export function endpointsFor<P>() {
  return {
    /** A key is required. The tenant comes from `?tenant=` and the key. */
    tenant<
      const Path extends string,
      Q extends $ZodType | undefined = undefined,
      B extends Body = undefined,
      const R extends Reason = never,
      D extends $ZodType = never,
    >(
      declaration: Declaration<Path, Q, B, R, D> & {
        readonly handle: Handler<
          TenantInput<P, NoInfer<Path>, NoInfer<Q>, NoInfer<B>>,
          NoInfer<D>,
          KeyRouteReason | NoInfer<R>
        >;
      },
    ): Endpoint<P> {
      return { ...declaration, auth: "key", tenant: "query" } as Endpoint<P>;
    },

    /** A key is required. The handler derives the tenant from the resource in the request, or needs none. */
    key<
      const Path extends string,
      Q extends $ZodType | undefined = undefined,
      B extends Body = undefined,
      const R extends Reason = never,
      D extends $ZodType = never,
    >(
      declaration: Declaration<Path, Q, B, R, D> & {
        readonly tenant: "resource" | "none";
        readonly handle: Handler<
          KeyInput<P, NoInfer<Path>, NoInfer<Q>, NoInfer<B>>,
          NoInfer<D>,
          KeyRouteReason | NoInfer<R>
        >;
      },
    ): Endpoint<P> {
      return { ...declaration, auth: "key" } as Endpoint<P>;
    },

    /**
     * No credential is required. With `envelope: false` the handler builds the Response itself; refusals keep the
     * envelope. Throws while the module loads when a route with an envelope declares no data.
     */
    public<
      const Path extends string,
      Q extends $ZodType | undefined = undefined,
      B extends Body = undefined,
      const R extends Reason = never,
      D extends $ZodType = never,
      E extends boolean = true,
    >(
      declaration: Omit<Declaration<Path, Q, B, R, D>, "data"> & {
        readonly data?: D;
        readonly envelope?: E;
        readonly handle: (
          input: Input<P, NoInfer<Path>, NoInfer<Q>, NoInfer<B>>,
        ) => Promise<(NoInfer<E> extends false ? Response : output<NoInfer<D>>) | Refusal<CommonReason | NoInfer<R>>>;
      },
    ): Endpoint<P> {
      if (declaration.envelope !== false && declaration.data === undefined) {
        throw new Error(`${declaration.method} ${declaration.path} declares no data schema.`);
      }
      return { ...declaration, auth: "none", tenant: "none" } as Endpoint<P>;
    },
  };
}
