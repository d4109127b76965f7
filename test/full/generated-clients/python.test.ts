import { join } from "node:path";
import { it } from "vitest";
import { PROJECT } from "../../docs/markdown.ts";
import { startLocalStack } from "../../e2e/support/local-stack.ts";
import { openedOnce } from "../../support/opened.ts";
import { expectWorkingClient, openClientFolder } from "./support/client-folder.ts";
import { followGuide, run, TIMEOUT_MS } from "./support/follow-guide.ts";

const stack = openedOnce(startLocalStack);
const folder = openedOnce(() => openClientFolder(stack));

it(
  "a client that openapi-python-client generates lists, reads and replies, and the Python receiver verifies a webhook",
  async () => {
    await followGuide("Python", folder.path);
    folder.add("test/full/generated-clients/programs/program.py");
    await run("env/bin/python", ["-m", "compileall", "-q", "parley_api", "program.py"], folder.path);
    const env = { PYTHONPATH: join(PROJECT, "packages/receiver-python/src"), PYTHONDONTWRITEBYTECODE: "1" };
    await expectWorkingClient(stack, folder, (values) =>
      run("env/bin/python", ["program.py"], folder.path, { ...values, ...env }),
    );
  },
  TIMEOUT_MS,
);
