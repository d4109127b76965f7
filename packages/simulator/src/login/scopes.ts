import type { LoginKind } from "../world/model.ts";

/** A permission that an app asks for. */
export interface Scope {
  name: string;
  /** What the consent page says about it. */
  label: string;
  /** True if the login is not possible without it. */
  isRequired?: boolean;
}

const instagramScopes: readonly Scope[] = [
  { name: "instagram_business_basic", label: "View profile and media", isRequired: true },
  { name: "instagram_business_manage_messages", label: "Access and manage messages" },
  { name: "instagram_business_manage_comments", label: "Access and manage comments" },
  { name: "instagram_business_content_publish", label: "Publish content" },
  { name: "instagram_business_manage_insights", label: "View insights" },
];

const facebookScopes: readonly Scope[] = [
  { name: "public_profile", label: "Name and profile picture", isRequired: true },
  { name: "email", label: "Email address" },
  { name: "pages_show_list", label: "Show a list of the Pages you manage" },
  { name: "pages_messaging", label: "Manage and access Page conversations in Messenger" },
  { name: "pages_manage_metadata", label: "Manage accounts, settings and webhooks for a Page" },
  { name: "pages_read_engagement", label: "Read content posted on the Page" },
  { name: "business_management", label: "Manage your business" },
  { name: "instagram_basic", label: "Access profile and posts of the linked Instagram account" },
  { name: "instagram_manage_messages", label: "Manage and access conversations on Instagram" },
];

const scopesOf: Record<LoginKind, readonly Scope[]> = { instagram_user: instagramScopes, user: facebookScopes };

/**
 * The scopes that a login asks for. A list is separated by commas or spaces. Facebook adds the public profile, and a
 * configuration of Login for Business stands for every scope. Returns the first name that the platform does not know, or
 * `""` if Instagram is asked for none, as `unknown`.
 */
export function requestedScopes(
  kind: LoginKind,
  { scope, config_id: configuration }: { scope: string | null; config_id: string | null },
): { scopes: readonly Scope[] } | { unknown: string } {
  const all = scopesOf[kind];
  const names = (scope ?? "").split(/[\s,]+/).filter((name) => name !== "");
  const unknown = names.find((name) => !all.some((one) => one.name === name));
  if (unknown !== undefined) return { unknown };
  if (kind === "instagram_user") {
    if (names.length === 0) return { unknown: "" };
    return { scopes: all.filter(({ name }) => names.includes(name)) };
  }
  if (configuration !== null && names.length === 0) return { scopes: all };
  return { scopes: all.filter(({ name, isRequired }) => isRequired === true || names.includes(name)) };
}
