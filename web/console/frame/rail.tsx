import { CircleHelp, Ellipsis } from "lucide-react";
import { Suspense } from "react";
import { Link } from "wouter";
import { useStream, useWorkspace } from "../data/workspace.tsx";
import { useNeedsReplyCount } from "../inbox/list/use-list.ts";
import { type Place, sidePath } from "../paths.ts";
import { Mark } from "../ui/mark.tsx";
import { Menu } from "../ui/menu/menu.tsx";
import { lazyPart } from "./lazy-page.tsx";
import { type PageLink, pageLinks } from "./page-links.ts";
import { ProfileMenu } from "./profile-menu.tsx";
import { texts } from "./texts.ts";

const WaitingCount = lazyPart(async () => (await import("../waiting/waiting-count.tsx")).WaitingCount);

interface RailProps {
  readonly page: Place["page"];
  readonly onHelp: () => void;
}

/** The pages of the console: at the side, or at the bottom of a phone. */
export function Rail({ page, onHelp }: RailProps) {
  const { tenant, person } = useWorkspace();
  const { state } = useStream();
  const count = useNeedsReplyCount();
  const live = state === "open" ? texts.live : texts.connecting;
  const links = pageLinks(person.role);
  const further = links.filter(({ isFirst }) => !isFirst);
  return (
    <nav className="rail" aria-label={texts.navigation}>
      <Mark />
      {links.map((link) => (
        <RailLink key={link.page} link={link} tenant={tenant} isCurrent={link.page === page} count={count} />
      ))}
      <Menu
        label={texts.more}
        className={further.some((link) => link.page === page) ? "more current" : "more"}
        button={
          <>
            <Ellipsis size={20} aria-hidden="true" />
            {texts.more}
          </>
        }
        items={further.map(({ page: each, label, Icon }) => ({
          label,
          icon: <Icon size={16} aria-hidden="true" />,
          href: sidePath(tenant, each),
          isCurrent: each === page,
        }))}
      />
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

interface RailLinkProps {
  readonly link: PageLink;
  readonly tenant: string;
  readonly isCurrent: boolean;
  /** How many wait for a reply. */
  readonly count: string;
}

/** On a phone only the first pages stand in the bar; the others are in its menu. */
function RailLink({ link: { page, label, Icon, key, isFirst }, tenant, isCurrent, count }: RailLinkProps) {
  return (
    <Link
      href={sidePath(tenant, page)}
      className={isFirst ? undefined : "further"}
      aria-current={isCurrent ? "page" : undefined}
      title={`${label} (${key})`}
    >
      <Icon size={20} aria-hidden="true" />
      <span className="label">{label}</span>
      {page !== "inbox" || count === "0" ? null : <span className="count">{count}</span>}
      {page === "waiting" ? (
        <Suspense fallback={null}>
          <WaitingCount />
        </Suspense>
      ) : null}
    </Link>
  );
}
