import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { codeBlocks } from "../../docs/code-blocks.ts";
import { PROJECT } from "../../docs/markdown.ts";
import { runCases } from "../../docs/support/run-driver.ts";
import { signedCases } from "../../docs/support/signed-cases.ts";

const SOURCE = join(PROJECT, "packages/receiver-python");
const folder = mkdtempSync(join(tmpdir(), "parley-python-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const VERSION_CHECK = "import sys; sys.exit(sys.version_info < (3, 10))";
const hasPython = spawnSync("python3", ["-c", VERSION_CHECK], { timeout: 20_000 }).status === 0;

/** The lines are described in `test/docs/drivers/driver.mjs`. */
const DRIVER = `
import sys
from base64 import b64decode
from parley_receiver import InvalidSignature, verify_webhook

for line in sys.stdin:
    body, timestamp, signature, secret, now = line.rstrip("\\n").split("\\t")
    headers = {"Svc-Timestamp": timestamp, "Svc-Signature": signature}
    headers = {name: b64decode(value).decode() for name, value in headers.items() if value != "-"}
    try:
        verify_webhook(b64decode(body), headers, b64decode(secret).decode(), int(b64decode(now)))
        print("true", flush=True)
    except (InvalidSignature, ValueError):
        print("false", flush=True)
`;

test("the Python receiver has the version of the repository", () => {
  const { version } = JSON.parse(readFileSync(join(PROJECT, "package.json"), "utf8"));
  expect(readFileSync(join(SOURCE, "pyproject.toml"), "utf8")).toContain(`\nversion = "${version}"\n`);
});

describe.skipIf(!hasPython)(hasPython ? "the Python receiver" : "the Python receiver (no Python 3.10 here)", () => {
  test("the Python receiver passes its own tests", () => {
    const run = spawnSync("python3", ["-B", "-m", "unittest", "discover", "tests"], { cwd: SOURCE, encoding: "utf8" });
    expect(run.stderr).toMatch(/^Ran \d\d tests in [\d.]+s\n\nOK\n$/m);
    expect(run.status).toBe(0);
  });

  test("the Python receiver judges the signed cases as every documented verifier does", async () => {
    const main = join(folder, "driver.py");
    writeFileSync(main, `import sys\nsys.path.insert(0, ${JSON.stringify(join(SOURCE, "src"))})\n${DRIVER}`);
    const verdicts = await runCases(["python3", "-B", main], signedCases);
    const expected = signedCases.map(({ valid }) => valid);
    expect(signedCases.filter((_, index) => verdicts[index] !== expected[index]).map(({ title }) => title)).toEqual([]);
  });

  test("the code of the Python README compiles", () => {
    const blocks = codeBlocks("packages/receiver-python/README.md").filter(({ language }) => language === "python");
    expect(blocks.length).toBe(4);
    for (const { code } of blocks) {
      const args = ["-c", "import sys; compile(sys.stdin.read(), 'README.md', 'exec')"];
      expect(spawnSync("python3", args, { input: code, encoding: "utf8" }).stderr).toBe("");
    }
  });
});
