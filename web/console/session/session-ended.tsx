import { useCallback, useEffect, useState } from "react";
import { problemText } from "../common/problems.ts";
import { useOneAtATime } from "../common/use-one-at-a-time.ts";
import { Dialog } from "../ui/dialog.tsx";
import { account, type Me } from "./session.ts";
import { texts } from "./texts.ts";

const CHECK_MS = 3_000;

/** Asks to sign in again, over the page, which keeps everything. It closes as soon as another tab has signed in. */
export function SessionEnded({ me, onSignedIn }: { me: Me; onSignedIn: () => void }) {
  const check = useCallback(async () => {
    const current = await account.me.get({ maxRetries: 0 }).catch(() => null);
    if (current === null) return;
    if (current.user_id !== me.user_id) return location.reload();
    dispatchEvent(new Event("parley:signed-in"));
    onSignedIn();
  }, [me, onSignedIn]);
  useEffect(() => {
    const timer = setInterval(() => void check(), CHECK_MS);
    const onFocus = () => void check();
    addEventListener("focus", onFocus);
    return () => {
      clearInterval(timer);
      removeEventListener("focus", onFocus);
    };
  }, [check]);
  return (
    <Dialog title={texts.endedTitle} onClose={() => {}} isRequired>
      <p>{texts.endedText}</p>
      <SendLink email={me.email} />
    </Dialog>
  );
}

/** Sends a sign-in link to the person. */
export function SendLink({ email }: { email: string }) {
  const [said, setSaid] = useState("");
  const { isBusy, run } = useOneAtATime();
  const send = async () => {
    try {
      await account.logins.requestLink({ email, redirect: location.pathname });
      setSaid(texts.linkSent);
    } catch (error) {
      setSaid(`${texts.linkFailed} ${problemText(error).wayOn}`);
    }
  };
  return (
    <div className="send-link">
      <button type="button" className="btn first" aria-disabled={isBusy} onClick={() => void run(send)}>
        {texts.sendLink(email)}
      </button>
      <p role="status">{said}</p>
    </div>
  );
}
