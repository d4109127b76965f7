declare const brand: unique symbol;

/** A tenant's slug, validated by `parseTenant`. It is the first parameter of every store method. */
export type TenantId = string & { readonly [brand]: "tenant" };

/** The form of a slug, for the OpenAPI document. */
export const TENANT_SLUG_PATTERN = "^[a-z][a-z0-9-]{1,38}[a-z0-9]$";
const SLUG = new RegExp(TENANT_SLUG_PATTERN);

/** Valid slugs have 3 to 40 lowercase letters, digits or dashes, start with a letter and end with a letter or digit. */
export function parseTenant(slug: string): TenantId | null {
  return SLUG.test(slug) ? (slug as TenantId) : null;
}
