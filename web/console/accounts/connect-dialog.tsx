import { useState } from "react";
import { Dialog } from "../ui/dialog.tsx";
import { PlatformGlyph } from "../ui/platform-glyph.tsx";
import { ways } from "./login-end.ts";
import { texts } from "./texts.ts";
import { useLogin } from "./use-login.ts";

/** The three ways to connect an account, each with what it needs. */
export function ConnectDialog({ onClose }: { onClose: () => void }) {
  const [problem, setProblem] = useState("");
  const { isOpening, start } = useLogin(setProblem);
  return (
    <Dialog title={texts.connect} onClose={onClose}>
      <ul className="connect-ways">
        {ways.map((way) => {
          const { title, text, needs, go } = texts.ways[way];
          return (
            <li key={way}>
              <PlatformGlyph platform={way === "messenger" ? "messenger" : "instagram"} />
              <div>
                <h3>{title}</h3>
                <p>{text}</p>
                <ul aria-label={`${texts.needsLabel}: ${title}`}>
                  {needs.map((need) => (
                    <li key={need}>{need}</li>
                  ))}
                </ul>
                <button type="button" className="btn" aria-disabled={isOpening} onClick={() => void start(way)}>
                  {go}
                </button>
              </div>
            </li>
          );
        })}
      </ul>
      <p className="problem" role="alert">
        {problem}
      </p>
    </Dialog>
  );
}
