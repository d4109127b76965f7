import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig, type ViteUserConfig } from "vitest/config";
import { AWS_CLIENT_VARIABLE, chosenAwsClient } from "../../lib/bundles/aws-client.ts";
import { faultTests } from "./run/fault-tests.ts";
import { ProjectOrder } from "./run/project-order.ts";
import { wholeRunsOnly } from "./run/whole-runs-only.ts";

/** Rules, formats and the prose of the repository: no server, no table and no long-running process. */
const unit = [
  "test/bin/**",
  "test/docs/{decisions,examples,links,recipes,states,test-manual}.test.ts",
  "test/{language,test-names}.test.ts",
  "test/http/**",
  "test/functions/{ports,support}/**",
  "test/lib/config/**",
  "test/local/stack/banner.test.ts",
  "test/local/stack/settings.test.ts",
  "test/packages/local-aws/support/**",
  "test/packages/local-aws/template/intrinsics.test.ts",
  "test/planted-faults/**",
  "test/base/aws/log.test.ts",
  "test/features/*/rules/**",
  "test/base/kernel/**",
  "test/base/net/{addresses,egress-gate,interim-responses}.test.ts",
  "test/platforms/graph/webhooks/**",
  "test/platforms/graph/{json,refusals,send-bodies,text-limits}.test.ts",
  "test/support/item-size.test.ts",
  "test/web/{solve,steps}.test.ts",
];
/** The table, its emulators, and what an operation costs. */
const stores = [
  "test/features/*/store/**",
  "test/base/table/**",
  "test/packages/local-aws/dynamodb/**",
  "test/support/**",
  "test/costs/**",
];
/** Use cases, workers and routes on a real table. */
const flows = ["test/features/**", "test/base/**", "test/platforms/**", "test/functions/**"];
/** The packages that know nothing of Parley. `npm run test:packages` runs them, `npm test` does not. */
const packages = ["test/packages/**"];
/** Random histories of the whole service. */
const histories = ["test/histories/**"];
/**
 * What a client of AWS that differs would break first: crashes, races and histories, and with them every test of `flows`
 * that injects faults. The full run has them twice.
 */
const lean = () => [
  "test/base/table/**",
  "test/features/*/flows/**/*{crash,race,conflict,fault,frozen,interrupted,late-}*.test.ts",
  // Each command of each store.
  "test/features/*/store/**",
  "test/full/{erase-races,restore/kills}.test.ts",
  "test/histories/**",
  ...faultTests(flows),
];
/** Pages in a real browser. `npm run test:pages` runs them, `npm test` does not. */
const web = ["test/web/**"];
/** The whole stack as a process. `npm run test:stack` runs it, `npm test` does not. */
const e2e = ["test/e2e/**", "test/full/**", "test/local/stack/earlier-data-folder.test.ts"];

const always = ["test/bench/**"];
const COMPILE_CACHE_SETUP = "test/support/compile-cache-setup.ts";
const ASSEMBLY_SETUP = "test/e2e/support/assembly-setup.ts";

/** These need the processors for themselves: each runs when nothing else does. */
const alone = [
  "test/full/texts/doors.test.ts",
  "test/full/texts/expressions.test.ts",
  "test/full/callers/anonymous-callers.test.ts",
  "test/full/deliveries-20000.test.ts",
  "test/full/realtime-sockets.test.ts",
];

/**
 * The projects of `vitest.config.ts` (`full` is false) and of `vitest.full.config.ts`. A test file that no other
 * project lists runs in `local`. The full run adds `test/full` and the files of `wholeRunsOnly`, and injects every fault
 * instead of a sample.
 */
