// The layers and their permitted imports: the same table as in ARCHITECTURE.md.
// A layer may import itself, the layers listed here and the packages listed here.

const FEATURES = "^shared/features/[^/]+/";
/** A layer of a feature is a folder, or a file while it is small. */
const layer = (name) => `${FEATURES}${name}(/|\\.ts$)`;
/** A file at the root of a feature that is no layer, no event and no queue: the ports, and what other features call. */
const CALLS = `${FEATURES}(?!(rules|store|flows|routes|responses)\\.|events?[.-]|queue\\.|[a-z]+-queue\\.)[^/]+\\.ts$`;
/** Where clients, stores and flows meet: the ports, those of each function and of the commands, and what functions share. */
const COMPOSITION =
  "^functions/((host|compose|compose-all)\\.ts$|ports/|support/|admin/|[^/]+/(ports|page-files)\\.ts$)";

/** Where each layer is. A feature has the layers as rooms, or as one file each; its events, its queue and its calls stand at its root. */
const places = {
  "base/kernel": ["^shared/base/kernel/"],
  "base/config": ["^shared/base/config/"],
  "base/events": ["^shared/base/events/"],
  "base/queues": ["^shared/base/queues/"],
  "base/files": ["^shared/base/files/"],
  "base/languages": ["^shared/base/languages/"],
  "base/table": ["^shared/base/table/"],
  "base/aws": ["^shared/base/aws/"],
  "base/net": ["^shared/base/net/"],
  rules: [layer("rules")],
  events: [`${FEATURES}(events\\.ts$|events/|event-catalog\\.ts$)`],
  queues: [`${FEATURES}(queue|[a-z]+-queue)\\.ts$`],
  store: [layer("store")],
  platforms: ["^shared/platforms/"],
  flows: [layer("flows"), CALLS],
  http: ["^shared/http/"],
  routes: [layer("routes"), layer("responses")],
  functions: ["^functions/"],
  local: ["^local/"],
  lib: ["^lib/"],
  bin: ["^bin/"],
  "packages/cli": ["^packages/cli/"],
  "packages/client": ["^packages/client/"],
  "packages/local-aws": ["^packages/local-aws/"],
  "packages/loopback": ["^packages/loopback/"],
  "packages/receiver": ["^packages/receiver/"],
  "packages/simulator": ["^packages/simulator/"],
  web: ["^web/"],
  "web/common": ["^web/common/"],
  "web/check-page": ["^web/check-page/"],
  "web/console": ["^web/console/(?!build\\.ts$)"],
  "web/docs/page": ["^web/docs/page/"],
  "web/docs/search": ["^web/docs/search/"],
  "web/sign-in": ["^web/sign-in/"],
};

const base = [
  "base/kernel",
  "base/config",
  "base/events",
  "base/queues",
  "base/files",
  "base/languages",
  "base/table",
  "base/aws",
  "base/net",
];
const features = ["rules", "events", "queues", "store", "flows", "routes"];
const useCases = [
  "base/kernel",
  "base/events",
  "base/queues",
  "base/files",
  "base/languages",
  "rules",
  "events",
  "queues",
];

