import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type BuildOptions, build, buildSync } from "esbuild";
import { type FunctionName, functions } from "#base/config/names.ts";
import {
  buildCheckPage,
  buildConsole,
  buildConsoleSync,
  buildDataDeletionPage,
  buildDocs,
  buildLoginStartPage,
  buildSignInPage,
} from "../../web/build.ts";
import { type AwsClient, awsClientAliases, chosenAwsClient } from "./aws-client.ts";

const PROJECT = fileURLToPath(new URL("../..", import.meta.url));

/**
 * Packages written for CommonJS call `require` for Node's own modules, and an ES module has no `require`. What is left out of
 * a bundle is undefined.
 */
const REQUIRE = "const require=(id)=>process.getBuiltinModule(id);";

/**
 * Half of undici's client: webhooks are sent by HTTP/1.1 with a body in memory, and every processor of Lambda has the
 * instructions of its first parser.
 */
const UNUSED_OF_UNDICI = [
  "*/client-h2.js",
  "*/llhttp/llhttp-wasm.js",
  "*/web/fetch/body.js",
  "*/web/fetch/formdata",
  "*/web/webidl",
];

const sources: Readonly<Record<FunctionName, string>> = {
  Api: "api",
  Verify: "check-page",
  Console: "console",
  Connect: "connect",
  Web: "web",
  Intake: "intake",
  Ingest: "ingest",
  Deliver: "deliver",
  Profile: "profile",
  Erase: "erase",
  Mail: "mail",
  HandOver: "hand-over",
  Account: "accounts",
  Socket: "realtime",
  Push: "push",
  Sweep: "sweep",
};

/**
 * Where the SDK would look for credentials outside Lambda: files, processes and metadata services. It imports them only
 * when the environment has no credentials, and Lambda's always has. They are a sixth of a bundle.
 */
const CREDENTIAL_SOURCES = [
  "@aws-sdk/credential-provider-http",
  "@aws-sdk/credential-provider-ini",
  "@aws-sdk/credential-provider-process",
  "@aws-sdk/credential-provider-sso",
  "@aws-sdk/credential-provider-web-identity",
  "@smithy/credential-provider-imds",
];

export type BundleFolders = Readonly<Record<FunctionName, string>>;

/**
 * Bundles every function of `functions/` into a folder of its own below `outdir`: `index.mjs` with everything the
 * function can reach, the client of AWS included, so that the code that runs is the code that was tested. The pages of a
 * function are written beside its bundle. One esbuild call reads each module once, however many functions import it.
 */
export function bundleFunctions(outdir: string): BundleFolders {
  buildSync(buildOptions(outdir));
  buildConsoleSync(join(outdir, "Web", "console"));
  return finishBundles(outdir);
}

/**
 * The same in other processes, so that this one can do other work: for a start on a developer's machine, where the files
 * of the console and the documentation need not be as small as possible.
 */
export async function startBundling(outdir: string): Promise<BundleFolders> {
  await Promise.all([build(buildOptions(outdir)), buildConsole(join(outdir, "Web", "console"), "fast")]);
  return finishBundles(outdir, "fast");
}

/** The SDK outside the bundle, as Lambda's runtime has it: packages that are resolved when the bundle is loaded. */
const RUNTIME_SDK = ["@aws-sdk/*", "@smithy/*"];

/**
 * Bundles some functions with a client of AWS, without their pages: for comparisons of the clients.
 * @param client `runtime-sdk` for the SDK, which stays outside the bundle
 */
export function bundleHandlers(
  outdir: string,
  names: readonly FunctionName[],
  client: AwsClient | "runtime-sdk",
): void {
  const options = buildOptions(outdir, names, client === "lean" ? "lean" : "sdk");
  buildSync(
    client === "runtime-sdk" ? { ...options, external: [...(options.external ?? []), ...RUNTIME_SDK] } : options,
  );
}

/** What a function's bundle was made from, and the text of its source map. */
export interface BundleSources {
  /** Paths from the project. */
  readonly inputs: readonly string[];
  readonly code: Uint8Array;
  /** Version 3 of the format, with the sources. Empty if esbuild wrote none. */
  readonly sourceMap: string;
}

/** Builds every bundle with its source map, in memory. No bundle names its map, so that it is the same as without one. */
export function readBundleSources(): Readonly<Record<FunctionName, BundleSources>> {
  const options = {
    ...buildOptions(join(PROJECT, "maps")),
    sourcemap: "external",
    metafile: true,
    write: false,
  } as const;
  const { metafile, outputFiles } = buildSync(options);
  const contents = new Map(outputFiles.map(({ path, contents }) => [path, contents]));
  const sourcesOf = (name: FunctionName): BundleSources => {
    const file = join(PROJECT, "maps", name, "index.mjs");
    return {
      inputs: Object.keys(metafile.outputs[`maps/${name}/index.mjs`]?.inputs ?? {}),
      code: contents.get(file) ?? new Uint8Array(),
      sourceMap: Buffer.from(contents.get(`${file}.map`) ?? []).toString("utf8"),
    };
  };
  return Object.fromEntries(functions.map((name) => [name, sourcesOf(name)])) as Record<FunctionName, BundleSources>;
}

function buildOptions(
  outdir: string,
  names: readonly FunctionName[] = functions,
  client: AwsClient = chosenAwsClient(),
): BuildOptions {
  return {
    absWorkingDir: PROJECT,
    entryPoints: names.map((name) => ({ in: `functions/${sources[name]}/handler.ts`, out: `${name}/index` })),
    outdir,
    // An `.mjs` file is an ES module wherever it lies: in this repository, and alone in Lambda.
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: false,
    minify: true,
    platform: "node",
    target: "node24",
    format: "esm",
    mainFields: ["module", "main"],
    alias: awsClientAliases(client),
    external: [...CREDENTIAL_SOURCES, ...UNUSED_OF_UNDICI],
    banner: { js: REQUIRE },
    // undici's own switch that leaves out its experimental parser.
    define: { esbuildDetection: "1" },
    logLevel: "error",
  };
}

function finishBundles(outdir: string, compression: "small" | "fast" = "small"): BundleFolders {
  buildCheckPage(join(outdir, "Verify", "check-page"));
  buildSignInPage(join(outdir, "Console", "sign-in"));
  buildLoginStartPage(join(outdir, "Connect", "login-start"));
  buildDataDeletionPage(join(outdir, "Connect", "data-deletion"));
  buildDocs(join(outdir, "Web", "docs"), compression);
  return Object.fromEntries(functions.map((name) => [name, join(outdir, name)])) as Record<FunctionName, string>;
}
