import { Building2, LogOut, Search, SunMoon, User, Zap } from "lucide-react";
import { type ReactNode, useCallback, useId, useMemo, useState } from "react";
import { useLocation } from "wouter";
import { printableText } from "../../../packages/client/src/printable.ts";
import { useKeyList } from "../common/keys.tsx";
import { useNotices } from "../common/notices.tsx";
import { setPreferences, usePreferences } from "../common/preferences.ts";
import type { InboxState } from "../data/live-inbox.ts";
import { personHandle, personName } from "../data/names.ts";
import { millis } from "../data/types.ts";
import { useInbox, useWorkspace } from "../data/workspace.tsx";
import { inboxPath, sidePath } from "../paths.ts";
import { useSession } from "../session/session-provider.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { pageLinks } from "./page-links.ts";
import { signOut, signOutProblem } from "./sign-out.ts";
import { texts } from "./texts.ts";

interface Entry {
  readonly id: string;
  readonly label: string;
  readonly note: string;
  readonly icon: ReactNode;
  readonly run: () => void;
}

const SHOWN_MAX = 12;
const FEW_MAX = 20;
const selectBook = ({ book }: InboxState) => book;

/** Finds people that are loaded, pages and actions. */
export function Palette({ onClose, onHelp }: { onClose: () => void; onHelp: () => void }) {
  const { tenant, person } = useWorkspace();
  const [, navigate] = useLocation();
  const { workspaces } = useSession();
  const { show } = useNotices();
  const { theme } = usePreferences();
  const bindings = useKeyList();
  const book = useInbox(selectBook);
  const [words, setWords] = useState("");
  const [selected, setSelected] = useState(0);
  const listId = useId();
  const entries = useMemo<Entry[]>(() => {
    const actions: Entry[] = bindings
      .filter(({ group }) => group === "Conversation")
      .map(({ key, label, run }) => ({ id: `key ${key}`, label, note: key, icon: <Zap size={16} />, run }));
    const themes = (["light", "dark", "system"] as const).filter((each) => each !== theme);
    const settings: Entry[] = [
      ...themes.map((each) => ({
        id: `theme ${each}`,
        label: `${texts.theme}: ${texts.themes[each]}`,
        note: "",
        icon: <SunMoon size={16} />,
        run: () => setPreferences({ theme: each }),
      })),
      ...workspaces
        .filter(({ id }) => id !== tenant)
        .map(({ id, name }) => ({
          id: `workspace ${id}`,
          label: `${texts.workspace}: ${printableText(name)}`,
          note: id,
          icon: <Building2 size={16} />,
          run: () => navigate(inboxPath(id)),
        })),
      {
        id: "sign-out",
        label: texts.signOut,
        note: "",
        icon: <LogOut size={16} />,
        run: () => void signOut().catch((error: unknown) => show({ text: signOutProblem(error), kind: "problem" })),
      },
    ];
    const pages: Entry[] = [
      ...pageLinks(person.role).map(({ page, label, Icon }) => ({
        id: page,
        label,
        note: "",
        icon: <Icon size={16} />,
        run: () => navigate(sidePath(tenant, page)),
      })),
      { id: "help", label: texts.help, note: "", icon: <Search size={16} />, run: onHelp },
    ];
    const people = [...book.known.values()]
      .map(({ conversation }) => conversation)
      .sort((a, b) => millis(b.last_message_at) - millis(a.last_message_at))
      .map((conversation) => ({
        id: conversation.id,
        label: printableText(personName(conversation)),
        note: printableText(personHandle(conversation)),
        icon: <User size={16} />,
        run: () => navigate(inboxPath(tenant, conversation.id)),
      }));
    const query = words.trim().toLocaleLowerCase();
    const isWanted = ({ label, note }: Entry) => `${label} ${note}`.toLocaleLowerCase().includes(query);
    // People are many: they never hide what there are few of.
    const few = [...pages, ...actions, ...settings].filter(isWanted).slice(0, FEW_MAX);
    return [...few, ...people.filter(isWanted).slice(0, SHOWN_MAX)];
  }, [book, words, tenant, person.role, navigate, onHelp, bindings, theme, workspaces, show]);
  const showOption = useCallback((option: Element | null) => option?.scrollIntoView({ block: "nearest" }), []);
  const current = Math.min(selected, Math.max(0, entries.length - 1));
  const run = (entry: Entry | undefined) => {
    if (!entry) return;
    onClose();
    // The dialog first gives the focus back: an action may want it elsewhere.
    requestAnimationFrame(() => entry.run());
  };
  return (
    <Dialog title={texts.palette} onClose={onClose}>
      <input
        className="palette-field"
        role="combobox"
        aria-label={texts.palette}
        aria-expanded="true"
        aria-controls={listId}
        aria-activedescendant={entries[current] ? `${listId}-${current}` : undefined}
        value={words}
        onChange={(event) => {
          setWords(event.currentTarget.value);
          setSelected(0);
        }}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return;
          const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
          if (step !== 0) {
            event.preventDefault();
            setSelected((current + step + entries.length) % Math.max(1, entries.length));
          }
          if (event.key === "Enter") {
            event.preventDefault();
            run(entries[current]);
          }
        }}
      />
      <div className="palette" role="listbox" id={listId} aria-label={texts.palette}>
        {entries.map((entry, index) => (
          <div
            key={entry.id}
            id={`${listId}-${index}`}
            ref={index === current ? showOption : undefined}
            role="option"
            tabIndex={-1}
            aria-selected={index === current}
            className="menu-item"
            onClick={() => run(entry)}
            onKeyDown={({ key }) => {
              if (key === "Enter") run(entry);
            }}
          >
            {entry.icon}
            <bdi>{entry.label}</bdi> <small dir="auto">{entry.note}</small>
          </div>
        ))}
      </div>
      <p role="status" className="soft">
        {entries.length === 0 ? texts.paletteEmpty : ""}
      </p>
    </Dialog>
  );
}
