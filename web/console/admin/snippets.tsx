import { useState } from "react";
import { Code } from "./code.tsx";
import { texts } from "./texts.ts";

export interface Snippet {
  readonly language: string;
  readonly code: string;
}

/** The same example in several languages. The first choice of a person counts for the next dialog, too. */
export function Snippets({ snippets }: { snippets: readonly Snippet[] }) {
  const [language, setLanguage] = useState(lastLanguage);
  const shown = snippets.find((snippet) => snippet.language === language) ?? snippets[0];
  if (!shown) return null;
  return (
    <div className="snippets">
      <fieldset className="seg">
        <legend className="unseen">{texts.snippets}</legend>
        {snippets.map((snippet) => (
          <label key={snippet.language}>
            <input
              type="radio"
              name="snippet"
              className="unseen"
              checked={snippet === shown}
              onChange={() => {
                lastLanguage = snippet.language;
                setLanguage(snippet.language);
              }}
            />
            {snippet.language}
          </label>
        ))}
      </fieldset>
      <Code label={shown.language}>{shown.code}</Code>
    </div>
  );
}

let lastLanguage = "";
