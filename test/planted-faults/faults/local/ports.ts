import type { PlantedFault } from "../../planted-fault.ts";

const serverTest = "test/packages/loopback/loopback-server.test.ts";
const engineTest = "test/packages/local-aws/dynamodb/exposed-engine.test.ts";
const proxyTest = "test/packages/local-aws/dynamodb/table-proxy.test.ts";
const signatureTest = "test/packages/local-aws/access/signature.test.ts";

export const localStackFaults: readonly PlantedFault[] = [
  {
    name: "a port of the local stack answers under a name that was pointed at it",
    file: "packages/loopback/src/loopback-rule.ts",
    search: "host === null || hosts.includes(host.toLowerCase())",
    replacement: "host === null || host.length > 0",
    killedBy: {
      file: serverTest,
      title: "a port of this machine answers 403 as %j, to requests and handshakes, without reading them",
    },
  },
  {
    name: "a port of the local stack answers pages of other origins",
    file: "packages/loopback/src/loopback-rule.ts",
    search: "if (!sentOrigins.every((origin) => allowedOrigins.includes(origin)))",
    replacement: "if (allowedOrigins.length === 0)",
    killedBy: {
      file: serverTest,
      title: "a port of this machine answers 403 to a page of %j, also to its preflight and its handshake",
    },
  },
  {
    name: "a port of the local stack answers calls of another site that name no origin",
    file: "packages/loopback/src/loopback-rule.ts",
    search: "foreignSites.includes(String(site))",
    replacement: 'foreignSites.includes("")',
    killedBy: {
      file: serverTest,
      title:
        "a port of this machine answers no call of another site that names no origin, and what that site shows or links to",
    },
  },
  {
    name: "a WebSocket handshake is accepted from any page",
    file: "packages/loopback/src/loopback-server.ts",
    search: "if (loopbackRefusal(request, callers) === null) onUpgrade(request, socket, head);",
    replacement: "if (callers.port > 0) onUpgrade(request, socket, head);",
    killedBy: {
      file: serverTest,
      title: "a port of this machine answers 403 to a page of %j, also to its preflight and its handshake",
    },
  },
  {
    name: "a port of the local stack listens on every interface",
    file: "packages/loopback/src/loopback-server.ts",
    search: "server.listen(requestedPort, LOOPBACK_HOST, () => {",
    replacement: 'server.listen(requestedPort, "0.0.0.0", () => {',
    killedBy: { file: serverTest, title: "a port of this machine listens on loopback only" },
  },
  {
    name: "any signature of a known access key is accepted",
    file: "packages/local-aws/src/access/signature.ts",
    search: "sameBytes(expected, signature) && hasSignedBody(request)",
    replacement: "expected.length > 0 && hasSignedBody(request)",
    killedBy: { file: signatureTest, title: "a signature does not match with %s" },
  },
  {
    name: "the operation of a call need not be signed",
    file: "packages/local-aws/src/access/signature.ts",
    search: '["host", "x-amz-date", "x-amz-target"]',
    replacement: '["host", "x-amz-date"]',
    killedBy: { file: signatureTest, title: "a signature does not match with %s" },
  },
  {
    name: "any bearer token is a control token",
    file: "packages/loopback/src/control-token.ts",
    search: "return isSameText(sentToken, token.value) ? null",
    replacement: "return sentToken.length > 0 ? null",
    killedBy: {
      file: "test/packages/loopback/control-token.test.ts",
      title: "a call needs the token as its bearer token, and else is refused with where it is",
    },
  },
  {
    name: "the simulator's control routes need no control token",
    file: "packages/simulator/src/control/control.ts",
    search: "if (problem !== null) return json(401",
    replacement: 'if (problem === "") return json(401',
    killedBy: {
      file: "test/packages/simulator/page-and-control.test.ts",
      title: "a control route without the control token is refused with 401, before anything is done",
    },
  },
  {
    name: "the stack's control routes need no control token",
    file: "packages/local-aws/src/gateway/local-routes.ts",
    search: "if (problem !== null) {",
    replacement: 'if (problem === "") {',
    killedBy: {
      file: "test/packages/local-aws/gateway/gateway.test.ts",
      title:
        "a port answers 401 to a call of a control route without the token of the data folder, and calls no control",
    },
  },
  {
    name: "the address of the simulator's page keeps the control token",
    file: "packages/simulator/src/page/access/control-token.ts",
    search: '  history.replaceState(null, "", location.pathname);\n',
    replacement: "",
    killedBy: {
      file: "test/packages/simulator/page/page-token.test.ts",
      title: "the printed link opens the page, and the token leaves the address",
    },
  },
  {
    name: "the table's port passes on what is not signed",
    file: "packages/local-aws/src/dynamodb/table-proxy.ts",
    search: "if (problem === null) pass(request, response, body);",
    replacement: "if (problem !== undefined) pass(request, response, body);",
    killedBy: { file: proxyTest, title: "other requests do not reach the engine" },
  },
  {
    name: "the table's port passes on the engine's CORS headers",
    file: "packages/local-aws/src/dynamodb/table-proxy.ts",
    search: "|transfer-encoding|access-control-.*)$/",
    replacement: "|transfer-encoding)$/",
    killedBy: {
      file: proxyTest,
      title: "signed requests reach the engine, and its answer has no header that lets a page read it",
    },
  },
  {
    name: "an engine may listen on every interface without being asked to",
    file: "packages/local-aws/src/dynamodb/engine.ts",
    search: "if (exposed.length > 0) {",
    replacement: "if (exposed.length > 99) {",
    killedBy: {
      file: engineTest,
      title: "an engine that listens beyond loopback is stopped, and the start refused with the option that accepts it",
    },
  },
  {
    name: "an engine that takes no address is started before it is refused",
    file: "packages/local-aws/src/dynamodb/engine.ts",
    search: "if (!program.takesHost && !mayBeExposed)",
    replacement: "if (!program.takesHost && mayBeExposed)",
    killedBy: { file: engineTest, title: "an engine that takes no address is not even started without that option" },
  },
  {
    name: "files of an earlier data folder stay readable to others",
    file: "packages/local-aws/src/run/data-folder.ts",
    search: "  makeFolderPrivate(path, files);",
    replacement: "",
    killedBy: {
      file: "test/local/stack/data-folder.test.ts",
      title: "a data folder of an earlier version becomes its owner's alone, with all that a stack wrote",
    },
  },
];
