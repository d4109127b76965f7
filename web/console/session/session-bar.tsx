import { useState } from "react";
import { useServerTime } from "../data/workspace.tsx";
import { endingSoon } from "./session.ts";
import { SendLink } from "./session-ended.tsx";
import { useSession } from "./session-provider.tsx";
import { texts } from "./texts.ts";

/** Says, 15 minutes before, that the session ends, and offers the link. */
export function SessionBar() {
  const { me } = useSession();
  const now = useServerTime();
  const [isOpen, setOpen] = useState(false);
  const left = endingSoon(me, now);
  if (left === null) return null;
  return (
    <div className="strip" role="status">
      <span>{texts.endsSoon(Math.max(1, Math.ceil(left / 60_000)))}</span>
      {isOpen ? (
        <SendLink email={me.email} />
      ) : (
        <button type="button" className="link" onClick={() => setOpen(true)}>
          {texts.signInAgain}
        </button>
      )}
    </div>
  );
}
