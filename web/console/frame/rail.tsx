import { CircleHelp, Inbox, Link2 } from "lucide-react";
import { Link } from "wouter";
import { useStream, useWorkspace } from "../data/workspace.tsx";
import { useNeedsReplyCount } from "../inbox/list/use-list.ts";
import { accountsPath, inboxPath, type Place } from "../paths.ts";
import { Mark } from "../ui/mark.tsx";
import { ProfileMenu } from "./profile-menu.tsx";
import { texts } from "./texts.ts";

interface RailProps {
  readonly page: Place["page"];
  readonly onHelp: () => void;
}

/** The pages of the console: at the side, or at the bottom of a phone. */
export function Rail({ page, onHelp }: RailProps) {
  const { tenant } = useWorkspace();
  const { state } = useStream();
  const count = useNeedsReplyCount();
  const live = state === "open" ? texts.live : texts.connecting;
  return (
    <nav className="rail" aria-label={texts.navigation}>
      <Mark />
      <Link
        href={inboxPath(tenant)}
        aria-current={page === "inbox" ? "page" : undefined}
        title={`${texts.inbox} (g i)`}
      >
        <Inbox size={20} aria-hidden="true" />
        <span className="label">{texts.inbox}</span>
        {count === "0" ? null : <span className="count">{count}</span>}
      </Link>
      <Link
        href={accountsPath(tenant)}
        aria-current={page === "accounts" ? "page" : undefined}
        title={`${texts.accounts} (g a)`}
      >
        <Link2 size={20} aria-hidden="true" />
        <span className="label">{texts.accounts}</span>
      </Link>
      <span className="gap" />
      <span className={state === "open" ? "live" : "live waiting"} title={live}>
        <span className="unseen">{live}</span>
      </span>
      <button type="button" className="tool" onClick={onHelp} title={`${texts.help} (?)`}>
        <CircleHelp size={20} aria-hidden="true" />
        <span className="unseen">{texts.help}</span>
      </button>
      <ProfileMenu />
    </nav>
  );
}