const layers = {
  "base/kernel": { layers: [], packages: ["node:async_hooks", "node:crypto", "node:zlib", "ulid"] },
  "base/config": { layers: ["base/kernel"], packages: ["zod"] },
  "base/events": { layers: ["base/kernel"], packages: ["zod"] },
  "base/queues": { layers: ["base/kernel"], packages: ["zod"] },
  "base/files": { layers: ["base/kernel"], types: ["base/aws"], packages: [] },
  "base/languages": { layers: [], packages: ["negotiator"] },
  "base/table": {
    layers: ["base/kernel", "base/config"],
    packages: ["@aws-sdk/(client-dynamodb|lib-dynamodb|util-dynamodb)"],
  },
  "base/aws": {
    layers: ["base/kernel", "base/config"],
    packages: ["@aws-sdk/.+", "node:crypto", "node:http", "node:https", "node:stream", "node:zlib"],
  },
  "base/net": {
    layers: ["base/kernel", "base/events"],
    packages: ["undici", "node:crypto", "node:dns", "node:net", "node:tls"],
  },
  rules: { layers: ["base/kernel", "base/events"], packages: [] },
  events: { layers: ["base/kernel", "base/events", "rules"], packages: ["zod"] },
  queues: { layers: ["base/kernel", "base/events", "base/queues", "rules"], packages: ["zod"] },
  store: {
    layers: ["base/kernel", "base/config", "base/events", "base/languages", "base/table", "rules"],
    packages: ["@aws-sdk/(client-dynamodb|lib-dynamodb|util-dynamodb)"],
  },
  platforms: { layers: ["base/kernel", "rules"], packages: ["node:http", "node:https"] },
  flows: {
    layers: useCases,
    types: ["store", "base/table", "base/aws", "base/net", "platforms", "base/config"],
    packages: ["jose"],
  },
  http: {
    layers: ["base/kernel", "base/files", "base/languages", "rules", "flows"],
    types: ["base/aws"],
    packages: ["zod", "node:zlib", "aws-lambda"],
  },
  routes: { layers: [...useCases, "flows", "http"], types: ["base/aws", "store"], packages: ["zod"] },
  functions: {
    layers: [...useCases, "flows", "http", "routes"],
    types: ["base/aws"],
    packages: ["zod", "@middy/core", "aws-lambda"],
    except: COMPOSITION,
  },
  local: {
    layers: [
      ...base,
      ...features,
      "platforms",
      "http",
      "functions",
      "lib",
      "packages/local-aws",
      "packages/loopback",
      "packages/simulator",
    ],
    packages: [".*"],
  },
  lib: {
    layers: ["base/config", "web"],
    paths: ["^shared/base/kernel/text/"],
    packages: ["aws-cdk-lib", "constructs", "esbuild", "node:path", "node:url", "node:fs"],
  },
  bin: {
    layers: [
      ...base,
      ...features,
      "platforms",
      "http",
      "functions",
      "lib",
      "local",
      "packages/cli",
      "packages/local-aws",
      "packages/simulator",
    ],
    packages: [".*"],
  },
  "packages/cli": {
    layers: ["packages/client", "packages/loopback"],
    packages: [
      "node:child_process",
      "node:crypto",
      "node:fs",
      "node:http",
      "node:https",
      "node:module",
      "node:net",
      "node:os",
      "node:path",
      "node:stream",
      "node:string_decoder",
      "node:timers",
      "node:tls",
      "node:url",
      "node:util",
    ],
  },
  "packages/client": { layers: [], packages: [] },
  "packages/local-aws": {
    layers: ["packages/loopback"],
    packages: [
      "@aws-sdk/.+",
      "esbuild",
      "ws",
      "zod",
      "node:child_process",
      "node:crypto",
      "node:events",
      "node:fs",
      "node:http",
      "node:https",
      "node:module",
      "node:net",
      "node:os",
      "node:path",
      "node:perf_hooks",
      "node:stream",
      "node:timers",
      "node:util",
      "node:url",
      "node:worker_threads",
    ],
  },
  "packages/loopback": {
    layers: [],
    packages: ["node:crypto", "node:http", "node:net", "node:stream", "node:util"],
  },
  "packages/receiver": { layers: ["packages/client"], packages: [] },
  "packages/simulator": {
    layers: ["packages/loopback"],
    packages: [
      "esbuild",
      "node:crypto",
      "node:fs",
      "node:http",
      "node:https",
      "node:path",
      "node:timers",
      "node:url",
      "node:util",
      "node:zlib",
    ],
  },
  web: {
    layers: ["base/languages", "packages/client"],
    paths: ["^shared/base/kernel/text/", "^shared/http/openapi/boolean-constants\\.ts$"],
    packages: [
      "esbuild",
      "marked",
      "minisearch",
      "node:child_process",
      "node:fs",
      "node:module",
      "node:path",
      "node:url",
      "node:util",
      "node:zlib",
      "turndown",
      "vite",
    ],
    except: "^web/console/(?!build\\.ts$)",
  },
  "web/common": { layers: ["packages/client"], packages: [] },
  "web/check-page": { layers: ["base/languages", "web/common"], packages: [] },
  "web/console": {
    layers: ["packages/client", "web/common", "web/check-page"],
    paths: ["^web/theme/"],
    packages: ["@tanstack/react-query", "@tanstack/react-virtual", "lucide-react", "react", "react-dom", "wouter"],
  },
  "web/docs/page": { layers: ["web/common", "web/docs/search"], packages: [] },
  "web/docs/search": { layers: [], packages: ["minisearch"] },
  "web/sign-in": { layers: ["base/languages", "packages/client", "web/common"], packages: [] },
};

const packagePath = (name) =>
  name.startsWith("node:") ? `^(node:)?${name.slice(5)}(/|$)` : `(^|node_modules/)(@types/)?${name}(/|$)`;

