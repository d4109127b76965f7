import { spawn } from "node:child_process";
import { CliError } from "../cli-error.ts";
import { requireLocal, type Target } from "../target/target.ts";
import { printableJson, printLines } from "../text/print.ts";

const TIMEOUT_MS = 5_000;

/** What `/` of a deployment answers without a website of its own. */
interface FrontPage {
  readonly error?: { readonly links?: { readonly console?: unknown } };
}

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
  const url = await pageUrl(target, page);
  printLines(json ? printableJson({ url }) : url);
  if (!json && process.stdout.isTTY) openBrowser(url);
}

async function pageUrl(target: Target, page: string): Promise<string> {
  switch (page) {
    case "console":
      return (await namedConsole(target)) ?? `${target.baseUrl}/app`;
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

/** The address of the console that `/` of a deployment names, because it may have another host. Null without one. */
async function namedConsole({ baseUrl, local }: Target): Promise<string | null> {
  if (local !== null) return null;
  try {
    const init = {
      headers: { accept: "application/json" },
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    } as const;
    const body = (await (await fetch(`${baseUrl}/`, init)).json()) as FrontPage;
    const url = URL.parse(String(body.error?.links?.console));
    return url?.protocol === "https:" || url?.origin === new URL(baseUrl).origin ? url.href : null;
  } catch {
    // Nothing answers, or a website does.
    return null;
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
