import * as z from "zod/mini";
import type { $ZodType, output } from "zod/v4/core";
import { openCursor, sealCursor } from "#base/kernel/cursors.ts";
import type { ReadKeyRing } from "#base/kernel/key-ring.ts";
import { invalidField, isRefusal, type Reason, type Refusal } from "#base/kernel/refusals.ts";
import type { TenantId } from "#base/kernel/tenant.ts";
import type { Role } from "#features/access/rules/callers.ts";
import type { Body, CallerInput, CommonReason, Declaration, Endpoint, Input } from "./endpoint.ts";
import { withLazySchemas } from "./lazy-schemas.ts";

/** The page that a request names: `limit` is 1 to 100, `cursor` is sealed. */
export interface RequestedPage {
  readonly limit: number;
  readonly cursor: string | null;
}

type TenantInput<P, Path extends string, Q, B> = CallerInput<"caller", "query", Input<P, Path, Q, B>>;
type PageInput<P, Path extends string, Q, B> = TenantInput<P, Path, Q, B> & {
  /** `position` is where the page starts, as an earlier `next` named it. Null on the first page. */
  readonly page: { readonly limit: number; readonly position: string | null };
};

/** The rows of a page and the position of the next page; null on the last page. */
interface PageResult<Data> {
  readonly data: Data;
  readonly next: string | null;
}

type Filters = Readonly<Record<string, string | number | boolean | null | undefined>>;

interface CursorPorts {
  readonly cursorKeys: ReadKeyRing;
}

/**
 * The constructor of paginated lists of a tenant. It adds `limit`, `cursor` and `next_cursor`, opens the cursor before
 * the handler runs and seals the next one. A cursor of another route, tenant or set of filters is refused.
 */
export function pageEndpointFor<P extends CursorPorts>() {
  return function page<
    const Path extends string,
    Q extends $ZodType | undefined = undefined,
    B extends Body = undefined,
    const R extends Reason = never,
    D extends z.ZodMiniObject = never,
  >(
    declaration: Declaration<Path, Q, B, R, D> & {
      /** The role that a signed-in person needs at least. */
      readonly role: Role;
      /** The name of the list inside its cursors. Changing it invalidates all cursors in use. */
      readonly scope: string;
      /** The parameters that select the rows: a cursor is valid only with the same values. */
      readonly filters?: (input: TenantInput<P, NoInfer<Path>, NoInfer<Q>, NoInfer<B>>) => Filters;
      readonly handle: (
        input: PageInput<P, NoInfer<Path>, NoInfer<Q>, NoInfer<B>>,
      ) => Promise<PageResult<output<NoInfer<D>>> | Refusal<CommonReason<"caller"> | NoInfer<R>>>;
    },
  ): Endpoint<P> {
    type RawInput = TenantInput<P, Path, Q, B> & { readonly page: RequestedPage };
    const { scope, filters, data, handle, ...rest } = declaration;
    const endpoint = {
      ...rest,
      auth: "caller",
      tenant: "query",
      paged: true,
      data: () => z.extend(data(), { next_cursor: z.nullable(z.string()) }),
      async handle(input: RawInput) {
        const { limit, cursor } = input.page;
        const cursorKeys = await input.ports.cursorKeys();
        const scopeText = cursorScope(scope, input.tenant, filters?.(input) ?? {});
        const position = cursor === null ? null : openCursor(cursorKeys, scopeText, cursor, input.now);
        if (cursor !== null && position === null) {
          return invalidField("cursor", "must be the next_cursor of an earlier response to the same query");
        }
        const result: PageResult<object> | Refusal = await handle({ ...input, page: { limit, position } });
        if (isRefusal(result)) return result;
        const next = result.next === null ? null : sealCursor(cursorKeys, scopeText, result.next, input.now);
        return { ...result.data, next_cursor: next };
      },
    };
    return withLazySchemas<Endpoint<P>>(endpoint);
  };
}

/** The text that a cursor is bound to. Absent filters do not count, nor does the order of their names. */
export function cursorScope(scope: string, tenant: TenantId, filters: Filters = {}): string {
  const activeFilters = Object.entries(filters).filter(([, value]) => value !== undefined && value !== null);
  return JSON.stringify([scope, tenant, activeFilters.sort(([a], [b]) => (a < b ? -1 : 1))]);
}
