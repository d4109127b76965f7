import { execFile } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, inject, it } from "vitest";
import { parseSettings } from "../../../lib/config/settings.ts";
import { readStage } from "../../../lib/config/stage.ts";
import { deployPages, guideCommands } from "../../docs/guide-commands.ts";
import { PROJECT, readPage } from "../../docs/markdown.ts";
import { openedOnce } from "../../support/opened.ts";
import { openSharedStack } from "../support/local-stack.ts";
import { waitFor } from "../support/wait-for.ts";
import { pressLink } from "./press-link.ts";

// Runs each command of the guide to a deployment that needs no AWS, in the order of the pages. Those with --stage run on the
// local stack, without it.

const stack = openedOnce(openSharedStack);

/** These need AWS. A command that is neither here nor below runs, so that a new one fails if it cannot. */
const needAws = [
  "aws --version",
  "aws sts get-caller-identity",
  "aws configure list",
  "aws lambda get-account-settings --query AccountLimit.ConcurrentExecutions",
  "npx cdk bootstrap aws://123456789012/eu-central-1",
  "npx cdk deploy --all",
  "aws cloudformation describe-stacks --stack-name ParleyService --query 'Stacks[0].Outputs[].[OutputKey,OutputValue]' --output text",
  "aws cloudformation describe-stacks --stack-name ParleyData --query 'Stacks[0].Outputs[].[OutputKey,OutputValue]' --output text",
  'aws secretsmanager put-secret-value --secret-id "<PlatformSecretId>" --secret-string file://platforms.json',
  "aws service-quotas request-service-quota-increase --service-code lambda --quota-code L-B99A9384 --desired-value 1000",
  "npx cdk deploy --all -c parley:stage=staging",
  "aws acm request-certificate --domain-name api.example.com --subject-alternative-names ws.example.com --validation-method DNS",
  "aws sesv2 create-email-identity --email-identity example.com --query DkimAttributes.Tokens",
  "aws sesv2 get-email-identity --email-identity example.com --query '[VerifiedForSendingStatus, DkimAttributes.Status]'",
  "aws sesv2 put-account-details --production-access-enabled --mail-type TRANSACTIONAL \\\n  --website-url https://example.com --contact-language EN",
  "aws sns create-topic --name parley-alarms",
  'aws sns subscribe --topic-arn "<TopicArn>" --protocol email --notification-endpoint operator@example.com',
  'aws iam attach-role-policy --role-name <Role> --policy-arn "<OperatorPolicyArn>"',
  "npx cdk diff",
  "npx cdk destroy ParleyService",
  "aws cloudformation update-termination-protection --stack-name ParleyData --no-enable-termination-protection",
  "npx cdk destroy --all",
  "aws iam create-policy --policy-name ParleyDeploy --policy-document file://docs/operate/deploy-policy.json",
  "npx cdk bootstrap aws://123456789012/eu-central-1 --cloudformation-execution-policies arn:aws:iam::123456789012:policy/ParleyDeploy",
];

/** Other tests run these: the test, and what it contains. */
const runElsewhere: Readonly<Record<string, readonly [test: string, text: string]>> = {
  "npm ci": ["test/full/install/clean-install.test.ts", '"ci"'],
  "npm run admin -- smoke --stage default": ["test/e2e/access/smoke.test.ts", '["smoke"]'],
};

/** These take long, or other tests run them too: only in the full run. */
const slow = [
  "npm run synth",
  "npx cdk --version",
  "npm run admin -- migrate --stage default",
  "npm run admin -- tenant create acme --owner owner@example.com --stage default",
  "npm run admin -- key create --tenant acme --scope live --stage default",
  "npm run admin -- sign-in-link owner@example.com --stage default",
];

const commands = guideCommands(deployPages);
const distinct = [...new Set(commands.map(({ command }) => command))];
const toRun = distinct.filter((command) => !needAws.includes(command) && !(command in runElsewhere));

