import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { buildSync } from "esbuild";
import type { CurlRequest } from "./curl-arguments.ts";
import { project } from "./rendered-snippets.ts";

interface Recorded {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

const toRequest = ({ method, url, headers, body }: Recorded): CurlRequest => ({
  method,
  url,
  headers: new Headers(headers),
  body,
  others: [],
});

/**
 * What programs of the client send: each runs with a `fetch` that records its request and answers it.
 * @param folder for the bundle
 */
export async function clientRequests(codes: readonly string[], folder: string, key: string): Promise<CurlRequest[]> {
  const functions = codes.map((code) => {
    const body = code.replace(/^import .*$/gm, "").replace("process.env.KEY", JSON.stringify(key));
    return `async () => {${body}\n}`;
  });
  const outfile = join(folder, "programs.mjs");
  buildSync({
    stdin: {
      contents: `import { Parley } from "@parley/client";\nexport const programs = [${functions.join(",\n")}];`,
      loader: "ts",
      resolveDir: folder,
    },
    alias: { "@parley/client": join(project, "packages/client/src/index.ts") },
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
  });
  const { programs } = (await import(pathToFileURL(outfile).href)) as { programs: readonly (() => Promise<void>)[] };
  const requests: CurlRequest[] = [];
  const original = globalThis.fetch;
  globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    const { method, url, headers } = request;
    const body = (await request.text()) || null;
    // Every request may have it, and no operation declares it.
    headers.delete("accept");
    requests.push(toRequest({ method, url, headers: Object.fromEntries(headers), body }));
    return Response.json({ ok: true, data: {} });
  };
  try {
    for (const program of programs) await program();
  } finally {
    globalThis.fetch = original;
  }
  return requests;
}

/** Runs each program with a module `requests` that records what it is asked for. */
const RECORDER = `
import json, sys, types, urllib.parse
recorded = []
answer = {}
class Response:
    def raise_for_status(self): pass
    def json(self): return answer
def send(method):
    def call(url, headers=None, params=None, json=None, timeout=None):
        assert timeout
        query = "?" + urllib.parse.urlencode(params) if params else ""
        recorded.append({"method": method, "url": url + query, "headers": headers or {}, "json": json})
        return Response()
    return call
module = types.ModuleType("requests")
for method in ["get", "post", "put", "patch", "delete"]:
    setattr(module, method, send(method.upper()))
sys.modules["requests"] = module
for program in json.load(sys.stdin):
    answer = program["answer"]
    exec(program["code"], {})
print(json.dumps(recorded))
`;

/**
 * What programs of Python send.
 * @param variables of the environment
 * @param answers to the request of each program. Default: no data
 */
export function pythonRequests(
  codes: readonly string[],
  variables: Readonly<Record<string, string>>,
  answers: readonly unknown[] = [],
): CurlRequest[] {
  const programs = codes.map((code, i) => ({ code, answer: answers[i] ?? { ok: true, data: {} } }));
  const output = execFileSync("python3", ["-c", RECORDER], {
    input: JSON.stringify(programs),
    encoding: "utf8",
    env: { ...process.env, ...variables },
  });
  const recorded = JSON.parse(output) as (Omit<Recorded, "body"> & { readonly json: unknown })[];
  return recorded.map(({ json, ...request }) => {
    const hasBody = json !== null;
    const headers = { ...request.headers, ...(hasBody ? { "content-type": "application/json" } : {}) };
    return toRequest({ ...request, headers, body: hasBody ? JSON.stringify(json) : null });
  });
}
