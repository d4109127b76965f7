import { spawn } from "node:child_process";
import { CliError } from "../cli-error.ts";
import { requireLocal, type Target } from "../target/target.ts";
import { printableJson, printLines } from "../text/print.ts";

const PAGES = ["console", "docs", "simulator"] as const;

/**
 * Prints the URL of a page, and opens it in the browser of this machine when a person is at the terminal.
 * @throws CliError for another page, and for one that the target does not have
 */
export async function open(
  target: Target,
  { positionals, json }: { readonly positionals: readonly string[]; readonly json: boolean },
): Promise<undefined> {
  const [, page = "console"] = positionals;
  const url = pageUrl(target, page);
  printLines(json ? printableJson({ url }) : url);
  if (!json && process.stdout.isTTY) openBrowser(url);
}

function pageUrl(target: Target, page: string): string {
  switch (page) {
    case "console":
      return `${target.baseUrl}/app`;
    case "docs":
      return `${target.baseUrl}/docs`;
    case "simulator": {
      const { simulator_url } = requireLocal(target, "open simulator");
      if (simulator_url) return simulator_url;
      throw new CliError("The local stack has no simulator. Start it without PARLEY_PLATFORM_URLS.");
    }
    default:
      throw new CliError(`Unknown page: ${page}. Use one of ${PAGES.join(", ")}.`);
  }
}

/** The URL is an argument of its own, not text of a shell. A machine without a browser has the printed line. */
function openBrowser(url: string): void {
  const [program, ...args] =
    process.platform === "darwin" ? ["open"] : process.platform === "win32" ? ["explorer.exe"] : ["xdg-open"];
  const child = spawn(program ?? "", [...args, url], { stdio: "ignore", detached: true });
  child.on("error", () => {});
  child.unref();
}
