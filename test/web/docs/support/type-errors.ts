import { join } from "node:path";
import ts from "typescript";
import { project } from "./rendered-snippets.ts";

const options: ts.CompilerOptions = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noEmit: true,
  skipLibCheck: true,
  allowImportingTsExtensions: true,
  target: ts.ScriptTarget.ES2022,
  lib: ["lib.es2022.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts", "lib.dom.asynciterable.d.ts"],
  module: ts.ModuleKind.Preserve,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  types: ["node"],
  paths: { "@parley/client": [join(project, "packages/client/src/index.ts")] },
};

/** What the compiler says about each module, which uses the client as it is in the repository. One program for all. */
export function typeErrors(modules: readonly string[]): string[][] {
  const sources = new Map(modules.map((code, i) => [join(project, `snippet-${i}.ts`), code]));
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists } = host;
  host.fileExists = (name) => sources.has(name) || fileExists(name);
  host.getSourceFile = (name, ...rest) => {
    const code = sources.get(name);
    return code === undefined ? getSourceFile(name, ...rest) : ts.createSourceFile(name, code, ts.ScriptTarget.ES2022);
  };
  const program = ts.createProgram({ rootNames: [...sources.keys()], options, host });
  const general = [...program.getOptionsDiagnostics(), ...program.getGlobalDiagnostics()].map(toText);
  return [...sources.keys()].map((name) => {
    const file = program.getSourceFile(name);
    return [
      ...general,
      ...[...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)].map(toText),
    ];
  });
}

function toText({ messageText }: ts.Diagnostic): string {
  return ts.flattenDiagnosticMessageText(messageText, "\n");
}
