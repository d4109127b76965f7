import { execFileSync } from "node:child_process";

/** A request as curl would send it. */
export interface CurlRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  readonly body: string | null;
  /** Arguments that this reader does not know. */
  readonly others: readonly string[];
}

const BETWEEN = "--between--";

/** The requests of snippets, each of one curl command, after a shell has read them. */
export function curlRequests(snippets: readonly string[], variables: Readonly<Record<string, string>>): CurlRequest[] {
  const script = snippets.flatMap((code) => [code, `curl ${BETWEEN}`]).join("\n");
  const output = execFileSync("bash", ["--norc", "-euc", `curl() { printf '%s\\0' "$@"; }\n${script}`], {
    encoding: "utf8",
    env: { ...variables },
  });
  const commands = output.split(`${BETWEEN}\0`).slice(0, -1);
  return commands.map((command) => toRequest(command.split("\0").slice(0, -1)));
}

function toRequest(args: readonly string[]): CurlRequest {
  const headers = new Headers();
  const rest = { url: "", method: "", body: null as string | null, others: [] as string[] };
  for (let i = 0; i < args.length; i++) {
    const [arg = "", value = ""] = [args[i], args[i + 1]];
    if (arg === "-sS") continue;
    if (/^-[XHbd]$/.test(arg)) i++;
    if (arg === "-X") rest.method = value;
    else if (arg === "-H")
      headers.append(value.slice(0, value.indexOf(":")), value.slice(value.indexOf(":") + 1).trim());
    else if (arg === "-b") headers.set("cookie", value);
    else if (arg === "-d") rest.body = value;
    else if (/^https?:/.test(arg) && rest.url === "") rest.url = arg;
    else rest.others.push(arg);
  }
  // As curl does.
  if (rest.body !== null && !headers.has("content-type"))
    headers.set("content-type", "application/x-www-form-urlencoded");
  return { ...rest, headers, method: rest.method || (rest.body === null ? "GET" : "POST") };
}
