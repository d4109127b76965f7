import { Building2, ChevronDown } from "lucide-react";
import { printableText } from "../../../packages/client/src/printable.ts";
import { useWorkspace } from "../data/workspace.tsx";
import { inboxPath } from "../paths.ts";
import { Menu } from "../ui/menu/menu.tsx";
import { useSession } from "./session-provider.tsx";
import { texts } from "./texts.ts";

/** The name and the slug of the workspace; a menu where the person has several. */
export function WorkspaceMenu() {
  const { tenant } = useWorkspace();
  const { workspaces } = useSession();
  const name = printableText(workspaces.find(({ id }) => id === tenant)?.name ?? tenant);
  if (workspaces.length < 2) {
    return (
      <span className="space">
        <bdi>{name}</bdi> <small className="slug">{tenant}</small>
      </span>
    );
  }
  return (
    <Menu
      label={texts.workspaces}
      className="space"
      button={
        <>
          <bdi>{name}</bdi> <small className="slug">{tenant}</small> <ChevronDown size={14} aria-hidden="true" />
        </>
      }
      items={workspaces.map((workspace) => ({
        label: texts.named(printableText(workspace.name), workspace.id),
        icon: <Building2 size={16} aria-hidden="true" />,
        href: inboxPath(workspace.id),
        isCurrent: workspace.id === tenant,
      }))}
    />
  );
}
