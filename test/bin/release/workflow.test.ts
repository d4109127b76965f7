import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { PROJECT } from "../../docs/markdown.ts";

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}
interface Job {
  readonly needs?: string;
  readonly if?: string;
  readonly environment?: string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
}
interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}
interface Role {
  readonly AssumeRolePolicyDocument: {
    readonly Statement: readonly {
      readonly Action: string;
      readonly Condition: { readonly StringEquals: Readonly<Record<string, unknown>> };
    }[];
  };
  readonly Policies: readonly {
    readonly PolicyDocument: {
      readonly Statement: readonly { readonly Action: unknown; readonly Resource: unknown }[];
    };
  }[];
}

const text = readFileSync(join(PROJECT, ".github/workflows/release.yml"), "utf8");
const workflow = parse(text) as Workflow;
const { diff, check, deploy } = workflow.jobs as Record<"diff" | "check" | "deploy", Job>;
const commands = ({ steps }: Job) => steps.flatMap(({ run }) => run ?? []);

describe("the workflow of releases", () => {
  it("the workflow names no key and no secret, and its jobs get roles by their tokens", () => {
    expect(text).not.toMatch(/secrets\.|access-key|ACCESS_KEY/);
    const roles = [diff, check, deploy].map(({ steps }) =>
      steps.flatMap((step) => step.with?.["role-to-assume"] ?? []),
    );
    expect(roles).toEqual([[`\${{ vars.PARLEY_DIFF_ROLE }}`], [], [`\${{ vars.PARLEY_DEPLOY_ROLE }}`]]);
  });

  it("only the jobs with a role can request a token, and no job can write to the repository", () => {
    expect(workflow.permissions).toEqual({ contents: "read" });
    const withToken = { contents: "read", "id-token": "write" };
    expect([diff.permissions, check.permissions, deploy.permissions]).toEqual([withToken, undefined, withToken]);
  });

  it("every action is pinned by the hash of a commit, with its version beside it", () => {
    const uses = text.match(/uses: .*/g) ?? [];
    expect(uses.length).toBeGreaterThan(5);
    expect(uses.filter((line) => !/^uses: [\w-]+\/[\w-]+@[\da-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([]);
  });

  it("no command contains a text of the event, which its author could make a command", () => {
    expect(
      Object.values(workflow.jobs)
        .flatMap(commands)
        .filter((command) => command.includes(`\${{`)),
    ).toEqual([]);
  });

  it("a pull request of the repository is compared and deploys nothing, and the code of a fork gets no role", () => {
    expect(Object.keys(workflow.on)).toEqual(["pull_request", "push"]);
    expect(diff.if).toContain("github.event.pull_request.head.repo.full_name == github.repository");
    expect(commands(diff).join("\n")).toContain("cdk diff --all --no-change-set");
    expect(commands(diff).join("\n")).not.toContain("cdk deploy");
  });

  it("a tag is checked, deployed from its environment, and then seen by doctor and smoke, in this order", () => {
    expect(workflow.on.push).toEqual({ tags: ["v*"] });
    expect(check.if).toBe("github.event_name == 'push'");
    expect(commands(check).join("\n")).toContain('npm run release:check -- --tag "$GITHUB_REF_NAME"');
    expect([deploy.needs, deploy.environment]).toEqual(["check", "production"]);
    expect(commands(deploy).slice(-3)).toEqual([
      'npx cdk deploy --all --require-approval never -c "parley:stage=$STAGE"',
      'npm run admin -- doctor --stage "$STAGE"',
      'npm run admin -- smoke --stage "$STAGE"',
    ]);
  });

  it.each([
    ["has the text of the variable", '{ "region": "eu-central-1" }\n', ["staging.json"]],
    ["is not written where the variable is unset, because an empty one is refused", "", []],
  ])("the file of the stage %s, in both jobs", (_, file, written) => {
    for (const job of [diff, deploy]) {
      const [command = "", ...others] = commands(job).filter((line) => line.includes("STAGE_FILE"));
      expect(others).toEqual([]);
      const cwd = mkdtempSync(join(tmpdir(), "parley-workflow-"));
      try {
        mkdirSync(join(cwd, "stages"));
        const env = { PATH: process.env.PATH, STAGE: "staging", STAGE_FILE: file };
        execFileSync("bash", ["--norc", "-e", "-c", command], { cwd, env });
        expect(readdirSync(join(cwd, "stages"))).toEqual(written);
        for (const name of written) expect(readFileSync(join(cwd, "stages", name), "utf8")).toBe(file);
      } finally {
        rmSync(cwd, { recursive: true });
      }
    }
  });

  it("every script that the workflow runs exists", () => {
    const { scripts } = JSON.parse(readFileSync(join(PROJECT, "package.json"), "utf8")) as { scripts: object };
    const names = [...text.matchAll(/npm run ([\w:]+)/g)].map(([, name]) => name);
    expect(names.filter((name) => !Object.keys(scripts).includes(name ?? ""))).toEqual([]);
  });

  it("the repository has no other workflow than this and the one that publishes the packages", () => {
    expect(readdirSync(join(PROJECT, ".github/workflows")).sort()).toEqual(["publish.yml", "release.yml"]);
  });
});

describe("the roles of the workflow", () => {
  const template = JSON.parse(readFileSync(join(PROJECT, "docs/operate/github-roles.template.json"), "utf8")) as {
    readonly Resources: Readonly<Record<string, { readonly Type: string; readonly Properties: Role }>>;
  };
  const roles = Object.entries(template.Resources).filter(([, { Type }]) => Type === "AWS::IAM::Role");
  const statementsOf = ({ Policies }: Role) => Policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement);

  it("each role trusts tokens for one purpose of one repository: pull requests, or the environment that deploys", () => {
    const subjects = roles.map(([id, { Properties }]) => {
      const [statement] = Properties.AssumeRolePolicyDocument.Statement;
      const { "token.actions.githubusercontent.com:sub": subject, ...others } = statement?.Condition.StringEquals ?? {};
      expect([statement?.Action, others]).toEqual([
        "sts:AssumeRoleWithWebIdentity",
        { "token.actions.githubusercontent.com:aud": "sts.amazonaws.com" },
      ]);
      return [id, subject];
    });
    expect(subjects).toEqual([
      ["DiffRole", { "Fn::Sub": `repo:\${Repository}:pull_request` }],
      ["DeployRole", { "Fn::Sub": `repo:\${Repository}:environment:\${Environment}` }],
    ]);
  });

  it("the role of pull requests reads two templates, and the other one only becomes two roles of the bootstrap", () => {
    const actions = roles.map(([, { Properties }]) => statementsOf(Properties).map(({ Action }) => Action));
    expect(actions).toEqual([[["cloudformation:DescribeStacks", "cloudformation:GetTemplate"]], ["sts:AssumeRole"]]);
    const resources = JSON.stringify(
      roles.map(([, { Properties }]) => statementsOf(Properties).map(({ Resource }) => Resource)),
    );
    expect(resources.match(/stack\/\$\{\w+\}\/\*|cdk-\$\{Qualifier\}-[a-z-]+-role/g)).toEqual([
      `stack/\${DataStack}/*`,
      `stack/\${ServiceStack}/*`,
      `cdk-\${Qualifier}-deploy-role`,
      `cdk-\${Qualifier}-file-publishing-role`,
    ]);
    expect(resources).not.toContain('"*"');
  });
});
