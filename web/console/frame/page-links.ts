import {
  ChartNoAxesColumn,
  FileText,
  Inbox,
  KeyRound,
  Link2,
  ListTodo,
  type LucideIcon,
  Users,
  Webhook,
} from "lucide-react";
import { mayOpen } from "../common/rights.ts";
import type { Role } from "../data/types.ts";
import type { SidePage } from "../paths.ts";
import { texts } from "./texts.ts";

/** A page as the rail, the palette and the keys name it. */
export interface PageLink {
  readonly page: SidePage;
  readonly label: string;
  readonly Icon: LucideIcon;
  /** The two keys that open it. */
  readonly key: string;
  /** Whether it stands in the bar of a phone. */
  readonly isFirst: boolean;
}

const all: readonly PageLink[] = [
  { page: "inbox", label: texts.inbox, Icon: Inbox, key: "g i", isFirst: true },
  { page: "waiting", label: texts.waiting, Icon: ListTodo, key: "g n", isFirst: true },
  { page: "overview", label: texts.overview, Icon: ChartNoAxesColumn, key: "g o", isFirst: false },
  { page: "accounts", label: texts.accounts, Icon: Link2, key: "g a", isFirst: true },
  { page: "webhooks", label: texts.webhooks, Icon: Webhook, key: "g w", isFirst: false },
  { page: "keys", label: texts.apiKeys, Icon: KeyRound, key: "g k", isFirst: false },
  { page: "team", label: texts.team, Icon: Users, key: "g t", isFirst: false },
  { page: "audit", label: texts.audit, Icon: FileText, key: "g l", isFirst: false },
];

/** The pages that a role may open. */
export function pageLinks(role: Role): readonly PageLink[] {
  return all.filter(({ page }) => mayOpen(role, page));
}
