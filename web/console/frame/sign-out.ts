import { isSignedOut, problemText } from "../common/problems.ts";
import { clearDrafts } from "../inbox/composer/drafts.ts";
import { forgetSeen } from "../inbox/thread/seen.ts";
import { account } from "../session/session.ts";
import { texts } from "./texts.ts";

/** Ends every session of the person and forgets what this browser keeps of conversations. Throws when the call fails. */
export async function signOut(): Promise<void> {
  await account.logins.signOut().catch((error: unknown) => {
    if (!isSignedOut(error)) throw error;
  });
  clearDrafts();
  forgetSeen(null);
  location.replace("/console/auth/sign-in");
}

/** Why the sign-out failed, in words. */
export function signOutProblem(error: unknown): string {
  const { text, wayOn } = problemText(error);
  return `${texts.signOutFailed} ${text} ${wayOn}`;
}
