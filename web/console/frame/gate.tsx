import { type ReactNode, useState } from "react";
import { printableText } from "../../../packages/client/src/printable.ts";
import { problemLine } from "../common/problems.ts";
import { useSession } from "../session/session-provider.tsx";
import { Mark } from "../ui/mark.tsx";
import { signOut } from "./sign-out.ts";
import { texts } from "./texts.ts";

/** A page outside every workspace. It says who is signed in: the answer may be another address. */
export function Gate({ children }: { children: ReactNode }) {
  const { me } = useSession();
  const [problem, setProblem] = useState("");
  return (
    <main className="gate">
      <Mark />
      {children}
      <p className="signed-in">
        <span dir="auto">{texts.signedInAs(printableText(me.email))}</span>
        <button
          type="button"
          className="link"
          onClick={() => void signOut().catch((error: unknown) => setProblem(problemLine(error)))}
        >
          {texts.signOut}
        </button>
      </p>
      <p className="problem" role="alert">
        {problem}
      </p>
    </main>
  );
}
