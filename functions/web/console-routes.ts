import { refuse } from "#base/kernel/refusals.ts";
import { pageHeaders } from "#http/browser/page-files.ts";
import { endpointsFor } from "#http/endpoints-for.ts";
import { fileAnswers, type ServedFile, toFileResponse } from "./served-file.ts";

/** What `buildConsole` wrote. */
export interface ConsoleFiles {
  /** The page of every address of the console. */
  readonly page: ServedFile;
  /** What the page loads, by path. The name of each has a hash of its content. */
  readonly assets: ReadonlyMap<string, ServedFile>;
  /** The licenses of the packages in the assets. */
  readonly licenses: ServedFile;
}

/** What the console is served from. It gives access to nothing else. */
export interface ConsolePagePorts {
  readonly console: ConsoleFiles;
  /** What its page may load: a content security policy. */
  readonly consolePolicy: string;
}

const endpoint = endpointsFor<ConsolePagePorts>();

/** A file whose content changes has another name. */
const assetHeaders = { ...pageHeaders, "cache-control": "public, max-age=31536000, immutable" } as const;

const ASSETS = "assets/";
const LICENSES = "licenses.txt";

const policy = { "content-security-policy": "What the page may load: its own files, and the media of the platforms." };

const getConsole = endpoint.public({
  operation: "getConsole",
  method: "GET",
  path: "/app",
  tag: "Console",
  summary: "Get the page of the console",
  description: "Without a session it redirects to the sign-in page.",
  repeatedParameters: "as_empty",
  envelope: false,
  answers: fileAnswers(["text/html"], policy),
  handle: async ({ request, ports }) => toFileResponse(ports.console.page, toPageHeaders(ports), request),
});

const getConsolePage = endpoint.public({
  operation: "getConsolePage",
  method: "GET",
  path: "/app/{page}",
  slashInId: true,
  tag: "Console",
  summary: "Get the page of the console, or a file that it loads",
  description:
    "Every address has the same page, which shows what the address names. The files below `assets/` have a hash in their name and may be cached for a year; an unknown one is 404.",
  repeatedParameters: "as_empty",
  envelope: false,
  answers: fileAnswers(
    ["text/html", "text/css", "text/javascript", "text/plain", "image/svg+xml", "font/woff2"],
    policy,
  ),
  refusals: ["route_not_found"],
  handle: async ({ path, request, ports }) => {
    const { page, assets, licenses } = ports.console;
    const name = path.page ?? "";
    if (name === LICENSES) return toFileResponse(licenses, { ...pageHeaders, "cache-control": "no-cache" }, request);
    // Never the page: a browser would store it as the script.
    if (name.startsWith(ASSETS)) {
      const asset = assets.get(`/app/${name}`);
      return asset ? toFileResponse(asset, assetHeaders, request) : refuse("route_not_found");
    }
    return toFileResponse(page, toPageHeaders(ports), request);
  },
});

/** The page of the console and its files. */
export const consolePageRoutes = [getConsole, getConsolePage] as const;

/** The page names its assets, so that a stored copy is revalidated. */
function toPageHeaders({ consolePolicy }: ConsolePagePorts): Readonly<Record<string, string>> {
  return { ...pageHeaders, "content-security-policy": consolePolicy, "cache-control": "no-cache" };
}
