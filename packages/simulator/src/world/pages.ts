import type { Account } from "./model.ts";
import type { World } from "./world.ts";

/** A Facebook Page, as its accounts describe it. */
export interface FacebookPage {
  id: string;
  name: string;
  username: string | null;
  /** The linked Instagram account; undefined if none is linked. */
  instagram: Account | undefined;
  /** False if no user has the task MESSAGING on it. */
  canMessage: boolean;
}

/** Every Page, in the order of the accounts. */
export function pagesOf(world: World): FacebookPage[] {
  return [...new Set(world.state.accounts.flatMap(({ pageId }) => pageId ?? []))].map((id) => pageOf(world, id));
}

export function pageOf(world: World, id: string): FacebookPage {
  const accounts = world.accountsOfPage(id);
  const instagram = accounts.find(({ connection }) => connection === "instagram_page");
  const primary = accounts.find(({ connection }) => connection === "messenger") ?? instagram;
  return {
    id,
    name: primary?.displayName ?? "Page",
    username: primary?.handle ?? null,
    instagram,
    canMessage: accounts.every(({ canMessage }) => canMessage !== false),
  };
}
