import { ChevronLeft } from "lucide-react";
import type { ReactNode } from "react";
import { Link } from "wouter";
import "./admin.css";

interface AdminPageProps {
  readonly title: string;
  readonly intro?: ReactNode;
  /** The page above it. */
  readonly parent?: { readonly label: string; readonly href: string };
  /** Buttons beside the title. */
  readonly actions?: ReactNode;
  readonly isWide?: boolean;
  readonly children: ReactNode;
}

/** A page beside the inbox: its title, what can be done, and its contents. */
export function AdminPage({ title, intro, parent, actions, isWide = false, children }: AdminPageProps) {
  return (
    <main className="admin">
      <div className={isWide ? "inner wide" : "inner"}>
        {parent ? (
          <Link className="crumb" href={parent.href}>
            <ChevronLeft size={14} aria-hidden="true" />
            {parent.label}
          </Link>
        ) : null}
        <header className="page-head">
          <div>
            <h1 className={parent ? "mono" : undefined} dir="auto">
              {title}
            </h1>
            {intro ? <p>{intro}</p> : null}
          </div>
          {actions ? <div className="acts">{actions}</div> : null}
        </header>
        {children}
      </div>
    </main>
  );
}
