import { expect, it } from "vitest";
import { openedOnce } from "../../support/opened.ts";
import { runAdmin, runAdminJson } from "../support/admin.ts";
import type { ApiResponse } from "../support/api-response.ts";
import { openSharedStack } from "../support/local-stack.ts";

const stack = openedOnce(openSharedStack);

const admin = async (...args: string[]) =>
  (await runAdminJson(stack.dataDir, ...args)) as { secret: string; id?: string; keys?: { id: string }[] };
const statusAndCode = ({ status, body }: ApiResponse) => [status, body.ok ? "ok" : body.error.code];

it("a key that the API creates works until the API revokes it, and the command line lists it without its secret", async () => {
  const created = await stack.api("POST", "/v1/keys", { label: "help desk" });
  const { id, secret, prefix } = created.body.data as unknown as { id: string; secret: string; prefix: string };
  const response = await stack.api("GET", "/v1/keys", undefined, secret);
  expect(response.status).toBe(200);
  const { keys = [] } = await admin("key", "list", "--tenant", "demo");
  const listed = { id, prefix, scope: "live", label: "help desk", status: "active" };
  expect(keys.find((key) => key.id === id)).toMatchObject({ ...listed, last_used_at: expect.any(String) });
  const { code, output } = await runAdmin(stack.dataDir, "key", "list", "--tenant", "demo");
  expect([code, output]).toEqual([0, expect.stringContaining(`${id}  ${prefix}  live   active`)]);
  expect(output).not.toContain(secret.slice(13));

  expect((await stack.api("DELETE", `/v1/keys/${id}`)).body.data).toEqual({ revoked: true });
  expect(statusAndCode(await stack.api("GET", "/v1/keys", undefined, secret))).toEqual([401, "unauthorized"]);
});

it("the command line creates a key that is strict as `--strict` says, and without it by its scope", async () => {
  const isStrict = async (...settings: string[]) => {
    const { secret } = await admin("key", "create", "--tenant", "demo", ...settings);
    const { status } = await stack.api("GET", "/v1/keys?unknown=1", undefined, secret);
    return status === 400;
  };
  expect(await isStrict("--scope", "live")).toBe(false);
  expect(await isStrict("--scope", "live", "--strict", "yes")).toBe(true);
  expect(await isStrict("--scope", "test")).toBe(true);
  expect(await isStrict("--scope", "test", "--strict", "no")).toBe(false);
  const wrong = await runAdmin(
    stack.dataDir,
    "key",
    "create",
    "--tenant",
    "demo",
    "--scope",
    "test",
    "--strict",
    "maybe",
  );
  expect([wrong.code, wrong.errors]).toEqual([1, "Invalid --strict. Use yes or no.\n"]);
});

it("the command line revokes a tenant's key and an operator key, and names one that it does not find", async () => {
  const bound = await admin("key", "create", "--tenant", "demo", "--scope", "test");
  const operator = await admin("operator-key", "create", "--tenants", "demo");
  const read = (key: unknown) => stack.api("GET", "/v1/keys?tenant=demo", undefined, String(key));
  for (const { secret } of [bound, operator]) expect((await read(secret)).status).toBe(200);

  const revokeBound = ["key", "revoke", String(bound.id), "--tenant", "demo"];
  for (const _ of [1, 2]) expect(await admin(...revokeBound)).toMatchObject({ id: bound.id, status: "revoked" });
  expect(await admin("operator-key", "revoke", String(operator.id))).toMatchObject({ status: "revoked" });
  for (const { secret } of [bound, operator]) expect(statusAndCode(await read(secret))).toEqual([401, "unauthorized"]);
  const { keys = [] } = await admin("operator-key", "list");
  expect(keys.find(({ id }) => id === operator.id)).toMatchObject({ tenants: ["demo"], status: "revoked" });

  const foreign = await runAdmin(stack.dataDir, "operator-key", "revoke", String(bound.id));
  expect([foreign.code, foreign.output]).toEqual([1, ""]);
  expect(foreign.errors).toMatch(/^Operator key \S+ not found[^\n]+\n$/);
});

it("a key stays valid while the root secret is rotated, and a second rotation names the keys that were not used", async () => {
  const [used, unused] = await Promise.all(
    [1, 2].map(() => admin("key", "create", "--tenant", "demo", "--scope", "test")),
  );
  const read = async () => (await stack.api("GET", "/v1/keys", undefined, used?.secret)).status;
  const before = await stack.api("GET", "/v1/messages?limit=1");
  expect(await admin("rotate", "root")).toEqual({ rotated: true });
  expect(await read()).toBe(200);
  const early = await runAdmin(stack.dataDir, "rotate", "root", "--force");
  expect([early.code, early.output]).toEqual([1, ""]);
  expect(early.errors).toMatch(/^The last rotation is not complete\. Try again after [^\n]+\n$/);
  await stack.clock("PT6M");
  expect(await read()).toBe(200);
  expect((await stack.api("GET", "/v1/messages?limit=1")).status).toBe(before.status);
  const { code, output } = await runAdmin(stack.dataDir, "rotate", "root");
  expect(code).toBe(1);
  expect(output).toContain(unused?.id);
  expect(output).not.toContain(used?.id);
  expect(output).toMatch(/^Sessions from before the last rotation, valid until \S+Z\.$/m);
});

it("a key stays valid when the root secret is replaced as a leaked one, and the command says what it ended", async () => {
  const key = await admin("key", "create", "--tenant", "demo", "--scope", "test");
  const read = async () => (await stack.api("GET", "/v1/keys", undefined, key.secret)).status;
  expect(await read()).toBe(200);
  const replaced = (await runAdminJson(stack.dataDir, "rotate", "root", "--leaked")) as Record<string, string>;
  const time = expect.stringMatching(/^\d{4}-\S+Z$/);
  const ended = { sessions_of_people: 0, sockets: 0, sign_in_links: expect.any(Number), held_messages: 0 };
  expect(replaced).toEqual({ rotated: true, replaced_at: time, cached_until: time, ended });
  expect(await read()).toBe(200);
  const { code, output } = await runAdmin(stack.dataDir, "rotate", "root", "--leaked");
  expect(code).toBe(0);
  expect(output).toContain(`The root secret was replaced at ${replaced.replaced_at}, by an earlier run`);
  expect(output).toMatch(/^ {2}held messages: 0$/m);
  await stack.clock("PT6M");
  expect(await read()).toBe(200);
});
