import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { type ReactNode, Suspense, useEffect, useMemo, useState } from "react";
import { Link, Redirect, useLocation, useSearch } from "wouter";
import { printableText } from "../../packages/client/src/printable.ts";
import { KeysProvider } from "./common/keys.tsx";
import { NoticesProvider } from "./common/notices.tsx";
import { applyTheme } from "./common/preferences.ts";
import { isForbidden, isSignedOut } from "./common/problems.ts";
import { mayOpen } from "./common/rights.ts";
import { type Person, useWorkspace, WorkspaceProvider } from "./data/workspace.tsx";
import { CrashBoundary } from "./frame/crash.tsx";
import { Gate } from "./frame/gate.tsx";
import { lazyPage, PageLoading } from "./frame/lazy-page.tsx";
import { Shell } from "./frame/shell.tsx";
import { texts as frameTexts } from "./frame/texts.ts";
import { openDrafts } from "./inbox/composer/drafts.ts";
import { InboxPage } from "./inbox/inbox-page.tsx";
import type { OutsideProps } from "./outside/outside-workspace.tsx";
import { type Place, parsePath, startPath } from "./paths.ts";
import { NameForm } from "./session/name-form.tsx";
import { firstWorkspace, type OwnWorkspace, rememberWorkspace } from "./session/session.ts";
import { SessionProvider, useSession } from "./session/session-provider.tsx";
import { texts } from "./session/texts.ts";

applyTheme();

/** The console. */
export function App() {
  const [client] = useState(
    () =>
      new QueryClient({
        defaultOptions: {
          queries: {
            // The client of the API has retried already.
            retry: false,
            networkMode: "always",
            refetchOnWindowFocus: (query) => !isSignedOut(query.state.error) && !isForbidden(query.state.error),
          },
        },
      }),
  );
  return (
    <QueryClientProvider client={client}>
      <NoticesProvider>
        <KeysProvider>
          <SessionProvider>
            <CrashBoundary>
              <Pages />
            </CrashBoundary>
          </SessionProvider>
        </KeysProvider>
      </NoticesProvider>
    </QueryClientProvider>
  );
}

function Pages() {
  const [path] = useLocation();
  const query = new URLSearchParams(useSearch());
  const { me, workspaces, reload } = useSession();
  const place = useMemo(() => parsePath(path), [path]);
  useEffect(() => {
    const onForbidden = () => void reload();
    addEventListener("parley:forbidden", onForbidden);
    return () => removeEventListener("parley:forbidden", onForbidden);
  }, [reload]);
  if (me.name === null) {
    return (
      <Gate>
        <h1>{texts.nameTitle}</h1>
        <p>{texts.nameText}</p>
        <NameForm name="" onSaved={() => void reload()} />
      </Gate>
    );
  }
  if (workspaces.length === 0) return <Outside kind="none" />;
  if (place.page === "start") {
    const first = firstWorkspace(workspaces);
    if (first && query.has("invites") && me.invites.length > 0) return <Outside kind="invites" />;
    return first ? <Redirect to={startPath(first.id, query)} replace /> : <Outside kind="none" />;
  }
  if (place.page === "unknown") return <UnknownPage />;
  const workspace = workspaces.find(({ id }) => id === place.tenant);
  if (!workspace) return <Outside kind="choose" />;
  if (workspace.status === "suspended") return <Outside kind="suspended" workspace={workspace} />;
  return (
    <OpenWorkspace key={workspace.id} workspace={workspace}>
      <Shell place={place}>
        <Page place={place} />
      </Shell>
    </OpenWorkspace>
  );
}

function Outside(props: OutsideProps) {
  return (
    <Suspense fallback={<PageLoading />}>
      <OutsideWorkspace {...props} />
    </Suspense>
  );
}

function OpenWorkspace({ workspace, children }: { workspace: OwnWorkspace; children: ReactNode }) {
  const { id: tenant, name, role } = workspace;
  const { me } = useSession();
  const person = useMemo<Person>(
    () => ({ userId: me.user_id, actorId: me.actor_id, email: me.email, name: me.name ?? me.email, role }),
    [me, role],
  );
  useState(() => openDrafts(me.user_id));
  useEffect(() => rememberWorkspace(tenant), [tenant]);
  return (
    <WorkspaceProvider tenant={tenant} name={printableText(name)} person={person} csrfToken={me.csrf_token}>
      {children}
    </WorkspaceProvider>
  );
}

// The inbox is in the first script; the other pages are fetched when they are opened.
const OverviewPage = lazyPage(async () => (await import("./overview/overview-page.tsx")).OverviewPage);
const OutsideWorkspace = lazyPage(async () => (await import("./outside/outside-workspace.tsx")).OutsideWorkspace);
const AccountsPage = lazyPage(async () => (await import("./accounts/accounts-page.tsx")).AccountsPage);
const WebhooksPage = lazyPage(async () => (await import("./webhooks/webhooks-page.tsx")).WebhooksPage);

const WaitingPage = lazyPage(async () => (await import("./waiting/waiting-page.tsx")).WaitingPage);
const KeysPage = lazyPage(async () => (await import("./keys/keys-page.tsx")).KeysPage);
const TeamPage = lazyPage(async () => (await import("./team/team-page.tsx")).TeamPage);
const AuditPage = lazyPage(async () => (await import("./audit/audit-page.tsx")).AuditPage);

function Page({ place }: { place: Place }) {
  const { person } = useWorkspace();
  if (place.page === "start" || place.page === "unknown") return <UnknownPage />;
  if (place.page === "inbox") return <InboxPage openId={place.conversation} />;
  if (!mayOpen(person.role, place.page)) return <EmptyPage {...frameTexts.notYourPage} />;
  return (
    <Suspense fallback={<PageLoading />}>
      <CrashBoundary key={place.page}>
        <SidePage place={place} />
      </CrashBoundary>
    </Suspense>
  );
}

function SidePage({ place }: { place: Place }) {
  switch (place.page) {
    case "overview":
      return <OverviewPage />;
    case "accounts":
      return <AccountsPage />;
    case "webhooks":
      return <WebhooksPage ids={place.ids} />;
    case "waiting":
      return <WaitingPage />;
    case "keys":
      return <KeysPage />;
    case "team":
      return <TeamPage />;
    case "audit":
      return <AuditPage />;
    default:
      return <UnknownPage />;
  }
}

function UnknownPage() {
  return <EmptyPage {...frameTexts.unknownPage} />;
}

function EmptyPage({ title, text }: { title: string; text: string }) {
  const { link } = frameTexts;
  return (
    <main className="gate">
      <h1>{title}</h1>
      <p>{text}</p>
      <Link className="btn first" href="/app">
        {link}
      </Link>
    </main>
  );
}
