import { delimiter } from "node:path";
import { it } from "vitest";
import { startLocalStack } from "../../e2e/support/local-stack.ts";
import { openedOnce } from "../../support/opened.ts";
import { expectWorkingClient, openClientFolder } from "./support/client-folder.ts";
import { followGuide, run, TIMEOUT_MS } from "./support/follow-guide.ts";

const stack = openedOnce(startLocalStack);
const folder = openedOnce(() => openClientFolder(stack));

it(
  "a client that openapi-generator generates for Java lists, reads and replies, and the verifier verifies a webhook",
  async () => {
    await followGuide("Java", folder.path);
    folder.add("docs/guides/receivers/Verify.java");
    folder.add("test/full/generated-clients/programs/Program.java");
    const classes = ["client/target/*", "client/target/dependency/*", "."].join(delimiter);
    await run("javac", ["--release", "17", "-cp", classes, "Verify.java", "Program.java"], folder.path);
    await expectWorkingClient(stack, folder, (env) => run("java", ["-cp", classes, "Program"], folder.path, env));
  },
  TIMEOUT_MS,
);
