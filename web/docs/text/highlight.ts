import { escapeHtml, Html, html } from "./html.ts";

const KEYWORDS =
  "async|await|break|case|catch|class|const|def|else|end|export|finally|for|from|func|function|if|import|in|interface|let|match|new|not|null|None|package|private|public|return|static|string|struct|switch|throw|throws|true|false|True|False|try|type|typeof|use|using|var|while|with|yield";
// Super-linear: it highlights the documentation of this repository, while that is built.
const STRING = /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`/.source;
// Super-linear: it highlights the documentation of this repository, while that is built.
const SLASHES = /\/\/[^\n]*|\/\*[\s\S]*?\*\//.source;
const HASH = /(?<=^|\s)#[^\n]*/.source;

interface Language {
  readonly name: string;
  /** Comments, strings, keys, keywords, in this order. A comment may begin in no other token. */
  readonly pattern: RegExp;
}

const scripted = (comment: string, keywords = KEYWORDS) =>
  // Super-linear: it highlights the documentation of this repository, while that is built.
  new RegExp(`(?<c>${comment})|(?<s>${STRING})|(?<w>\\b(?:${keywords})\\b)`, "gm");

const json: Language = {
  name: "JSON",
  pattern:
    // Super-linear: it highlights the documentation of this repository, while that is built.
    /(?<k>"(?:\\.|[^"\\\n])*"(?=\s*:))|(?<s>"(?:\\.|[^"\\\n])*")|(?<w>\b(?:true|false|null)\b|-?\b\d+(?:\.\d+)?\b)/g,
};
const shell: Language = { name: "Shell", pattern: scripted(HASH, "curl|npm|npx|node|export|eval|then|fi|done|do") };
const typescript: Language = { name: "TypeScript", pattern: scripted(SLASHES) };

const languages: Readonly<Record<string, Language>> = {
  json,
  sh: shell,
  bash: shell,
  ts: typescript,
  js: { ...typescript, name: "JavaScript" },
  py: { name: "Python", pattern: scripted(HASH) },
  rb: { name: "Ruby", pattern: scripted(HASH) },
  php: { name: "PHP", pattern: scripted(SLASHES) },
  go: { name: "Go", pattern: scripted(SLASHES) },
  java: { name: "Java", pattern: scripted(SLASHES) },
  cs: { name: "C#", pattern: scripted(SLASHES) },
};

/** A block of code that can be scrolled with the keyboard, with colors where its language has them. */
export function codeBlock(code: string, language: string, label?: string): Html {
  const grammar = Object.hasOwn(languages, language) ? languages[language] : undefined;
  const name = label ?? grammar?.name ?? "Text";
  const body = grammar ? highlight(code, grammar.pattern) : new Html(escapeHtml(code));
  return html`<div class="code" data-language="${language}"><p class="code-name">${name}</p><pre tabindex="0" role="group" aria-label="${name}"><code>${body}</code></pre></div>`;
}

function highlight(code: string, pattern: RegExp): Html {
  let markup = "";
  let at = 0;
  for (const match of code.matchAll(pattern)) {
    const [kind] = Object.entries(match.groups ?? {}).find(([, text]) => text !== undefined) ?? ["w"];
    markup += `${escapeHtml(code.slice(at, match.index))}<span class="${kind}">${escapeHtml(match[0])}</span>`;
    at = match.index + match[0].length;
  }
  return new Html(markup + escapeHtml(code.slice(at)));
}
