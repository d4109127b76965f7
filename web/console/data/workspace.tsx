import {
  createContext,
  type ReactNode,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import { Parley } from "#client";
import { RETRY_WAIT } from "./durations.ts";
import { type InboxState, LiveInbox, type StreamStatus, type ThreadState } from "./live-inbox.ts";
import { reportRefusal } from "./refusals.ts";
import type { Conversation, Role } from "./types.ts";
import { WallClock } from "./wall-clock.ts";

/** The signed-in person in one workspace. */
export interface Person {
  readonly userId: string;
  /** As messages name who sent them: `console:<user_id>`. */
  readonly actorId: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
}

export interface Workspace {
  readonly tenant: string;
  /** As its members call it. */
  readonly name: string;
  readonly person: Person;
  readonly parley: Parley;
  readonly clock: WallClock;
  readonly inbox: LiveInbox;
}

const Context = createContext<Workspace | null>(null);

interface WorkspaceProviderProps {
  readonly tenant: string;
  readonly name: string;
  readonly person: Person;
  /** The CSRF token of the person's session. */
  readonly csrfToken: string;
  readonly children: ReactNode;
}

/** Opens a workspace for the pages below: its client, its clock and its live inbox. */
export function WorkspaceProvider({ tenant, name, person, csrfToken, children }: WorkspaceProviderProps) {
  const token = useRef(csrfToken);
  token.current = csrfToken;
  const [opened] = useState(() => {
    const clock = new WallClock();
    const parley = new Parley({
      tenant,
      retryWaitMs: RETRY_WAIT,
      // Of the person who is shown: after another one signed in, nothing is written in their name.
      csrfToken: () => token.current,
      onResponse: (response) => {
        reportRefusal(response);
        if (inbox.getState().stream.state !== "open") clock.set(Date.parse(response.headers.get("date") ?? ""));
      },
    });
    const inbox = new LiveInbox(parley, clock);
    return { tenant, parley, clock, inbox };
  });
  const { inbox } = opened;
  useEffect(() => {
    inbox.start();
    const onSignedIn = () => inbox.resume();
    addEventListener("parley:signed-in", onSignedIn);
    return () => {
      removeEventListener("parley:signed-in", onSignedIn);
      inbox.stop();
    };
  }, [inbox]);
  const workspace = useMemo(() => ({ ...opened, name, person }), [opened, name, person]);
  return <Context value={workspace}>{children}</Context>;
}

export function useWorkspace(): Workspace {
  const workspace = useContext(Context);
  if (workspace === null) throw new Error("No workspace is open.");
  return workspace;
}

/** A part of the inbox's state. @param select returns the same value while nothing in it changed */
export function useInbox<T>(select: (state: InboxState) => T): T {
  const { inbox } = useWorkspace();
  return useSyncExternalStore(inbox.subscribe, () => select(inbox.getState()));
}

/**
 * A conversation; null when it is not known, was erased or does not exist. One that left its list, because a colleague
 * answered during a lost connection, stays as it was until its own fetch ends: without it the composer would lose the focus,
 * and the next letters would be keys of the page.
 */
export function useConversation(id: string): Conversation | null {
  const conversation = useInbox(({ book }) => book.known.get(id)?.conversation ?? null);
  const isGone = useInbox(({ book, threads }) => book.erased.has(id) || threads.get(id)?.status === "missing");
  const last = useRef(conversation);
  if (conversation !== null) last.current = conversation;
  if (conversation !== null || isGone) return conversation;
  return last.current?.id === id ? last.current : null;
}

export function useThread(id: string): ThreadState | null {
  return useInbox(({ threads }) => threads.get(id) ?? null);
}

export function useStream(): StreamStatus {
  return useInbox(({ stream }) => stream);
}

/** The server's time, in epoch milliseconds, as of the last tick. @param everyMs a tick */
export function useServerTime(everyMs = 15_000): number {
  const { clock } = useWorkspace();
  const [now, setNow] = useState(() => clock.now());
  useEffect(() => {
    const tick = () => setNow(clock.now());
    tick();
    const timer = setInterval(tick, everyMs);
    document.addEventListener("visibilitychange", tick);
    const endCorrections = clock.onCorrection(tick);
    return () => {
      clearInterval(timer);
      endCorrections();
      document.removeEventListener("visibilitychange", tick);
    };
  }, [clock, everyMs]);
  return now;
}
