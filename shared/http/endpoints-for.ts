import type { $ZodType, output } from "zod/v4/core";
import type { Reason, Refusal } from "#base/kernel/refusals.ts";
import type { Role } from "#features/access/rules/callers.ts";
import { requireConsent } from "./browser/consent.ts";
import type {
  Body,
  CallerInput,
  CommonReason,
  Declaration,
  Endpoint,
  Handler,
  Input,
  TenantSource,
} from "./endpoint.ts";
import type { HttpResponse } from "./http-response.ts";
import { withLazySchemas } from "./lazy-schemas.ts";

/**
 * The constructors of routes that share their ports: `const endpoint = endpointsFor<Ports>()`. A handler that returns
 * an undeclared refusal does not compile. `page.ts` adds the constructor of paginated lists.
 */
export function endpointsFor<P>() {
  return {
    /** A key or a session is required. The tenant comes from `?tenant=` and the caller. */
    tenant<
      const Path extends string,
      Q extends $ZodType | undefined = undefined,
      B extends Body = undefined,
      const R extends Reason = never,
      D extends $ZodType = never,
    >(
      declaration: Declaration<Path, Q, B, R, D> & {
        /** The role that a signed-in person needs at least. */
        readonly role: Role;
        readonly handle: Handler<
          CallerInput<"caller", "query", Input<P, NoInfer<Path>, NoInfer<Q>, NoInfer<B>>>,
          NoInfer<D>,
          CommonReason<"caller"> | NoInfer<R>
        >;
      },
    ): Endpoint<P> {
      return declared<P>({ ...declaration, auth: "caller", tenant: "query" });
    },

    /**
     * A key or a session is required. The handler derives the tenant from the resource in the request, which every
     * member of the tenant may use, or needs none.
     */
    caller<
      const Path extends string,
      const T extends "resource" | "none",
      Q extends $ZodType | undefined = undefined,
      B extends Body = undefined,
      const R extends Reason = never,
      D extends $ZodType = never,
    >(
      declaration: Declaration<Path, Q, B, R, D> & {
        readonly tenant: T;
        readonly role: NoInfer<T> extends "resource" ? "agent" : null;
        readonly handle: Handler<
          CallerInput<"caller", NoInfer<T>, Input<P, NoInfer<Path>, NoInfer<Q>, NoInfer<B>>>,
          NoInfer<D>,
          CommonReason<"caller"> | NoInfer<R>
        >;
      },
    ): Endpoint<P> {
      return declared<P>({ ...declaration, auth: "caller" });
    },

    /** A key is required; a session is refused. The tenant comes from `?tenant=` and the key. */
    key<
      const Path extends string,
      Q extends $ZodType | undefined = undefined,
      B extends Body = undefined,
      const R extends Reason = never,
      D extends $ZodType = never,
    >(
      declaration: Declaration<Path, Q, B, R, D> & {
        readonly handle: Handler<
          CallerInput<"key", "query", Input<P, NoInfer<Path>, NoInfer<Q>, NoInfer<B>>>,
          NoInfer<D>,
          CommonReason<"key"> | NoInfer<R>
        >;
      },
    ): Endpoint<P> {
      return declared<P>({ ...declaration, auth: "key", tenant: "query", role: null });
    },

    /**
     * A session is required; a key is refused. With the tenant "query" the tenant comes from `?tenant=` and the
     * memberships, and the role is checked before the handler runs. With "resource" the handler checks both, with
     * `refuseTenant` and `refuseRole`. With `envelope: false` the handler builds the HttpResponse itself; refusals keep the
     * envelope. Throws while the module loads when a route with an envelope declares no data.
     */
    session<
      const Path extends string,
      const T extends TenantSource,
      Q extends $ZodType | undefined = undefined,
      B extends Body = undefined,
      const R extends Reason = never,
      D extends $ZodType = never,
      E extends boolean = true,
    >(
      declaration: Omit<Declaration<Path, Q, B, R, D>, "data"> & {
        readonly tenant: T;
        /** The role that the person needs at least in the tenant. Null where there is no tenant. */
        readonly role: NoInfer<T> extends "none" ? null : Role;
        readonly data?: () => D;
        readonly envelope?: E;
        readonly browserLocation?: Endpoint<P>["browserLocation"];
        /** The page with one press, for a request that no page of the API's origin caused. It changes nothing. */
        readonly confirm?: (
          input: CallerInput<"session", NoInfer<T>, Input<P, NoInfer<Path>, NoInfer<Q>, NoInfer<B>>>,
        ) => Promise<HttpResponse | Refusal<CommonReason<"session"> | NoInfer<R>>>;
        readonly handle: (
          input: CallerInput<"session", NoInfer<T>, Input<P, NoInfer<Path>, NoInfer<Q>, NoInfer<B>>>,
        ) => Promise<
          (NoInfer<E> extends false ? HttpResponse : output<NoInfer<D>>) | Refusal<CommonReason<"session"> | NoInfer<R>>
        >;
      },
    ): Endpoint<P> {
      requireData(declaration);
      return declared<P>({ ...declaration, auth: "session" });
    },

    /**
     * No credential is required. With `envelope: false` the handler builds the HttpResponse itself; refusals keep the
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
        readonly data?: () => D;
        readonly envelope?: E;
        readonly handle: (
          input: Input<P, NoInfer<Path>, NoInfer<Q>, NoInfer<B>>,
        ) => Promise<
          (NoInfer<E> extends false ? HttpResponse : output<NoInfer<D>>) | Refusal<CommonReason<"none"> | NoInfer<R>>
        >;
      },
    ): Endpoint<P> {
      requireData(declaration);
      return declared<P>({ ...declaration, auth: "none", tenant: "none", role: null });
    },
  };
}

/** The route, whose declaration says how the will of a person is known where a GET changes something. */
function declared<P>(declaration: object): Endpoint<P> {
  const endpoint = withLazySchemas<Endpoint<P>>(declaration);
  requireConsent(endpoint);
  return endpoint;
}

function requireData({
  method,
  path,
  data,
  envelope,
}: Pick<Endpoint<never>, "method" | "path" | "envelope"> & { readonly data?: unknown }): void {
  if (envelope !== false && data === undefined) throw new Error(`${method} ${path} declares no data schema.`);
}