const forbidden = Object.entries(layers).flatMap(
  ([layer, { layers: open, types = [], paths = [], packages, except }]) => {
    const from = { path: places[layer], ...(except ? { pathNot: except } : {}) };
    const ours = [...[layer, ...open].flatMap((name) => places[name]), ...paths];
    const ofTypes = types.flatMap((name) => places[name]);
    return [
      {
        name: `${layer}: layers`,
        comment: `${layer} may import ${[layer, ...open].join(", ")}`,
        severity: "error",
        from,
        to: { path: "^(shared|functions|local|lib|bin|web|packages|test)/", pathNot: [...ours, ...ofTypes] },
      },
      ...(types.length
        ? [
            {
              name: `${layer}: types only`,
              comment: `${layer} may import ${types.join(", ")} as types only`,
              severity: "error",
              from,
              to: { path: ofTypes, dependencyTypesNot: ["type-only"] },
            },
          ]
        : []),
      {
        name: `${layer}: packages`,
        comment: `${layer} may use ${packages.join(", ") || "no package"}`,
        severity: "error",
        from,
        to: {
          dependencyTypes: ["npm", "npm-dev", "npm-optional", "npm-peer", "npm-no-pkg", "npm-unknown", "core"],
          ...(packages.length ? { pathNot: packages.map(packagePath) } : {}),
        },
      },
    ];
  },
);

module.exports = {
  forbidden: [
    ...forbidden,
    {
      name: "features: rooms are private",
      comment: "a feature uses the rules, events, queues and calls of another one, never its flows and routes",
      severity: "error",
      from: { path: "^shared/features/([^/]+)/" },
      to: { path: layer("(flows|routes|responses)"), pathNot: "^shared/features/$1/" },
    },
    {
      name: "features: rows of other features",
      comment:
        "a store writes rows of another feature in its transactions by their keys, items and conditions; a flow names its store as a type",
      severity: "error",
      from: { path: "^shared/features/([^/]+)/" },
      to: {
        path: layer("store"),
        pathNot: ["^shared/features/$1/", `${FEATURES}store/(attributes|items|[a-z-]+-items)\\.ts$`],
        dependencyTypesNot: ["type-only"],
      },
    },
    {
      name: "platforms: graph knows no platform",
      comment: "what the platforms share imports none of them",
      severity: "error",
      from: { path: "^shared/platforms/graph/" },
      to: { path: "^shared/platforms/", pathNot: "^shared/platforms/graph/" },
    },
    {
      name: "platforms: a platform knows no other one",
      comment: "the folder of a platform imports, of platforms, itself and graph",
      severity: "error",
      from: { path: "^shared/platforms/([^/]+)/", pathNot: "^shared/platforms/graph/" },
      to: { path: "^shared/platforms/", pathNot: ["^shared/platforms/$1/", "^shared/platforms/graph/"] },
    },
    {
      name: "platforms: one file knows all",
      severity: "error",
      from: { path: "^shared/platforms/[^/]+$", pathNot: "^shared/platforms/platforms\\.ts$" },
      to: { path: "^shared/platforms/[^/]+/", pathNot: "^shared/platforms/graph/" },
    },
    {
      name: "the framework calls the feature access alone",
      severity: "error",
      from: { path: "^shared/http/" },
      to: { path: [layer("flows"), CALLS], pathNot: "^shared/features/access/[^/]+\\.ts$" },
    },
    {
      name: "functions: composition",
      comment:
        "a function's ports are where clients, stores and flows meet; they never reach into local, lib, bin, web or test",
      severity: "error",
      from: { path: COMPOSITION },
      to: { path: "^(local|lib|bin|web|packages|test)/" },
    },
    {
      name: "workers serve no routes",
      severity: "error",
      from: { path: "^functions/(worker/|[^/]+/worker\\.ts$)" },
      to: { path: ["^shared/http/", layer("(routes|responses)")] },
    },
    {
      name: "nothing imports test",
      severity: "error",
      from: { path: "^(shared|functions|local|lib|bin|web|packages)/" },
      to: { path: "^test/" },
    },
    {
      name: "tests of packages: the package alone",
      comment: "a test of a package, and each helper that it reaches, imports nothing of Parley",
      severity: "error",
      from: { path: "^test/packages/" },
      to: { path: "^(shared|functions|local|lib|bin|web)/", reachable: true },
    },
    { name: "no cycles", severity: "error", from: {}, to: { circular: true } },
    {
      name: "no cycles between folders",
      // Features call each other, as the framework and the feature access do; their rooms form no circle.
      severity: "error",
      scope: "folder",
      from: { pathNot: ["^shared/http(/|$)", "^shared/features/[^/]+$", "^shared/features/[^/]+/routes(\\.ts$|/|$)"] },
      to: { circular: true },
    },
    { name: "unresolved", severity: "error", from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsPreCompilationDeps: "specify",
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "require", "node", "default", "types"],
    },
  },
};
