// The layers and their permitted imports: the same table as in ARCHITECTURE.md.
// A layer may import itself, the layers listed here and the packages listed here.
/** Where clients, stores and flows meet: each function's ports, what they share, and the ports of the commands. */
const COMPOSITION = "^functions/(support/|admin/|routes/api-endpoint\\.ts$|[^/]+/(ports|page-files)\\.ts$)";
/** The queue workers, and the batch that they share. */
const WORKERS = "^functions/(worker/|[^/]+/worker\\.ts$)";

const layers = {
  "shared/kernel": { layers: [], packages: ["node:async_hooks", "node:crypto", "node:zlib", "ulid"] },
  "shared/domain": { layers: ["shared/kernel"], packages: [] },
  "shared/config": { layers: ["shared/kernel"], packages: ["zod"] },
  "shared/events": { layers: ["shared/kernel", "shared/domain"], packages: ["zod"] },
  "shared/queues": { layers: ["shared/kernel", "shared/domain"], packages: ["zod"] },
  "shared/stores": {
    layers: ["shared/kernel", "shared/domain", "shared/config"],
    packages: ["@aws-sdk/(client-dynamodb|lib-dynamodb|util-dynamodb)"],
  },
  "shared/aws": { layers: ["shared/kernel", "shared/domain", "shared/config"], packages: ["@(aws-sdk|smithy)/.+"] },
  "shared/net": {
    layers: ["shared/kernel", "shared/domain"],
    packages: ["undici", "node:crypto", "node:dns", "node:net", "node:tls"],
  },
  "shared/platforms": {
    layers: ["shared/kernel", "shared/domain", "shared/net"],
    packages: ["zod", "node:http", "node:https"],
  },
  "shared/flows": {
    layers: ["shared/kernel", "shared/domain", "shared/events", "shared/queues"],
    types: ["shared/stores", "shared/aws", "shared/net", "shared/platforms", "shared/config"],
    packages: ["jose"],
  },
  functions: {
    layers: ["shared/kernel", "shared/domain", "shared/events", "shared/queues", "shared/flows"],
    types: ["shared/aws"],
    packages: ["hono", "zod", "@middy/core", "node:zlib", "aws-lambda"],
    except: COMPOSITION,
  },
  local: { layers: ["functions", "shared", "lib"], packages: [".*"] },
  lib: {
    layers: ["shared/config", "shared/kernel/text", "web"],
    packages: ["aws-cdk-lib", "constructs", "esbuild", "node:path", "node:url", "node:fs"],
  },
  bin: { layers: ["lib", "local", "shared", "functions"], packages: [".*"] },
  packages: { layers: [], packages: [] },
  web: { layers: ["packages"], packages: ["esbuild", "marked", "node:fs", "node:path", "node:url"] },
  "web/common": { layers: ["packages"], packages: [] },
  "web/check": { layers: ["web/common"], packages: [] },
  "web/connect": { layers: ["packages", "web/common"], packages: [] },
  "web/docs/page": { layers: ["web/common"], packages: [] },
  "web/sign-in": { layers: ["packages", "web/common"], packages: [] },
};

const path = (layer) => `^${layer}/`;
const packagePath = (name) =>
  name.startsWith("node:") ? `^(node:)?${name.slice(5)}(/|$)` : `(^|node_modules/)(@types/)?${name}(/|$)`;

const forbidden = Object.entries(layers).flatMap(([layer, { layers: open, types = [], packages, except }]) => {
  const from = { path: path(layer), ...(except ? { pathNot: except } : {}) };
  const ours = [layer, ...open].map(path);
  return [
    {
      name: `${layer}: layers`,
      comment: `${layer} may import ${[layer, ...open].join(", ")}`,
      severity: "error",
      from,
      to: { path: "^(shared|functions|local|lib|bin|web|packages|test)/", pathNot: [...ours, ...types.map(path)] },
    },
    ...(types.length
      ? [
          {
            name: `${layer}: types only`,
            comment: `${layer} may import ${types.join(", ")} as types only`,
            severity: "error",
            from,
            to: { path: types.map(path), dependencyTypesNot: ["type-only"] },
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
});

module.exports = {
  forbidden: [
    ...forbidden,
    {
      name: "functions: composition",
      comment:
        "a function's ports are where clients, stores and flows meet; they never reach into local, lib, bin, web or test",
      severity: "error",
      from: { path: COMPOSITION },
      to: { path: "^(local|lib|bin|web|packages|test)/" },
    },
    {
      name: "routes and workers stay apart",
      severity: "error",
      from: { path: "^functions/routes/" },
      to: { path: WORKERS },
    },
    {
      name: "workers and routes stay apart",
      severity: "error",
      from: { path: WORKERS },
      to: { path: "^functions/(routes|http)/" },
    },
    {
      name: "the simulator knows nothing of Parley",
      severity: "error",
      from: { path: "^local/simulator/" },
      to: {
        path: "^(shared|functions|lib|bin|local|packages)/",
        // What the ports, the control routes and the printed lines of this machine have in common is not Parley's.
        pathNot:
          "^(local/(simulator/|access/(loopback-server|control-token)\\.ts$|support/terminal\\.ts$)|shared/kernel/(printable|text/(html|urls))\\.ts$)",
      },
    },
    {
      name: "nothing imports test",
      severity: "error",
      from: { path: "^(shared|functions|local|lib|bin|web|packages)/" },
      to: { path: "^test/" },
    },
    { name: "no cycles", severity: "error", from: {}, to: { circular: true } },
    { name: "no cycles between folders", severity: "error", scope: "folder", from: {}, to: { circular: true } },
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
