import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { PROJECT, readPage } from "./markdown.ts";

// The recipes of CONTRIBUTING.md list the files of an example. Each file that names the example is on the list, or is named
// here with the reason why another example needs no such file.

interface Recipe {
  readonly heading: string;
  /** What a file of the example contains. */
  readonly names: RegExp;
  /** The files that are compared. Default: all. */
  readonly among?: RegExp;
  /** A folder that the recipe names in place of the files in it. */
  readonly folder?: string;
  /** At most so many files by hand. */
  readonly filesMax?: number;
  /** Files that name the example, and that another one does not need. */
  readonly others: Readonly<Record<string, string>>;
  /** Files of the recipe that do not name the example. */
  readonly unnamed?: readonly string[];
}

const recipes: readonly Recipe[] = [
  {
    heading: "Add a route",
    names: /\bgetStats\b|\bread-stats\b|GET \/v1\/stats\b/,
    filesMax: 8,
    others: {
      "docs/guides/stats.md": "a page that explains the counts",
      "docs/guides/console.md": "a page that lists the requests of the console",
      "docs/decisions/0085-the-overview-is-computed-in-the-page.md": "what the overview reads",
      "web/console/hours/hours.ts": "the type of what the console reads",
      "test/full/console/admin/overview.test.ts": "the console when it fails",
      "test/pictures/every-state/overview-states.ts": "the answers of a picture",
      "test/docs/examples.test.ts": "checks the JSON of that page",
      "test/support/flows/counter-fixture.ts": "reads counters through the flow",
      "test/full/console/support/webhook-model.ts": "answers the console of a test",
      "web/docs/reference/client-methods.ts": "shows the method of the client, which a route need not have",
    },
    unnamed: ["functions/console/routes.ts"],
  },
  {
    heading: "Add a field of a message",
    names: /\bquickReply\b/,
    filesMax: 10,
    others: {
      "test/e2e/stack/logs.test.ts": "a secret in each text that a person writes",
      "test/features/inbox/flows/parts/largest-updates.test.ts": "the longest texts",
    },
    unnamed: ["bin/openapi/texts/messages.ts"],
  },
  {
    heading: "Add an event type",
    names: /referral\.received|\breferralReceived\b|\breferral-received\b|\bpublishReferral\b|\bpublish-referral\b/,
    filesMax: 8,
    others: { "test/packages/cli/deployment.test.ts": "an event whose conversation is not in a message" },
  },
  {
    heading: "Add a store",
    names: /\brealtimeTicket(Store|Key|Attributes)\b|Realtime ticket\b|\/store\/tickets\.ts/,
    others: {},
    unnamed: [
      "docs/design/table-costs.md",
      "functions/api/ports.ts",
      "functions/console/ports.ts",
      "functions/realtime/ports.ts",
      "test/costs/tickets.test.ts",
    ],
  },
  {
    heading: "Add a Lambda",
    names:
      /functions\/mail\b|\bmail\/(ports|worker|handler)\b|\bmail(Ports|Worker)\b|\bcreateMail\b|\bMails?: |"Mails?"|\bmailsQueueUrl\b/,
    others: {
      "lib/functions/accounts.ts": "sends to the queue",
      "lib/functions/deliver.ts": "sends to the queue",
      "test/support/flows/drain-mails.ts": "runs the worker for other tests",
      "test/functions/leading-keys.test.ts": "the keys that a role with few of them may write",
      "lib/constructs/mail-sending.ts": "a permission of this name",
      "lib/functions/console.ts": "sends to the queue",
      "test/features/dead-letters/flows/dead-letters.test.ts": "a sample of the queue's messages",
      "test/features/tenants/flows/queued-messages.test.ts": "a sample of the queue's messages",
      "test/histories/ledger/access.ts": "dead letters of sign-in links",
      "test/local/stack/earlier-data-folder.test.ts": "an earlier release had no such queue",
    },
    unnamed: [
      "ARCHITECTURE.md",
      "docs/operate/data-flow.md",
      "docs/operate/dead-letters.md",
      "docs/operate/deploy.md",
      "docs/operate/monitoring.md",
      "shared/features/access/queue.ts",
      "test/functions/mail/worker.test.ts",
    ],
  },
  {
    heading: "Add a platform",
    names: /"messenger"|\bmessenger: /,
    // Most tests run on every platform.
    among: /^(?!test\/)/,
    folder: "packages/simulator/src",
    others: {
      "bin/openapi/examples/scenario/inbox.ts": "a conversation of the examples",
      "bin/openapi/examples/scenario/webhooks.ts": "an event of the examples",
      "local/demo/play.ts": "plays the scenes of that script",
      "local/demo/script.ts": "scenes of the demo, which need not be on each platform",
      "shared/platforms/graph/errors.ts": "quotes a header",
    },
    unnamed: [
      "docs/operate/deploy.md",
      "lib/constructs/service-secrets.ts",
      "local/stack/settings-secrets.ts",
      "shared/base/aws/secrets.ts",
      "shared/base/config/settings.ts",
      "shared/base/kernel/limits.ts",
      "shared/features/inbox/routes/intake.ts",
      "shared/platforms/graph/refusal-table.ts",
      "shared/platforms/graph/webhooks/signature.ts",
      "shared/platforms/messenger/facebook-login.ts",
    ],
  },
];

