import { useQuery, useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from "react";
import { isSignedOut, problemLine } from "../common/problems.ts";
import { account, type Me, type OwnWorkspace, signInPage } from "./session.ts";
import { SessionEnded } from "./session-ended.tsx";
import { texts } from "./texts.ts";

interface Session {
  readonly me: Me;
  readonly workspaces: readonly OwnWorkspace[];
  /** Reads the person, their workspaces and their roles again. */
  readonly reload: () => Promise<void>;
}

const Context = createContext<Session | null>(null);

/** Reads the session. Without one the sign-in page opens; one that ends later is asked for in a dialog over the page. */
export function SessionProvider({ children }: { children: ReactNode }) {
  const client = useQueryClient();
  const me = useQuery({ queryKey: ["me"], queryFn: () => account.me.get(), staleTime: 60_000 });
  const workspaces = useQuery({
    queryKey: ["workspaces"],
    queryFn: () => account.tenants.list(),
    enabled: me.data !== undefined,
    staleTime: 60_000,
  });
  const [person, setPerson] = useState<Me | null>(null);
  const isEnded = useSessionEnd();
  const first = me.data;
  useEffect(() => {
    if (first === undefined) return;
    // Another person signed in in another tab: nothing of the first one may stay.
    if (person !== null && person.user_id !== first.user_id) location.reload();
    else setPerson(first);
  }, [first, person]);
  const isSignedOutAtStart =
    (first === undefined && isSignedOut(me.error)) || (workspaces.data === undefined && isSignedOut(workspaces.error));
  useEffect(() => {
    if (isSignedOutAtStart) location.replace(signInPage(location.pathname + location.search));
  }, [isSignedOutAtStart]);

  const list = workspaces.data?.tenants;
  const session = useMemo<Session | null>(
    () =>
      person === null || list === undefined
        ? null
        : {
            me: person,
            workspaces: list,
            reload: async () => {
              await client.invalidateQueries({ queryKey: ["me"] });
              await client.invalidateQueries({ queryKey: ["workspaces"] });
            },
          },
    [person, list, client],
  );
  if (session !== null) {
    return (
      <Context value={session}>
        {children}
        {isEnded ? <SessionEnded me={session.me} onSignedIn={() => void session.reload()} /> : null}
      </Context>
    );
  }
  const error = me.error ?? workspaces.error;
  if (error === null || isSignedOut(error)) {
    return (
      <main className="gate" role="status">
        <span className="unseen">{texts.loading}</span>
      </main>
    );
  }
  return (
    <main className="gate" role="alert">
      <h1>{texts.failed}</h1>
      <p>{problemLine(error)}</p>
      <button type="button" className="btn first" onClick={() => void (me.error ? me.refetch() : workspaces.refetch())}>
        {texts.again}
      </button>
    </main>
  );
}

export function useSession(): Session {
  const session = useContext(Context);
  if (session === null) throw new Error("No session.");
  return session;
}

/** Whether a call was refused because the session has ended, until a person is signed in again. */
function useSessionEnd(): boolean {
  const [isEnded, setEnded] = useState(false);
  useEffect(() => {
    const onEnd = () => setEnded(true);
    const onBack = () => setEnded(false);
    addEventListener("parley:signed-out", onEnd);
    addEventListener("parley:signed-in", onBack);
    return () => {
      removeEventListener("parley:signed-out", onEnd);
      removeEventListener("parley:signed-in", onBack);
    };
  }, []);
  return isEnded;
}
