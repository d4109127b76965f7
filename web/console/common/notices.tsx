import { X } from "lucide-react";
import {
  createContext,
  type ReactNode,
  type RefObject,
  useCallback,
  useContext,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { returnFocus } from "../ui/return-focus.ts";
import { texts } from "../ui/texts.ts";

export interface Notice {
  readonly text: string;
  readonly action?: { readonly label: string; readonly run: () => void } | undefined;
  readonly kind?: "info" | "problem" | undefined;
  /** Whether it stays beside later ones until it is closed. */
  readonly staysOpen?: boolean | undefined;
}

interface Notices {
  readonly show: (notice: Notice) => void;
}

const Context = createContext<Notices | null>(null);
const SHOWN_MS = 6_000;
const LASTING_MAX = 3;

type Numbered = Notice & { readonly id: number };

/** Shows one notice at a time, at the end of the page, beside those that stay open. A problem stays until it is closed. */
export function NoticesProvider({ children }: { children: ReactNode }) {
  const [notice, setNotice] = useState<Numbered | null>(null);
  const [lasting, setLasting] = useState<readonly Numbered[]>([]);
  const lastId = useRef(0);
  const show = useCallback((next: Notice) => {
    lastId.current += 1;
    const numbered = { ...next, id: lastId.current };
    if (next.staysOpen) setLasting((before) => [...before, numbered].slice(-LASTING_MAX));
    else setNotice(numbered);
  }, []);
  useEffect(() => {
    if (notice === null || notice.kind === "problem") return;
    const timer = setTimeout(() => setNotice((current) => (current === notice ? null : current)), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [notice]);
  const notices = useMemo(() => ({ show }), [show]);
  return (
    <Context value={notices}>
      {children}
      <div className="notices" role="status" aria-live="polite">
        {lasting.map((each) => (
          <ShownNotice
            key={each.id}
            notice={each}
            onClose={() => setLasting((before) => before.filter(({ id }) => id !== each.id))}
          />
        ))}
        {notice === null ? null : <ShownNotice key={notice.id} notice={notice} onClose={() => setNotice(null)} />}
      </div>
    </Context>
  );
}

function ShownNotice({ notice, onClose }: { notice: Notice; onClose: () => void }) {
  const { text, action, kind = "info" } = notice;
  const node = useFocusReturn();
  return (
    <div ref={node} className={`notice ${kind}`}>
      <span dir="auto">{text}</span>
      {action ? (
        <button
          type="button"
          className="link"
          onClick={() => {
            onClose();
            action.run();
          }}
        >
          {action.label}
        </button>
      ) : null}
      <button type="button" className="icon" aria-label={texts.close} onClick={onClose}>
        <X size={16} />
      </button>
    </div>
  );
}

/** A part that goes away while it has the focus gives it back to what had it before. */
function useFocusReturn(): RefObject<HTMLDivElement | null> {
  const node = useRef<HTMLDivElement>(null);
  const before = useRef<Element | null>(null);
  const hadFocus = useRef(false);
  useLayoutEffect(() => {
    const part = node.current;
    const note = ({ relatedTarget }: FocusEvent) => {
      if (!(relatedTarget instanceof Element)) before.current = null;
      else if (!part?.contains(relatedTarget)) before.current = relatedTarget;
    };
    part?.addEventListener("focusin", note);
    return () => {
      hadFocus.current = part?.contains(document.activeElement) ?? false;
    };
  }, []);
  useEffect(
    () => () => {
      if (hadFocus.current) returnFocus(before.current);
    },
    [],
  );
  return node;
}

export function useNotices(): Notices {
  const notices = useContext(Context);
  if (notices === null) throw new Error("Notices need a NoticesProvider.");
  return notices;
}
