import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** The files of the mailbox page that are built, with their sources. */
export const mailboxBuilds = { "mailbox.js": "mailbox.ts", "mailbox.css": "mailbox.css" } as const;
export type MailboxBuild = keyof typeof mailboxBuilds;

/** Bundles a file of the page for the browser. */
export async function buildMailboxFile(name: MailboxBuild): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(`./page/${mailboxBuilds[name]}`, import.meta.url))],
    bundle: true,
    write: false,
    format: "esm",
    platform: "browser",
    target: "es2022",
    charset: "utf8",
    tsconfigRaw: {},
  });
  return outputFiles[0]?.text ?? "";
}
