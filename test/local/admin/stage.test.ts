import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { env, queues, queueUrlNames } from "#base/config/names.ts";
import { CliError } from "../../../bin/admin/cli-error.ts";
import { stageEnvironment } from "../../../bin/admin/stage.ts";
import { openStacks } from "../../../functions/admin/stacks.ts";
import { runProgram } from "../../e2e/support/processes.ts";
import { synthesizeTemplates } from "../../lib/synth-templates.ts";
import {
  type FakeAnswer,
  type FakeCloudFormation,
  type FakeStack,
  openFakeCloudFormation,
} from "../../support/cloudformation/fake-cloudformation.ts";
import { repetitions } from "../../support/sampling.ts";

// --stage of the operator's commands, with a server that answers as CloudFormation does.

const ACCOUNT = "123456789012";
const REGION = "eu-central-1";
const folder = mkdtempSync(join(tmpdir(), "parley-stages-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
writeFileSync(join(folder, "staging.json"), JSON.stringify({ account: ACCOUNT, region: REGION }));

const dataOutputs = {
  TableName: "ParleyData-staging-Table-1ABC",
  UploadBucketName: "parleydata-staging-uploads-1abc",
  JournalBucketName: "parleydata-staging-journal-1abc",
  KeyId: "1234abcd-12ab-34cd-56ef-1234567890ab",
  RootSecretId: `arn:aws:secretsmanager:${REGION}:${ACCOUNT}:secret:Root-AbCdEf`,
  PlatformSecretId: `arn:aws:secretsmanager:${REGION}:${ACCOUNT}:secret:Platforms-AbCdEf`,
};
const queueOutputs = Object.fromEntries(
  queues.map((name) => [`${name}QueueUrl`, `https://sqs.${REGION}.amazonaws.com/${ACCOUNT}/${name}`]),
);
const serviceOutputs = {
  ...queueOutputs,
  ApiUrl: "https://abc.execute-api.example.com",
  BaseUrl: "https://api.example.com",
  PlatformUrls: '{"facebook_graph":"https://graph.example.com/?a=1&b=2"}',
};
const data: FakeStack = { account: ACCOUNT, outputs: dataOutputs };
const service: FakeStack = { account: ACCOUNT, outputs: serviceOutputs };
const stacks = (suffix = "-staging") => ({ [`ParleyData${suffix}`]: data, [`ParleyService${suffix}`]: service });

let server: FakeCloudFormation | undefined;
async function answer(answers: FakeAnswer): Promise<FakeCloudFormation> {
  server = await openFakeCloudFormation(answers);
  vi.stubEnv("AWS_ENDPOINT_URL_CLOUDFORMATION", server.url);
  return server;
}
beforeEach(() => {
  vi.stubEnv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "secret");
  vi.stubEnv("AWS_REGION", undefined);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await server?.close();
});

const read = (name: string, shell: Record<string, string> = {}) =>
  stageEnvironment(name, { shell, folder, openStacks });

async function problem(reading: Promise<unknown>): Promise<string> {
  const error = await reading.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(CliError);
  const { message } = error as CliError;
  expect(message.split("\n")).toHaveLength(1);
  return message;
}

it("the outputs of both stacks become the variables that the commands read", async () => {
  const { requests } = await answer({ stacks: stacks() });
  const environment = await read("staging");
  expect(environment).toEqual({
    AWS_REGION: REGION,
    [env.table]: dataOutputs.TableName,
    [env.keyId]: dataOutputs.KeyId,
    [env.uploadBucket]: dataOutputs.UploadBucketName,
    [env.journalBucket]: dataOutputs.JournalBucketName,
    [env.rootSecretId]: dataOutputs.RootSecretId,
    [env.platformSecretId]: dataOutputs.PlatformSecretId,
    [env.baseUrl]: "https://api.example.com",
    [env.platformUrls]: serviceOutputs.PlatformUrls,
    ...Object.fromEntries(queues.map((name) => [env[queueUrlNames[name]], queueOutputs[`${name}QueueUrl`]])),
  });
  expect(requests).toEqual([
    { action: "DescribeStacks", stack: "ParleyData-staging", region: REGION },
    { action: "DescribeStacks", stack: "ParleyService-staging", region: REGION },
  ]);
});

it("the variables of another deployment in the shell are ignored, and those of AWS are used", async () => {
  await answer({ stacks: stacks() });
  const shell = { [env.table]: "production", PARLEY_DATA: "/tmp/x", AWS_PROFILE: "ops", AWS_REGION: REGION };
  const environment = await read("staging", shell);
  expect(environment).toMatchObject({ [env.table]: dataOutputs.TableName, AWS_PROFILE: "ops" });
  expect(environment).not.toHaveProperty("PARLEY_DATA");
});

it("where the service stack names an existing resource, commands use it although the data stack still has its own", async () => {
  const outputs = { ...serviceOutputs, TableName: "ParleyCopy" };
  await answer({ stacks: { ...stacks(), "ParleyService-staging": { ...service, outputs } } });
  expect(await read("staging")).toMatchObject({ [env.table]: "ParleyCopy", [env.keyId]: dataOutputs.KeyId });
});

it("the default stage without a file is in the region of the AWS settings", async () => {
  const { requests } = await answer({ stacks: stacks("") });
  vi.stubEnv("AWS_REGION", "us-west-2");
  expect(await read("default", { AWS_REGION: "us-west-2" })).toMatchObject({ AWS_REGION: "us-west-2" });
  expect(requests.map(({ stack, region }) => `${stack} ${region}`)).toEqual([
    "ParleyData us-west-2",
    "ParleyService us-west-2",
  ]);
});

it("the templates have every output that the commands read", async () => {
  const { data: dataTemplate, service: serviceTemplate } = synthesizeTemplates({
    "parley:platformUrls": '{"facebook_graph":"https://graph.example.com"}',
  });
  expect(Object.keys(dataTemplate.Outputs)).toEqual(expect.arrayContaining(Object.keys(dataOutputs)));
  expect(Object.keys(serviceTemplate.Outputs)).toEqual(expect.arrayContaining(Object.keys(serviceOutputs)));
  const custom = synthesizeTemplates({ "parley:baseUrl": "https://api.example.com/" }).service.Outputs;
  expect(custom.BaseUrl?.Value).toBe("https://api.example.com");
  expect(custom.PlatformUrls).toBeUndefined();
});

describe("a stage that cannot be used is one line", () => {
  it("a stack that does not exist is named with its region, and how to deploy it", async () => {
    await answer({ stacks: {} });
    expect(await problem(read("staging"))).toBe(
      "Stack ParleyData-staging does not exist in region eu-central-1. Deploy it with npx cdk deploy --all -c parley:stage=staging, or use credentials of 123456789012.",
    );
    vi.stubEnv("AWS_REGION", "us-west-2");
    expect(await problem(read("default"))).toBe(
      "Stack ParleyData does not exist in region us-west-2. Deploy it with npx cdk deploy --all, or set AWS_REGION to its region.",
    );
  });

  it("a service stack that was removed is named", async () => {
    await answer({ stacks: { "ParleyData-staging": data } });
    expect(await problem(read("staging"))).toContain(
      "Stack ParleyService-staging does not exist in region eu-central-1.",
    );
  });

  it("another region in the shell is refused before AWS is asked", async () => {
    const { requests } = await answer({ stacks: stacks() });
    expect(await problem(read("staging", { AWS_REGION: "us-east-1" }))).toContain(
      "Stage staging is in region eu-central-1, but AWS_REGION is us-east-1.",
    );
    expect(requests).toEqual([]);
  });

  it("a region that nothing names is missing", async () => {
    vi.stubEnv("AWS_CONFIG_FILE", join(folder, "no-config"));
    vi.stubEnv("AWS_SHARED_CREDENTIALS_FILE", join(folder, "no-config"));
    await answer({ stacks: stacks("") });
    expect(await problem(read("default"))).toBe("Missing region. Set AWS_REGION, or write stages/default.json.");
  });

  it("credentials of another account are refused, although a stack of that name exists there", async () => {
    const other = { ...data, account: "999900001111" };
    await answer({ stacks: { ...stacks(), "ParleyData-staging": other } });
    expect(await problem(read("staging"))).toBe(
      "Stage staging is in account 123456789012, but your AWS credentials are of 999900001111. Use credentials of 123456789012, or correct stages/staging.json.",
    );
  });

  it("a stack of an earlier or unfinished deployment names the outputs that it lacks", async () => {
    const { KeyId: _, ...outputs } = dataOutputs;
    await answer({ stacks: { ...stacks(), "ParleyData-staging": { ...data, outputs, status: "CREATE_IN_PROGRESS" } } });
    expect(await problem(read("staging"))).toBe(
      "Stack ParleyData-staging has no output KeyId (its status is CREATE_IN_PROGRESS). Deploy this version, then try again.",
    );
  });

  it.each([
    [
      403,
      "AccessDenied",
      "Access denied to stack ParleyData-staging in region eu-central-1. Use credentials that may call cloudformation:DescribeStacks.",
    ],
    [403, "ExpiredToken", "AWS does not accept your credentials in region eu-central-1 (ExpiredToken)."],
    // Also the answer of a region that the account has not enabled.
    [
      403,
      "InvalidClientTokenId",
      "AWS does not accept your credentials in region eu-central-1 (InvalidClientTokenId).",
    ],
    [400, "ValidationError", "Stack ParleyData-staging cannot be read in region eu-central-1 (ValidationError)."],
  ])("the answer %i %s of AWS is explained: %s", async (status, code, message) => {
    await answer({ status, code, message: "User: arn:aws:iam::123456789012:user/ann is not authorized\nor so" });
    expect(await problem(read("staging"))).toContain(message);
  });

  it("a region that does not answer is named", async () => {
    const { url, close } = await answer({ stacks: {} });
    await close();
    expect(url).toContain("127.0.0.1");
    expect(await problem(read("staging"))).toContain(
      "Stack ParleyData-staging cannot be read in region eu-central-1 (ECONNREFUSED).",
    );
  });
});

describe("the program", () => {
  const run = async (args: readonly string[], variables: Record<string, string> = {}) => {
    const program = runProgram("bin/admin", args, {
      AWS_ACCESS_KEY_ID: "AKIDEXAMPLE",
      AWS_SECRET_ACCESS_KEY: "secret",
      ...(server ? { AWS_ENDPOINT_URL_CLOUDFORMATION: server.url } : {}),
      ...variables,
    });
    return { code: await program.exitCode, output: program.output(), errors: program.errors() };
  };

  const commands = [
    "tenant create acme --owner a@example.com",
    "rotate root --leaked",
    "dlq list",
    "tenant invite-owner acme a@example.com",
    "tenant suspend acme",
    "tenant resume acme",
    "tenant delete acme --confirm acme",
    "key create --tenant acme",
    "key list --tenant acme",
    "key revoke key_1 --tenant acme",
    "operator-key create --tenants acme",
    "operator-key list",
    "operator-key revoke key_1",
    "rotate root",
    "rotate verify-token",
    "dlq explain 01ARZ3NDEKTSV4RRFFQ69G5FAV",
    "dlq redrive --all",
  ];
  // Each is a process.
  it.each(commands.slice(0, repetitions({ whole: commands.length, sample: 3 })))(
    "the command %s looks for the stage, and prints one line when it does not exist",
    async (command) => {
      const { requests } = await answer({ stacks: {} });
      // Without --stage these would be used.
      const variables = { [env.table]: "production", AWS_REGION: REGION };
      const { code, output, errors } = await run([...command.split(" "), "--stage", "example"], variables);
      expect([code, output]).toEqual([1, ""]);
      expect(errors).toMatch(/^Stack ParleyData-example does not exist in region eu-central-1\. [^\n]+\n$/);
      expect(requests).toHaveLength(1);
    },
  );

  const localCommands = ["listen", "message Hi", "reply Hi", "hold Hi", "clock", "env"];
  it.each(localCommands.slice(0, repetitions({ whole: localCommands.length, sample: 2 })))(
    "the command %s of the local stack refuses a stage",
    async (command) => {
      const { code, output, errors } = await run([...command.split(" "), "--stage", "example"]);
      expect([code, output]).toEqual([1, ""]);
      expect(errors).toBe(`${command.split(" ")[0]} is only for the local stack. Leave out --stage.\n`);
    },
  );

  it("doctor prints its findings and exits with 1, because AWS does not accept the credentials", async () => {
    await answer({ status: 403, code: "ExpiredToken", message: "The security token is expired" });
    const aws = { AWS_ENDPOINT_URL: server?.url ?? "" };
    const { code, output, errors } = await run(["doctor", "--stage", "example"], aws);
    expect([code, errors]).toEqual([1, ""]);
    expect(output).toContain("blocking  account      AWS does not accept your credentials (ExpiredToken).\n");
    expect(output).toMatch(/\n\d+ blocking, \d+ warnings\.\n$/);
  });

  it("an unknown stage is one line", async () => {
    const { code, errors } = await run(["dlq", "list", "--stage", "nowhere"]);
    expect(code).toBe(1);
    expect(errors).toMatch(/^Unknown stage nowhere: stages\/nowhere\.json does not exist\. [^\n]+\n$/);
  });
});
