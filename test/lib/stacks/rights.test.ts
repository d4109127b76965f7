import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { settingsToCheck } from "../../../bin/nag/settings-to-check.ts";
import { commandRights, type Rights } from "../../../lib/config/operator-rights.ts";
import { readPage } from "../../docs/markdown.ts";
import { synthesizeTemplates, type Template } from "../synth-templates.ts";

// docs/operate/rights.md names the rights for each kind of resource in the templates, and deploy-policy.json grants them.

const POLICY = "docs/operate/deploy-policy.json";
/** Of a managed policy, without spaces. */
const POLICY_CHARS_MAX = 6_144;

const page = readPage("docs/operate/rights.md");

function sectionOf(heading: string): string {
  const [, rest = ""] = page.split(`\n## ${heading}\n`);
  return rest.split("\n## ")[0] ?? "";
}

const kindsIn = (text: string) => [...text.matchAll(/`(AWS::\w+::\w+)`/g)].map(([, kind = ""]) => kind);
const actionsIn = (text: string) =>
  [...text.matchAll(/`([a-z\d]+:[A-Z][A-Za-z*]+)`/g)].map(([, action = ""]) => action);
const kindsOf = (template: Template) => new Set(Object.values(template.Resources).map(({ Type }) => Type));

const rows = [...sectionOf("Deploy").matchAll(/^\| (.*(?:AWS::|BootstrapVersion).*?) \| (.*) \|$/gm)].map(
  ([, resources = "", rights = ""]) => ({ resources, kinds: kindsIn(resources), actions: actionsIn(rights) }),
);

interface PolicyStatement {
  readonly Effect: string;
  readonly Action: readonly string[];
  readonly Resource: string | readonly string[];
}
const policy = JSON.parse(readFileSync(POLICY, "utf8")) as { readonly Statement: readonly PolicyStatement[] };

describe("the rights of a deployment", () => {
  const full = synthesizeTemplates(settingsToCheck["domains, mail, alarms and budget"]);
  const plain = synthesizeTemplates();
  const { service: withCloudFront } = synthesizeTemplates({ "parley:cloudFront": "on" });

  it("the page has each kind of resource of the templates once", () => {
    const kinds = [...kindsOf(full.data), ...kindsOf(full.service), ...kindsOf(withCloudFront)];
    expect(rows.flatMap((row) => row.kinds).sort()).toEqual([...new Set(kinds)].sort());
  });

  it("a kind is marked as one of a setting if the default template has none", () => {
    const always = new Set([...kindsOf(plain.data), ...kindsOf(plain.service)]);
    for (const { resources, kinds } of rows.filter((row) => row.kinds.length > 0)) {
      const isOptional = kinds.every((kind) => !always.has(kind));
      expect([kinds, resources.includes("only with")]).toEqual([kinds, isOptional]);
    }
  });

  it("each template reads the version of the bootstrap from a parameter", () => {
    for (const template of [full.data, full.service]) {
      expect(template).toMatchObject({
        Parameters: { BootstrapVersion: { Default: "/cdk-bootstrap/hnb659fds/version" } },
      });
    }
  });

  it("the policy grants what the page names, and nothing else", () => {
    const granted = new Set(policy.Statement.flatMap(({ Action }) => Action));
    expect([...granted].sort()).toEqual([...new Set(rows.flatMap(({ actions }) => actions))].sort());
  });

  it("the policy deletes nothing that is stored, and of secrets only what proves CloudFront", () => {
    const ofCloudFront = ({ Resource }: PolicyStatement) =>
      Resource === "arn:aws:secretsmanager:*:*:secret:CloudFrontOriginSecret*";
    const granted = policy.Statement.filter((each) => !ofCloudFront(each)).flatMap(({ Action }) => Action);
    const harmful =
      /^(dynamodb:(Delete|\*)|kms:(Schedule|Disable|\*)|s3:(DeleteBucket|DeleteObject|\*)$|secretsmanager:(Delete|Put|\*))/;
    expect(granted.filter((action) => harmful.test(action))).toEqual([]);
  });

  it("the policy fits into a managed policy of IAM, and names roles and functions of Parley only", () => {
    expect(JSON.stringify(policy).length).toBeLessThanOrEqual(POLICY_CHARS_MAX);
    const named = policy.Statement.filter(({ Action }) =>
      Action.some((action) => /^(iam|sqs|dynamodb|events):/.test(action)),
    );
    expect(named.length).toBeGreaterThan(3);
    for (const { Resource } of named) {
      expect([Resource].flat().join()).toMatch(
        /^arn:aws:[a-z-]+:[*]?:[*]:(table|role|policy|rule)?\/?(Parley|aws-service-role)/i,
      );
    }
  });
});

