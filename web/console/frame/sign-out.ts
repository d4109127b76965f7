import { isSignedOut } from "../common/problems.ts";
import { clearDrafts } from "../inbox/composer/drafts.ts";
import { forgetSeen } from "../inbox/thread/seen.ts";
import { account } from "../session/session.ts";

/** Ends every session of the person and forgets what this browser keeps of conversations. Throws when the call fails. */
export async function signOut(): Promise<void> {
  await account.logins.signOut().catch((error: unknown) => {
    if (!isSignedOut(error)) throw error;
  });
  clearDrafts();
  forgetSeen(null);
  location.replace("/console/auth/sign-in");
}
