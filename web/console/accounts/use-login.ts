import { actionProblem } from "../admin/problems.ts";
import { useNotices } from "../common/notices.tsx";
import { useOneAtATime } from "../common/use-one-at-a-time.ts";
import { useWorkspace } from "../data/workspace.tsx";
import { accountsPath } from "../paths.ts";
import { loginOf } from "./account-health.ts";
import type { Connection } from "./login-end.ts";
import { texts } from "./texts.ts";

/**
 * Goes to the platform's login of a way of connecting, which redirects back to this page.
 * @param onProblem shows the words of what went wrong. Without it they are a notice
 */
export function useLogin(onProblem?: (text: string) => void) {
  const { parley, tenant } = useWorkspace();
  const { show } = useNotices();
  const { isBusy, run } = useOneAtATime();
  const start = (way: Connection) =>
    run(async () => {
      try {
        const redirect = `${accountsPath(tenant)}?${new URLSearchParams({ way })}`;
        const { url } = await parley.logins.start(loginOf({ connection: way }), { redirect });
        location.assign(url);
        // The page stays as it is until the platform's is there.
        await new Promise((resolve) => setTimeout(resolve, OPENING_MS));
      } catch (error) {
        const text = actionProblem(error, texts.openingFailed);
        if (onProblem) onProblem(text);
        else show({ text, kind: "problem" });
      }
    });
  return { isOpening: isBusy, start };
}

const OPENING_MS = 3_000;
