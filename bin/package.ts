import { chmodSync } from "node:fs";
import { join } from "node:path";
import { build as bundle } from "esbuild";
import { bundleNeutralModule, compileTypes, type PackageBuild, packPackage, programOptions } from "./packages/pack.ts";

// `node bin/package.ts cli|dev|receiver FOLDER` builds a package and writes it as a .tgz to the folder. With --check it does so in a
// temporary folder.

const builds: Readonly<Record<string, PackageBuild["build"]>> = {
  cli: buildCli,
  dev: buildDev,
  receiver: buildReceiver,
};

const [name = "", target] = process.argv.slice(2);
const build = Object.hasOwn(builds, name) ? builds[name] : undefined;
if (build) {
  await packPackage({ name, program: `bin/package.ts ${name}`, build }, target);
} else {
  process.stderr.write(
    `Unknown package. Run \`node bin/package.ts ${Object.keys(builds).join("|")} FOLDER\`, or --check.\n`,
  );
  process.exitCode = 1;
}

/** Writes dist with the program `parley`, which contains what it uses of the client. */
async function buildCli(source: string, folder: string): Promise<void> {
  const program = join(folder, "dist/main.js");
  await bundle({
    entryPoints: [join(source, "src/main.ts")],
    outfile: program,
    ...programOptions,
  });
  chmodSync(program, 0o755);
}

/** Writes dist with the local stack. Its build loads the CDK, which the other packages do not need. */
async function buildDev(source: string, folder: string): Promise<void> {
  const { buildDev } = await import("./packages/dev-build.ts");
  await buildDev(source, folder);
}

/** Writes dist with one module, which contains what it uses of the client, and the declarations of both. */
function buildReceiver(source: string, folder: string): void {
  bundleNeutralModule(source, folder);
  compileTypes(source, join(folder, "dist/types"));
}
