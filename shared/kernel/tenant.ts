declare const brand: unique symbol;

/** A tenant's slug that has been through `parseTenant`. Every store method takes one first. */
export type TenantId = string & { readonly [brand]: "tenant" };

const SLUG = /^[a-z][a-z0-9-]{1,38}[a-z0-9]$/;

/** 3 to 40 characters: lowercase letters, digits or dashes, a letter first, a letter or digit last; else null. */
export function parseTenant(slug: string): TenantId | null {
  return SLUG.test(slug) ? (slug as TenantId) : null;
}