/** Written by a command, or about every change alike. */
const apart =
  /^(CHANGELOG|CONTRIBUTING)\.md$|^docs\/(released\/.*|openapi\.json|examples\.json|errors\.md|guides\/events\.md|design\/states\.md)$|^packages\/(client\/src\/api-types|cli\/src\/text\/event-type-names)\.ts$|^test\/docs\/recipes\.test\.ts$/;

const sources = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
  cwd: PROJECT,
  encoding: "utf8",
})
  .split("\0")
  .filter((path) => /\.(tsx?|js|mjs|md|html|css|json|txt)$/.test(path) && !apart.test(path))
  .map((path) => ({ path, text: readFileSync(join(PROJECT, path), "utf8") }));

/** The numbered steps of a recipe. */
function recipeSteps(heading: string): string[] {
  const [, rest = ""] = readPage("CONTRIBUTING.md").split(`### ${heading}\n`);
  const [recipe = ""] = rest.split(/^##+ /m);
  return recipe.match(/^\d+\. .*(\n {3,}.*)*/gm) ?? [];
}

/** The files that the numbered steps of a recipe name. */
function listedFiles(heading: string): string[] {
  return recipeSteps(heading)
    .flatMap((step) => [...step.matchAll(/`((?:[a-z][\w.-]*\/)+[\w.-]+\.\w+|[A-Z]+\.md)`/g)])
    .map(([, path = ""]) => path)
    .sort();
}

const isInFolder = (path: string, folder: string | undefined) => folder !== undefined && path.startsWith(`${folder}/`);

describe.each(recipes)("$heading", ({ heading, names, among = /./, folder, others, unnamed = [] }) => {
  const listed = listedFiles(heading);
  const naming = sources
    .filter(({ path, text }) => among.test(path) && names.test(text) && !isInFolder(path, folder))
    .map(({ path }) => path);

  it("the recipe lists every file that names its example, and no other", () => {
    const expected = naming.filter((path) => !(path in others));
    expect(listed.filter((path) => !unnamed.includes(path))).toEqual(expected.sort());
  });

  it("the recipe lists files that exist, each once", () => {
    const existing = new Set(sources.map(({ path }) => path));
    expect(listed.filter((path) => !existing.has(path))).toEqual([]);
    expect(new Set(listed).size).toBe(listed.length);
    expect(listed).toEqual(expect.arrayContaining([...unnamed]));
  });

  it("the recipe has no exception that became needless", () => {
    expect(Object.keys(others).filter((path) => !naming.includes(path))).toEqual([]);
    expect(unnamed.filter((path) => naming.includes(path))).toEqual([]);
  });
});

it.each(recipes.filter(({ filesMax }) => filesMax !== undefined))(
  "$heading takes at most $filesMax files by hand",
  ({ heading, filesMax }) => {
    // A route is on one of the two lists.
    const files = listedFiles(heading).filter((path) => path !== "functions/console/routes.ts");
    expect(files.length).toBeLessThanOrEqual(filesMax as number);
  },
);

it.each(recipes.filter(({ folder }) => folder !== undefined))(
  "$heading names the folder $folder, in which files name the example, and none of these files",
  ({ heading, names, folder }) => {
    expect(recipeSteps(heading).join("\n")).toContain(`\`${folder}\``);
    expect(sources.some(({ path, text }) => isInFolder(path, folder) && names.test(text))).toBe(true);
    expect(listedFiles(heading).filter((path) => isInFolder(path, folder))).toEqual([]);
  },
);

it("every recipe is checked", () => {
  const headings = [...readPage("CONTRIBUTING.md").matchAll(/^### (Add .*)$/gm)].map(([, heading]) => heading);
  expect(headings.sort()).toEqual(recipes.map(({ heading }) => heading).sort());
});
