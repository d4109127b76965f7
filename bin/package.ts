import { type PackageBuild, packPackage } from "./packages/pack.ts";

// `node bin/package.ts NAME FOLDER` builds a package and writes it as a .tgz to the folder. With --check it does so in a
// temporary folder.

/** Each loads only what its own build needs: that of the local stack loads the CDK. */
const builds: Readonly<Record<string, () => Promise<Pick<PackageBuild, "build">>>> = {
  cli: () => import("./packages/builds/cli.ts"),
  client: () => import("./packages/builds/client.ts"),
  dev: () => import("./packages/builds/dev.ts"),
  "local-aws": () => import("./packages/builds/local-aws.ts"),
  receiver: () => import("./packages/builds/receiver.ts"),
  simulator: () => import("./packages/builds/simulator.ts"),
};

const [name = "", target] = process.argv.slice(2);
const load = Object.hasOwn(builds, name) ? builds[name] : undefined;
if (load) {
  const { build } = await load();
  await packPackage({ name, program: `bin/package.ts ${name}`, build }, target);
} else {
  process.stderr.write(
    `Unknown package. Run \`node bin/package.ts ${Object.keys(builds).join("|")} FOLDER\`, or --check.\n`,
  );
  process.exitCode = 1;
}
