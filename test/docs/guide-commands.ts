import { codeBlocks } from "./code-blocks.ts";

/** The pages of the guide to a deployment, and those that continue it. */
export const deployPages = [
  ...["deploy", "new-account", "settings", "commands", "domains", "mail", "monitoring", "upgrade", "remove", "rights"],
].map((name) => `docs/operate/${name}.md`);

export interface GuideCommand {
  readonly page: string;
  readonly command: string;
}

/** The commands of the shell blocks of pages, in order. One may have several lines. */
export function guideCommands(pages: readonly string[]): GuideCommand[] {
  return pages.flatMap((page) =>
    codeBlocks(page)
      .filter(({ language }) => language === "sh")
      .flatMap(({ code }) => splitCommands(code).map((command) => ({ page, command }))),
  );
}

/** A line ends a command unless a backslash or an open quotation continues it. */
function splitCommands(code: string): string[] {
  const commands: string[] = [];
  let open = "";
  for (const line of code.trimEnd().split("\n")) {
    open = open === "" ? line : `${open}\n${line}`;
    const isQuoted = open.split("'").length % 2 === 0;
    if (isQuoted || open.endsWith("\\")) continue;
    commands.push(open);
    open = "";
  }
  return open === "" ? commands : [...commands, open];
}
