import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo, useSyncExternalStore } from "react";
import { printableText } from "../../../packages/client/src/printable.ts";
import { may } from "../common/rights.ts";
import { useAccounts } from "../common/use-accounts.ts";
import { lastKnown } from "../data/conversation-book.ts";
import { HOUR, MINUTE } from "../data/durations.ts";
import { personName } from "../data/names.ts";
import { useServerTime, useWorkspace } from "../data/workspace.tsx";
import { allDrafts, onDraftsChange } from "../inbox/composer/drafts.ts";
import type { SeenHolds } from "../inbox/composer/other-holds.ts";
import { useComposerStore } from "../inbox/composer/use-composer.ts";
import { useSession } from "../session/session-provider.tsx";
import { waitingEntries } from "./entries.ts";
import { heldSoon } from "./held.ts";
import { readHolds } from "./read-holds.ts";

/** What was read less than this ago is not read again when the window comes to the front. */
const FRESH = 5 * MINUTE;
/** Whether a key is used changes from one day to the next. */
const KEYS_FRESH = 12 * HOUR;
/** Events of several accounts come together. */
const EVENTS_MS = 1_000;

const noHolds: SeenHolds = new Map();

/**
 * What waits for this person, from the lists that other pages show, too.
 * @param isPage whether the list itself is shown: it reads everything again, and for admins the held messages
 */
export function useWaiting({ isPage }: { readonly isPage: boolean }) {
  const { parley, tenant, person, inbox } = useWorkspace();
  const { me } = useSession();
  const now = useServerTime();
  const refetchOnMount = isPage ? "always" : true;
  const accounts = useAccounts({ staleTime: FRESH, refetchOnMount });
  const endpoints = useQuery({
    queryKey: ["webhooks", tenant],
    queryFn: () => parley.webhooks.list(),
    enabled: may(person.role, "GET /v1/webhooks"),
    staleTime: FRESH,
    refetchOnMount,
  });
  const keys = useQuery({
    queryKey: ["keys", tenant],
    queryFn: () => parley.keys.list(),
    enabled: may(person.role, "GET /v1/keys"),
    staleTime: KEYS_FRESH,
    refetchOnMount,
  });
  const holds = useQuery({
    queryKey: ["waiting-holds", tenant],
    queryFn: () => readHolds(parley, now),
    enabled: isPage && may(person.role, "GET /v1/audit"),
    staleTime: MINUTE,
    refetchOnWindowFocus: false,
  });
  const store = useComposerStore();
  const frames = useSyncExternalStore(store.subscribe, () => store.getState().holds);
  const drafts = useSyncExternalStore(onDraftsChange, allDrafts);
  const entries = useMemo(() => {
    const ownSends = Object.entries(drafts)
      .filter(([conversation]) => conversation.startsWith(`CONV#${tenant}#`))
      .map(([conversation, { unfinished = [] }]) => [conversation, unfinished] as const);
    const facts = {
      accounts: accounts.data?.accounts ?? [],
      endpoints: endpoints.data?.endpoints ?? [],
      keys: keys.data?.keys ?? [],
      invites: me.invites,
      held: heldSoon({ own: ownSends, frames, read: holds.data ?? noHolds }, now),
    };
    const nameOf = (id: string) => {
      const conversation = lastKnown(inbox.getState().book, id);
      return conversation ? printableText(personName(conversation)) : null;
    };
    return waitingEntries(facts, { tenant, role: person.role, now, nameOf });
  }, [
    accounts.data,
    endpoints.data,
    keys.data,
    holds.data,
    drafts,
    frames,
    me.invites,
    inbox,
    tenant,
    person.role,
    now,
  ]);
  return { entries, reads: { accounts, endpoints, keys, held: holds } };
}

/** Reads a list again when an event says that it changed. The state of a circuit has no event, and is read with the window. */
export function useWaitingEvents(): void {
  const { inbox, tenant } = useWorkspace();
  const client = useQueryClient();
  useEffect(() => {
    const changed = new Set<string>();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const endEvents = inbox.onEvent(({ type, tenant_id }) => {
      if (tenant_id !== tenant) return;
      if (type.startsWith("account.")) changed.add("accounts");
      else if (type === "webhook.paused") changed.add("webhooks");
      else return;
      timer ??= setTimeout(() => {
        timer = undefined;
        for (const list of changed) void client.invalidateQueries({ queryKey: [list, tenant] });
        changed.clear();
      }, EVENTS_MS);
    });
    return () => {
      endEvents();
      clearTimeout(timer);
    };
  }, [inbox, tenant, client]);
}
