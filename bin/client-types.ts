import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import openapiTypeScript, { astToString } from "openapi-typescript";
import { withBooleanConstants } from "#http/openapi/boolean-constants.ts";
import { trimDocument } from "./client/trim-document.ts";

// `node bin/client-types.ts` writes the client's types from the OpenAPI document. With --check it compares instead.

const file = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const target = "packages/client/src/api-types.ts";

const published = withBooleanConstants(JSON.parse(readFileSync(file("docs/openapi.json"), "utf8")));
const document = trimDocument(published);
const nodes = await openapiTypeScript(JSON.stringify(document), { defaultNonNullable: false });
const components = nodes.filter((node) => "name" in node && (node.name as { text: string }).text === "components");
const text = `// Generated from docs/openapi.json by \`npm run client:types\`.\n\n${plain(astToString(components))}`;

if (!process.argv.includes("--check")) {
  writeFileSync(file(target), text);
} else if (readFileSync(file(target), "utf8") !== text) {
  process.stderr.write(`${target} does not match the document. Run \`npm run client:types\` and commit the result.\n`);
  process.exitCode = 1;
}

/** Without what the generator adds for kinds of components that there are none of, and comments that repeat the type. */
function plain(source: string): string {
  return (
    source
      .replace(/^ +(responses|parameters|requestBodies|headers|pathItems): never;\n/gm, "")
      // Super-linear: the text is generated from the document of this repository.
      .replace(/^ +\/\*\* (@enum|@constant|Format:) [^\n]*\*\/\n/gm, "")
      .replace(/^ +\/\*\* @constant \*\/\n/gm, "")
  );
}
