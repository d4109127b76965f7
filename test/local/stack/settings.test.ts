import { expect, it } from "vitest";
import { LocalRefusal } from "#local-aws/support/local-refusal.ts";
import { LOCAL_HELP } from "../../../local/stack/help.ts";
import { readSettings, requestsHelp } from "../../../local/stack/settings.ts";
import { readPage } from "../../docs/markdown.ts";

const hosts = {
  facebook_www: "https://a.example",
  facebook_graph: "http://127.0.0.1:1/graph/",
  instagram_www: "https://c.example",
  instagram_api: "https://d.example",
  instagram_graph: "https://e.example",
};

it("the settings of a local stack have defaults", () => {
  expect(readSettings([], {})).toEqual({
    port: 8787,
    dataDir: ".parley",
    fresh: false,
    seedAccounts: true,
    strictEgress: false,
  });
});

it("the settings of a local stack come from the environment", () => {
  const env = {
    PARLEY_PORT: "0",
    PARLEY_DATA: "elsewhere",
    PARLEY_SEED: "0",
    PARLEY_PLATFORM_URLS: JSON.stringify(hosts),
    PARLEY_META_APP_SECRET: "m",
    PARLEY_INSTAGRAM_APP_SECRET: "i",
    PARLEY_VERIFY_TOKEN: "v",
    PARLEY_META_APP_ID: "11",
    PARLEY_INSTAGRAM_APP_ID: "22",
    PARLEY_EGRESS: "strict",
    PARLEY_IAM: "strict",
    PARLEY_SITE_URL: "https://parley.example/",
    PARLEY_SIGN_UP: "open",
    PARLEY_SIZE: "small",
    PARLEY_CONCURRENCY: "10",
    PARLEY_SQS_CHAOS: "0.25",
    PARLEY_DYNAMODB: "dynamodb-local",
    PARLEY_DYNAMODB_EXPOSED: "1",
    PARLEY_ORIGINS: "http://localhost:3000, https://app.example",
  };
  expect(readSettings([], env)).toEqual({
    port: 0,
    dataDir: "elsewhere",
    fresh: false,
    seedAccounts: false,
    platformUrls: { ...hosts, facebook_graph: "http://127.0.0.1:1/graph" },
    metaSecret: "m",
    instagramSecret: "i",
    verifyToken: "v",
    metaAppId: "11",
    instagramAppId: "22",
    strictEgress: true,
    strictIam: true,
    siteUrl: "https://parley.example",
    openSignUp: true,
    isSmall: true,
    concurrency: 10,
    sqsChaos: 0.25,
    engine: "dynamodb-local",
    exposedEngine: true,
    origins: ["http://localhost:3000", "https://app.example"],
  });
});

it("the settings of a local stack read a flag before its environment variable", () => {
  const flags = ["--port", "65532", "--data", "here", "--fresh"];
  expect(readSettings(flags, { PARLEY_PORT: "1", PARLEY_DATA: "there" })).toMatchObject({
    port: 65_532,
    dataDir: "here",
    fresh: true,
  });
});

it.each([
  ["a port that is not a number", ["--port", "http"], {}, /--port/],
  ["a port that leaves no room for the three after it", ["--port", "65533"], {}, /65532/],
  ["an unknown flag", ["--prot", "1"], {}, /--data <folder>/],
  ["a concurrency of zero", [], { PARLEY_CONCURRENCY: "0" }, /from 1 to 1000/],
  ["a concurrency above Lambda's quota", [], { PARLEY_CONCURRENCY: "1001" }, /from 1 to 1000/],
  ["an unknown size", [], { PARLEY_SIZE: "tiny" }, /small or standard/],
  ["an unknown egress", [], { PARLEY_EGRESS: "closed" }, /strict/],
  ["an unknown mode of access", [], { PARLEY_IAM: "on" }, /strict or open/],
  ["a demo without the simulator", ["--demo"], { PARLEY_PLATFORM_URLS: JSON.stringify(hosts) }, /--demo needs/],
  ["a demo without accounts", ["--demo"], { PARLEY_SEED: "0" }, /--demo needs/],
  ["platform URLs that are not JSON", [], { PARLEY_PLATFORM_URLS: "x" }, /not JSON/],
  ["platform URLs with one missing", [], { PARLEY_PLATFORM_URLS: '{"facebook_www":"https://a"}' }, /facebook_graph/],
  [
    "a platform URL that is none",
    [],
    { PARLEY_PLATFORM_URLS: JSON.stringify({ ...hosts, instagram_api: "ftp://x" }) },
    /instagram_api/,
  ],
  [
    "a site URL without https",
    [],
    { PARLEY_SITE_URL: "http://parley.example" },
    /Invalid PARLEY_SITE_URL.*Set it to an https URL/,
  ],
  ["a sign-up of another kind", [], { PARLEY_SIGN_UP: "yes" }, /PARLEY_SIGN_UP.*open or closed/],
  ["an engine of another name", [], { PARLEY_DYNAMODB: "sqlite" }, /dynoxide or dynamodb-local/],
  ["an exposed engine other than 0 and 1", [], { PARLEY_DYNAMODB_EXPOSED: "yes" }, /Set it to 0 or 1, or unset it/],
  ["an origin with a path", [], { PARLEY_ORIGINS: "http://a.example/" }, /such as http:\/\/localhost:3000/],
  ["any origin", [], { PARLEY_ORIGINS: "*" }, /such as http:\/\/localhost:3000/],
  ["a share above one", [], { PARLEY_SQS_CHAOS: "1.1" }, /0 to 1/],
  [
    "a seed other than 0 and 1",
    [],
    { PARLEY_SEED: "2" },
    /^Invalid PARLEY_SEED: "2"\. Set it to 0 or 1, or unset it\.$/,
  ],
  ["an empty data folder", ["--data", ""], {}, /^Missing data folder\. Set --data or PARLEY_DATA to a folder\.$/],
  ["a word that is no flag", ["start"], {}, /Valid flags/],
  ["a share that is not a number", [], { PARLEY_SQS_CHAOS: "yes" }, /0 to 1/],
])("the settings of a local stack reject %s and name the fix", (_what, flags, env, message) => {
  const read = () => readSettings(flags as string[], env as NodeJS.ProcessEnv);
  expect(read).toThrow(LocalRefusal);
  expect(read).toThrow(message);
});

it.each([[["--help"]], [["-h"]], [["--port", "1", "--help"]]])(
  "the help of npm run local is requested by %s",
  (flags) => {
    expect(requestsHelp(flags)).toBe(true);
  },
);

it("the help of npm run local is not requested by other flags", () => {
  expect(requestsHelp(["--port", "1", "--fresh"])).toBe(false);
});

it("the help of npm run local names every flag and every environment variable that docs/operate/local-stack.md lists", () => {
  // The sections after "Try it" are about other commands.
  const [settings = ""] = readPage("docs/operate/local-stack.md").split("\n## Try it");
  const names = [...settings.matchAll(/`(--\w+|PARLEY_\w+)`/g)].map(([, name]) => name);
  expect(names.length).toBeGreaterThan(8);
  expect(names.filter((name) => !LOCAL_HELP.includes(name ?? ""))).toEqual([]);
});