export function testConfig({ full }: { full: boolean }) {
  const excluded = full ? always : [...always, ...wholeRunsOnly, "test/full/**"];
  const project = (name: string, include: string[], listedElsewhere: string[] = []) => ({
    extends: true as const,
    test: {
      name,
      include: include.map((pattern) => pattern.replace(/\/\*\*$/, "/**/*.test.ts")),
      exclude: [...excluded, ...listedElsewhere],
    },
  });
  const stackProject = (name: string, include: string[], listedElsewhere: string[] = []) => {
    const { test, ...config } = project(name, include, listedElsewhere);
    return { ...config, test: { ...test, globalSetup: ASSEMBLY_SETUP } };
  };
  // Groups run one after the other.
  const aloneProjects = alone.map((file, index) => {
    const { test, ...config } = stackProject(`alone-${index + 1}`, [file]);
    return { ...config, test: { ...test, sequence: { groupOrder: index + 1 } } };
  });
  return defineConfig({
    resolve: { alias: awsClients() },
    test: {
      ...runOptions({ full }),
      // More than cores, because a worker often waits for a stack, an engine or a browser.
      maxWorkers: Math.ceil(availableParallelism() * 1.5),
      sequence: { sequencer: ProjectOrder },
      // In the order in which they run: the projects with the longest files first.
      projects: [
        stackProject("e2e", e2e, alone),
        project("web", web, unit),
        project("histories", histories),
        project("flows", flows, [...unit, ...stores]),
        project("stores", stores, unit),
        project("local", ["test/**"], [...unit, ...stores, ...flows, ...histories, ...web, ...e2e, ...packages]),
        project("unit", unit),
        project("packages", packages, [...unit, ...stores]),
        ...(full ? [{ ...project("lean", lean()), resolve: { alias: leanClients() } }] : []),
        ...aloneProjects,
      ],
    },
  });
}

/** Measurements of the running local stack, one file after the other: `vitest.bench.config.ts`. */
export function localBenchConfig() {
  return defineConfig({
    resolve: { alias: awsClients() },
    test: {
      ...runOptions({ full: true }),
      include: ["test/bench/local/*.test.ts"],
      maxWorkers: 1,
      globalSetup: [COMPILE_CACHE_SETUP, ASSEMBLY_SETUP],
    },
  });
}

type Options = NonNullable<ViteUserConfig["test"]>;

function runOptions({ full }: { full: boolean }): Options {
  return {
    testTimeout: full ? 600_000 : 60_000,
    hookTimeout: 120_000,
    pool: "forks",
    // Files share their worker's modules, engine and browser. A file removes what it changes in them.
    isolate: false,
    provide: { fullRun: full },
    globalSetup: COMPILE_CACHE_SETUP,
    setupFiles: "test/support/conformance/setup.ts",
    reporters: ["default", "./test/support/run-reporter.ts"],
  };
}

/**
 * The clients of the functions that run in the process of a test are the SDK's, and with `PARLEY_AWS_CLIENT=lean` those
 * that the bundles have. Their commands are the SDK's in both cases.
 */
function awsClients() {
  return !process.env[AWS_CLIENT_VARIABLE] || chosenAwsClient() === "sdk" ? [] : leanClients();
}

function leanClients() {
  return Object.entries(leanModules).map(([find, file]) => ({
    find: new RegExp(`^${find}$`),
    replacement: fileURLToPath(new URL(`./aws/lean-${file}.ts`, import.meta.url)),
  }));
}

const leanModules = {
  "@aws-sdk/client-dynamodb": "dynamodb",
  "@aws-sdk/client-kms": "kms",
  "@aws-sdk/client-s3": "s3",
  "@aws-sdk/client-secrets-manager": "secrets-manager",
  "@aws-sdk/client-sqs": "sqs",
  "@aws-sdk/lib-dynamodb": "lib-dynamodb",
  "@aws-sdk/s3-presigned-post": "s3-presign",
  "@aws-sdk/s3-request-presigner": "s3-presign",
  "@aws-sdk/util-dynamodb": "util-dynamodb",
};

declare module "vitest" {
  interface ProvidedContext {
    /** True in `npm run test:full`. */
    readonly fullRun: boolean;
  }
}
