import { X } from "lucide-react";
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useState } from "react";
import { texts } from "../ui/texts.ts";

export interface Notice {
  readonly text: string;
  readonly action?: { readonly label: string; readonly run: () => void } | undefined;
  readonly kind?: "info" | "problem" | undefined;
}

interface Notices {
  readonly show: (notice: Notice) => void;
}

const Context = createContext<Notices | null>(null);
const SHOWN_MS = 6_000;

/** Shows one notice at a time, at the end of the page. A problem stays until it is closed. */
export function NoticesProvider({ children }: { children: ReactNode }) {
  const [notice, setNotice] = useState<(Notice & { readonly id: number }) | null>(null);
  const show = useCallback((next: Notice) => {
    setNotice((before) => ({ ...next, id: (before?.id ?? 0) + 1 }));
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
        {notice === null ? null : (
          <div className={`notice ${notice.kind ?? "info"}`} key={notice.id}>
            <span dir="auto">{notice.text}</span>
            {notice.action ? (
              <button
                type="button"
                className="link"
                onClick={() => {
                  setNotice(null);
                  notice.action?.run();
                }}
              >
                {notice.action.label}
              </button>
            ) : null}
            <button type="button" className="icon" aria-label={texts.close} onClick={() => setNotice(null)}>
              <X size={16} />
            </button>
          </div>
        )}
      </div>
    </Context>
  );
}

export function useNotices(): Notices {
  const notices = useContext(Context);
  if (notices === null) throw new Error("Notices need a NoticesProvider.");
  return notices;
}
