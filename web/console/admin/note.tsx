import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";

interface NoteProps {
  readonly Icon: LucideIcon;
  readonly title: string;
  readonly tone?: "warn" | "bad" | "good" | "plain";
  readonly action?: ReactNode;
  readonly children?: ReactNode;
}

/** Something that needs attention, above what it is about. */
export function Note({ Icon, title, tone = "warn", action, children }: NoteProps) {
  return (
    <div className={`note ${tone}`}>
      <Icon size={18} aria-hidden="true" />
      <p>
        <b>{title}</b> {children}
      </p>
      {action}
    </div>
  );
}
