import { it } from "vitest";
import { startLocalStack } from "../../e2e/support/local-stack.ts";
import { openedOnce } from "../../support/opened.ts";
import { expectWorkingClient, openClientFolder } from "./support/client-folder.ts";
import { followGuide, run, TIMEOUT_MS } from "./support/follow-guide.ts";

const stack = openedOnce(startLocalStack);
const folder = openedOnce(() => openClientFolder(stack));

it(
  "a client that oapi-codegen generates lists, reads and replies, and the verifier in Go verifies a webhook",
  async () => {
    await followGuide("Go", folder.path);
    folder.add("docs/guides/receivers/verify.go", "receivers/verify.go");
    folder.add("test/full/generated-clients/programs/main.go");
    await run("go", ["build", "-o", "program", "."], folder.path);
    await expectWorkingClient(stack, folder, (env) => run("./program", [], folder.path, env));
  },
  TIMEOUT_MS,
);
