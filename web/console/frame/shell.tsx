import { type ReactNode, Suspense, useCallback, useEffect, useState } from "react";
import { useLocation } from "wouter";
import { useKeys } from "../common/keys.tsx";
import type { LiveInbox } from "../data/live-inbox.ts";
import { useWorkspace } from "../data/workspace.tsx";
import { type Place, sidePath } from "../paths.ts";
import { SessionBar } from "../session/session-bar.tsx";
import { FocusTip } from "../ui/focus-tip.tsx";
import { isDialogRequired } from "../ui/required-dialog.ts";
import { AccountStrip } from "./account-strip.tsx";
import { ConnectionStrip } from "./connection-strip.tsx";
import { KeysDialog } from "./keys-dialog.tsx";
import { lazyPart } from "./lazy-page.tsx";
import { OutdatedStrip } from "./outdated-strip.tsx";
import { pageLinks } from "./page-links.ts";
import { Palette } from "./palette.tsx";
import { Rail } from "./rail.tsx";
import { texts } from "./texts.ts";
import { useTitle } from "./use-title.ts";
import { useUnsentNotices } from "./use-unsent-notices.ts";
import { useVisibleHeight } from "./use-visible-height.ts";
import "./frame.css";

const AWAY_MS = 30_000;
const Background = lazyPart(async () => (await import("../background/background.tsx")).Background);

interface ShellProps {
  readonly place: Place;
  readonly children: ReactNode;
}

/** The frame around every page of a workspace. */
export function Shell({ place, children }: ShellProps) {
  const { tenant, inbox, person } = useWorkspace();
  const [, navigate] = useLocation();
  const [opened, setOpened] = useState<"keys" | "palette" | null>(null);
  const close = useCallback(() => setOpened(null), []);
  const help = useCallback(() => setOpened("keys"), []);
  const links = pageLinks(person.role);
  const openId = place.page === "inbox" ? place.conversation : null;
  useTitle(links.find(({ page }) => page === place.page)?.label ?? texts.name);
  useRefetchAfterAway(inbox);
  useNoFilePages();
  useVisibleHeight();
  useUnsentNotices(openId);
  useKeys([
    ...links.map(({ page, key, label }) => ({
      key,
      run: () => navigate(sidePath(tenant, page)),
      label: texts.go(label),
      group: "Pages",
    })),
    { key: "?", run: help, label: texts.help, group: "Pages" },
  ]);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey)
        return;
      event.preventDefault();
      if (!isDialogRequired()) setOpened((before) => before ?? "palette");
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, []);
  return (
    <div className={openId !== null ? "app at-thread" : "app"}>
      <Rail page={place.page} onHelp={help} />
      <div className="page">
        <SessionBar />
        <ConnectionStrip />
        <OutdatedStrip />
        <AccountStrip isAtAccounts={place.page === "accounts"} />
        {children}
      </div>
      {opened === "keys" ? <KeysDialog onClose={close} /> : null}
      {opened === "palette" ? <Palette onClose={close} onHelp={help} /> : null}
      <FocusTip />
      <Suspense fallback={null}>
        <Background openId={openId} />
      </Suspense>
    </div>
  );
}

/** A file that is dropped where none is taken does nothing: without this the browser opens it in the place of the console. */
function useNoFilePages(): void {
  useEffect(() => {
    const refuse = (event: DragEvent) => {
      if (event.defaultPrevented || !event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = "none";
    };
    document.addEventListener("dragover", refuse);
    document.addEventListener("drop", refuse);
    return () => {
      document.removeEventListener("dragover", refuse);
      document.removeEventListener("drop", refuse);
    };
  }, []);
}

/** Refetches when the page is looked at again after a while, and when the network is back. */
function useRefetchAfterAway(inbox: LiveInbox): void {
  useEffect(() => {
    let leftAt: number | null = null;
    const onChange = () => {
      if (document.visibilityState === "hidden") {
        leftAt ??= Date.now();
        return;
      }
      inbox.check();
      if (leftAt !== null && Date.now() - leftAt > AWAY_MS) void inbox.refetch();
      leftAt = null;
    };
    const onNetwork = () => {
      inbox.check();
      void inbox.refetch();
    };
    const check = () => inbox.check();
    document.addEventListener("visibilitychange", onChange);
    addEventListener("focus", check);
    addEventListener("offline", check);
    addEventListener("online", onNetwork);
    return () => {
      document.removeEventListener("visibilitychange", onChange);
      removeEventListener("focus", check);
      removeEventListener("offline", check);
      removeEventListener("online", onNetwork);
    };
  }, [inbox]);
}