/** Runs commands in one shell, each with what is said of it. @returns the output of each */
async function runInShell(folder: string, lines: readonly string[]): Promise<Map<string, string>> {
  const admin = `node ${join(PROJECT, "bin/admin.ts")}`;
  const synth = `node ${join(PROJECT, "bin/app.ts")}`;
  // `npm run` without npm, which costs more CPU time than the command.
  const npm = `npm() { local name=$2; shift 3 || shift $#; if [ "$name" = synth ]; then (cd ${PROJECT} && ${synth} "$OLDPWD/cdk.out"); else ${admin} "$@"; fi; }`;
  const script = lines.map((line) => {
    const local = line
      .replace(/ --stage default$/, "")
      .replace("<ApiUrl>", stack.info.base_url)
      .replace("<key>", stack.info.live_key);
    return `${local}\nprintf '\\n%s\\n' "=== end"`;
  });
  const output = await new Promise<string>((resolve, reject) => {
    const options = {
      cwd: folder,
      env: {
        HOME: folder,
        NODE_NO_WARNINGS: "1",
        PARLEY_DATA: stack.dataDir,
        PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
      },
    };
    execFile("bash", ["-c", `set -euo pipefail\n${npm}\n${script.join("\n")}`], options, (error, out, errors) =>
      error ? reject(new Error(`${error.message}\n${out}\n${errors}`)) : resolve(out),
    );
  });
  const parts = output.split("\n=== end\n");
  return new Map(lines.map((line, index) => [line, parts[index] ?? ""]));
}

it("each command that is said to need AWS or to run elsewhere is one of the guide", () => {
  for (const command of [...needAws, ...Object.keys(runElsewhere), ...slow]) expect(distinct).toContain(command);
  expect(needAws.filter((command) => !/^(aws|npx cdk) /.test(command))).toEqual([]);
  expect(needAws.every((command) => !slow.includes(command))).toBe(true);
  for (const [test, text] of Object.values(runElsewhere))
    expect([test, readFileSync(test, "utf8")]).toEqual([test, expect.stringContaining(text)]);
});

it("the steps of the guide take an hour at most, and each has its time", () => {
  const page = readPage("docs/operate/deploy.md");
  const rows = [...page.matchAll(/^\| \[(\d+\. .+)\]\(#.+\) \| (\d+) \|$/gm)];
  expect(rows.map(([, step]) => step)).toEqual([...page.matchAll(/^## (\d+\. .+)$/gm)].map(([, step]) => step));
  expect(rows.reduce((sum, [, , minutes]) => sum + Number(minutes), 0)).toBeLessThanOrEqual(60);
});

it("the page of the settings has each key of the file of a stage once", () => {
  const keys = Object.keys(JSON.parse(readFileSync(join(PROJECT, "stages/example.json"), "utf8")));
  const [, table = ""] = readPage("docs/operate/settings.md").split("\n## Settings\n");
  const cells = [...table.matchAll(/^\| (`parley:.+?) \|/gm)].flatMap(([, cell = ""]) => cell.split(", "));
  const settings = cells.map((cell) => cell.replace(/^`parley:(\w+)`$/, "$1"));
  expect(settings.sort()).toEqual(keys.filter((key) => !["account", "region"].includes(key)).sort());
});

it("every command of the guide that needs no AWS runs, and prints what the guide says", async () => {
  const folder = mkdtempSync(join(tmpdir(), "parley-deploy-guide-"));
  try {
    mkdirSync(join(folder, "stages"));
    copyFileSync(join(PROJECT, "stages/example.json"), join(folder, "stages/example.json"));
    symlinkSync(join(PROJECT, "node_modules"), join(folder, "node_modules"));
    await stack.sim("POST", "/person-sends", {
      account: "17841400000000001",
      person: "Mia Falk",
      text: "First message",
    });
    await waitFor("the message is stored", async () =>
      (await stack.api("GET", "/v1/messages?limit=1")).text.includes("First message"),
    );
    const now = toRun.filter((command) => inject("fullRun") || !slow.includes(command));
    const outputs = await runInShell(folder, now);
    const output = (start: string) => {
      const found = [...outputs].filter(([command]) => command.startsWith(start));
      expect([start, found.length]).toEqual([start, 1]);
      return found[0]?.[1] ?? "";
    };
    expect(output("node --version")).toMatch(/^v\d+\./);
    expect(output("npm run admin -- doctor")).toContain("\n0 blocking, ");
    expect(output("curl")).toContain("First message");
    if (inject("fullRun")) {
      expect(output("npm run admin -- migrate")).toContain("steps are complete.");
      expect(output("npm run admin -- tenant create")).toContain("owner: owner@example.com");
      expect(output("npm run admin -- key create")).toMatch(/^secret: svc_live_\w+$/m);
      const link = /^link: (.+)$/m.exec(output("npm run admin -- sign-in-link"))?.[1] ?? "";
      expect((await pressLink(link)).headers.get("set-cookie")).toContain("console_session=");
    }
    const stage = readStage(join(folder, "stages"), "default");
    expect(stage).toMatchObject({ account: "123456789012", region: "eu-central-1" });
    expect(parseSettings(stage.context)).toEqual(parseSettings({}));
    expect(existsSync(join(folder, "platforms.json"))).toBe(false);
    if (inject("fullRun")) expect(existsSync(join(folder, "cdk.out/ParleyService.template.json"))).toBe(true);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
