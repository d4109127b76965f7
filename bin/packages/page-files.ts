import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildMailboxFile, type MailboxBuild, mailboxBuilds } from "../../packages/local-aws/src/mailbox/page-build.ts";
import { buildPageFile, type PageBuild, pageBuilds } from "../../packages/simulator/src/page-build.ts";

const sources = (name: string) => fileURLToPath(new URL(`../../packages/${name}/src`, import.meta.url));

/** Writes what the modules of the simulator read beside them: the built page, the sample files and the scenarios. */
export async function writeSimulatorFiles(dist: string): Promise<void> {
  const src = sources("simulator");
  const page = join(dist, "page");
  mkdirSync(page, { recursive: true });
  for (const name of ["index.html", "icon.svg"]) cpSync(join(src, "page", name), join(page, name));
  for (const name of Object.keys(pageBuilds) as PageBuild[]) writeFileSync(join(page, name), await buildPageFile(name));
  cpSync(join(src, "media/clip.webm"), join(dist, "clip.webm"));
  cpSync(join(src, "scenarios"), join(dist, "scenarios"), { recursive: true });
  cpSync(join(src, "scenario.schema.json"), join(dist, "scenario.schema.json"));
}

/** Writes what the modules of local-aws read beside them: the built page of the mailbox. */
export async function writeMailboxPage(dist: string): Promise<void> {
  const page = join(dist, "mailbox/page");
  mkdirSync(page, { recursive: true });
  cpSync(join(sources("local-aws"), "mailbox/page/index.html"), join(page, "index.html"));
  for (const name of Object.keys(mailboxBuilds) as MailboxBuild[])
    writeFileSync(join(page, name), await buildMailboxFile(name));
}
