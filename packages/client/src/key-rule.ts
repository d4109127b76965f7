/** What a runtime may have. */
interface Runtime {
  readonly window?: { readonly document?: unknown };
  readonly navigator?: { readonly product?: string };
  readonly location?: unknown;
  readonly process?: unknown;
  readonly Deno?: unknown;
  readonly WorkerGlobalScope?: unknown;
}

const UNSET =
  "Missing apiKey. The variable with the API key is not set or empty. Set it, or omit apiKey for calls that need no key.";

/** What is wrong with options that name a key without a value. Null in a page, whose session is the credential. */
export function missingKey(options: object): string | null {
  return "apiKey" in options && !isPage(globalThis as Runtime) ? UNSET : null;
}

/** Why an API key must not be used here, with the fix. Null if it may. */
export function keyRefusal(apiKey: string, baseUrl: string): string | null {
  if (isPage(globalThis as Runtime)) {
    return "API key in a web page. Everyone who opens the page can read it. Omit apiKey to use the session of the signed-in person, or call Parley from your server.";
  }
  if (apiKey === "") return UNSET;
  if (isPlainHttp(baseUrl)) {
    return "API key over plain http. Everyone on the way can read it. Pass a baseUrl with https. Only loopback addresses may have http.";
  }
  return null;
}

/** True in a web page and in its workers. */
function isPage(runtime: Runtime): boolean {
  const { window, navigator, location, process, Deno, WorkerGlobalScope } = runtime;
  // Node.js and Bun, also with an emulated page. A `process` that a bundler puts into a page has not this type.
  const isProgram = Object.prototype.toString.call(process) === "[object process]" || Deno !== undefined;
  if (isProgram || navigator?.product === "ReactNative") return false;
  if (typeof window?.document === "object") return true;
  // Runtimes of servers may have the scope of a worker, but no location.
  return typeof WorkerGlobalScope === "function" && runtime instanceof WorkerGlobalScope && location !== undefined;
}

/** The whole host of a loopback address. React Native has no `URL` that names the host. */
const LOOPBACK = /^http:\/\/(([\w-]+\.)*localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(:\d+)?(\/|$)/;

function isPlainHttp(baseUrl: string): boolean {
  return baseUrl.startsWith("http:") && !LOOPBACK.test(baseUrl);
}
