import { type Data, Parley } from "#client";
import { RETRY_WAIT } from "../data/durations.ts";
import { reportRefusal } from "../data/refusals.ts";

/** The signed-in person. */
export type Me = Data<"GET /console/me">;
/** A workspace of the person, with their role in it. */
export type OwnWorkspace = Data<"GET /console/tenants">["tenants"][number];

/** Calls that belong to no workspace. One that is forbidden says nothing of a role, so nothing reads the role again. */
export const account: Parley = new Parley({
  retryWaitMs: RETRY_WAIT,
  onResponse: ({ status }) => {
    if (status === 401) reportRefusal({ status });
  },
});

export const NAME_CHARS_MAX = 80;

/** The sign-in page that redirects back to a page of the console. @param path with query */
export function signInPage(path: string): string {
  return `/console/auth/sign-in?${new URLSearchParams({ redirect: path })}`;
}

/** Whether a name has 1 to 80 characters of which one is visible. */
export function isName(text: string): boolean {
  const name = text.trim();
  return [...name].length <= NAME_CHARS_MAX && /[\p{L}\p{N}\p{P}\p{S}]/u.test(name);
}

/**
 * Milliseconds until the session ends, when that is to be said; null before. @param now epoch milliseconds of the
 * server
 */
export function endingSoon({ session_expires_at }: Pick<Me, "session_expires_at">, now: number): number | null {
  const left = Date.parse(session_expires_at) - now;
  return left <= SOON_MS ? Math.max(0, left) : null;
}

const SOON_MS = 15 * 60_000;

/** Remembers the workspace that was open last. */
export function rememberWorkspace(slug: string): void {
  try {
    localStorage.setItem(LAST, slug);
  } catch {
    // Without storage the first workspace opens.
  }
}

/** The workspace that opens first: the last one, or else the first. */
export function firstWorkspace(workspaces: readonly OwnWorkspace[]): OwnWorkspace | null {
  const last = lastWorkspace();
  return workspaces.find(({ id }) => id === last) ?? workspaces[0] ?? null;
}

const LAST = "parley.workspace";

function lastWorkspace(): string | null {
  try {
    return localStorage.getItem(LAST);
  } catch {
    return null;
  }
}