it("the page names the kinds of resources that the bootstrap of this version of the CDK creates", () => {
  const template = readFileSync("node_modules/aws-cdk/lib/api/bootstrap/bootstrap-template.yaml", "utf8");
  const created = new Set([...template.matchAll(/^ {4}Type: '?(AWS::\w+::\w+)'?$/gm)].map(([, kind = ""]) => kind));
  // Only with a key of its own or a permissions boundary, which are flags.
  for (const kind of ["AWS::KMS::Key", "AWS::KMS::Alias", "AWS::IAM::ManagedPolicy"]) created.delete(kind);
  const text = sectionOf("Bootstrap");
  expect([...new Set(kindsIn(text))].sort()).toEqual([...created].sort());
  const roles = [...template.matchAll(/RoleName:\n +Fn::Sub: cdk-\$\{Qualifier\}-([\w-]+)-\$\{AWS/g)].map(
    ([, name]) => name,
  );
  expect(roles).toHaveLength(5);
  for (const role of roles) expect(text).toContain(`\`${role}\``);
});

describe("the rights of the commands", () => {
  const commands = [...sectionOf("Commands").matchAll(/^\| (`.+?`) \|(.*)\|(.*)\|$/gm)];
  const named = commands.flatMap(([, cell = ""]) => [...cell.matchAll(/`([a-z -]+)`/g)].map(([, name = ""]) => name));

  it("the page has each command for a deployment once", () => {
    const source = readFileSync("bin/admin/commands.ts", "utf8");
    const [, table = ""] = source.split("const commands");
    const all = [...(table.split("\n};")[0] ?? "").matchAll(/^ {2}"?([a-z][a-z -]+?)"?: /gm)].map(
      ([, name = ""]) => name,
    );
    const [, local = ""] = /LOCAL_COMMANDS = new Set\(\[(.*)\]\)/.exec(source) ?? [];
    expect(all.length).toBeGreaterThan(15);
    expect([...named].sort()).toEqual(all.filter((name) => !local.includes(`"${name}"`)).sort());
  });

  it("each command has the rights of the table that the policy for operators is made of", () => {
    for (const [, cell = "", table = "", others = ""] of commands) {
      const ofPage = rightsOnPage(table, others);
      for (const [, name = ""] of cell.matchAll(/`([a-z -]+)`/g)) {
        if (name === "adopt") continue;
        const rights: Rights = commandRights[name as keyof typeof commandRights];
        expect([name, ...ofPage]).toEqual([name, ...[...new Set(Object.values(rights).flat())].sort()]);
        const indexes = Object.keys(rights).filter((target) => target.startsWith("GS"));
        expect([name, [...table.matchAll(/`(GS\d)`/g)].map(([, index]) => index)]).toEqual([name, indexes]);
      }
    }
    expect(Object.keys(commandRights).sort()).toEqual(named.filter((name) => name !== "adopt").sort());
  });

  /** The actions of a row, and of those that it refers to, sorted. */
  function rightsOnPage(table: string, others: string): string[] {
    const ofTable = [...table.matchAll(/`([A-Z][A-Za-z]+)`/g)].map(([, action]) => `dynamodb:${action}`);
    const referred = [...table.matchAll(/`([a-z]+ [a-z]+)`/g)].flatMap(([, name = ""]) => {
      const [, , otherTable = "", otherOthers = ""] = commands.find(([, cell]) => cell?.includes(`\`${name}\``)) ?? [];
      return rightsOnPage(otherTable, otherOthers);
    });
    return [...new Set([...ofTable, ...actionsIn(others), ...referred])].sort();
  }

  it("doctor has the permissions that its checks name", () => {
    const folder = "bin/admin/doctor/checks";
    const sources = [
      "account",
      "alarm-topic",
      "bootstrap",
      "concurrency",
      "key",
      "mail",
      "queues",
      "secrets",
      "table",
    ].map((name) => readFileSync(`${folder}/${name}.ts`, "utf8"));
    const used = sources.flatMap((text) =>
      [...text.matchAll(/"([a-z\d]+:[A-Z][A-Za-z]+)"/g)].map(([, action = ""]) => action),
    );
    const [, , table = "", others = ""] = commands.find(([, cell]) => cell === "`doctor`") ?? [];
    const granted = [
      ...actionsIn(others),
      ...[...table.matchAll(/`(\w+)`/g)].map(([, action]) => `dynamodb:${action}`),
    ];
    expect(granted.sort()).toEqual([...new Set(used)].sort());
  });
});
