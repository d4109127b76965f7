import { beforeAll, expect, it } from "vitest";
import type { TenantId } from "#base/kernel/tenant.ts";
import { MINUTE, SECOND } from "#base/kernel/time.ts";
import { sealSession } from "#features/access/sessions.ts";
import { setTenantStatus } from "#features/tenants/flows/tenant-status.ts";
import { openTestEnv } from "../../../support/flows/test-env.ts";
import { openedOnce } from "../../../support/opened.ts";
import { openApiApp } from "../../../support/routes/api-app.ts";
import { newSession, type TestSession, toTestSession } from "../../../support/routes/sessions.ts";
import { openCutOff } from "../../realtime/flows/support/no-stream.ts";
import { createTenant } from "../store/support/team-samples.ts";

let tenant: TenantId;
const testEnv = openedOnce(openTestEnv);
const api = openedOnce(() => openApiApp(testEnv));
beforeAll(async () => {
  tenant = await createTenant(testEnv.table);
});

type Headers = Readonly<Record<string, string>>;

const secondsLeft = () => Math.ceil((MINUTE - (testEnv.now() % MINUTE)) / SECOND);
const ask = (headers: Headers) => api.app.fetch(new Request("http://gateway/v1/accounts", { headers }), {});
const newMember = (of = tenant): Promise<TestSession> =>
  newSession({ table: testEnv.table, sessionKeys: api.ports.sessionKeys, now: testEnv.now() }, [[of, "agent"]]);

/** Sends 1,000 requests at once, in turn with each of the headers. @returns what the answers say about the limit */
async function sendThousand(...headers: Headers[]) {
  const requests = Array.from({ length: 1_000 }, (_, i) => ask(headers[i % headers.length] ?? {}));
  const answers = await Promise.all(requests);
  const [accepted, refused] = [200, 429].map((status) => answers.filter((answer) => answer.status === status));
  const valuesOf = (responses: Response[] = [], name: string) => [
    ...new Set(responses.map((r) => r.headers.get(name))),
  ];
  return {
    accepted: accepted?.length,
    refused: refused?.length,
    retryAfter: valuesOf(refused, "retry-after"),
    refusedRemaining: valuesOf(refused, "ratelimit-remaining"),
    reset: valuesOf(answers, "ratelimit-reset"),
    limit: valuesOf(answers, "ratelimit-limit"),
    /** Each accepted answer has another number of requests that are left. */
    remaining: valuesOf(accepted, "ratelimit-remaining")
      .map(Number)
      .sort((a, b) => a - b),
    bodies: new Set(await Promise.all((refused ?? []).map((answer) => answer.text()))),
  };
}

function expected() {
  const seconds = String(secondsLeft());
  return {
    accepted: 600,
    refused: 400,
    retryAfter: [seconds],
    refusedRemaining: ["0"],
    reset: [seconds],
    limit: ["600"],
    remaining: Array.from({ length: 600 }, (_, i) => i),
    bodies: new Set([expect.stringContaining('"code":"rate_limited"')]),
  };
}

it("of 1,000 requests of one key at once, 600 pass and 400 are 429 with the seconds to the next minute", async () => {
  const key = await api.newKey(tenant);
  expect(await sendThousand({ authorization: `Bearer ${key}` })).toEqual(expected());
});

it("of 1,000 requests of one person at once, in two browsers, 600 pass and 400 are 429", async () => {
  const person = await newMember();
  const ring = await api.ports.sessionKeys();
  const other = toTestSession(
    person.userId,
    await sealSession(ring, { userId: person.userId, epoch: 0, now: testEnv.now() }),
  );
  expect(await sendThousand(person.headers, other.headers)).toEqual(expected());
  // Neither another member of the tenant nor its keys have spent a request.
  const [key, colleague] = [await api.newKey(tenant), await newMember()];
  for (const headers of [{ authorization: `Bearer ${key}` }, colleague.headers]) {
    expect((await ask(headers)).headers.get("ratelimit-remaining")).toBe("599");
  }
  testEnv.advance(secondsLeft() * SECOND);
  expect((await ask(person.headers)).headers.get("ratelimit-remaining")).toBe("599");
});

it.each(["key", "session"])(
  "the requests of a suspended tenant's %s count, and the 601st of a minute is 429",
  async (credential) => {
    const suspended = await createTenant(testEnv.table);
    const person = await newMember(suspended);
    const headers = credential === "key" ? { authorization: `Bearer ${await api.newKey(suspended)}` } : person.headers;
    await setTenantStatus(
      openCutOff(testEnv.table),
      suspended,
      { status: "suspended", author: { actor: "cli" } },
      testEnv.now(),
    );
    testEnv.advance(secondsLeft() * SECOND);
    const answers = await Promise.all(Array.from({ length: 601 }, () => ask(headers)));
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(600).fill(403), 429]);
    const remaining = answers.map((answer) => Number(answer.headers.get("ratelimit-remaining")));
    expect(remaining.sort((a, b) => a - b)).toEqual([0, ...Array(600).keys()]);
    for (const answer of answers) {
      expect([answer.headers.get("ratelimit-limit"), answer.headers.get("ratelimit-reset")]).toEqual(["600", "60"]);
    }
  },
);

it("a write that is refused as forged does not count", async () => {
  const person = await newMember();
  const forged = await api.app.fetch(
    new Request("http://gateway/v1/messages/reply", { method: "POST", headers: person.headers, body: "{}" }),
    {},
  );
  expect([forged.status, forged.headers.get("ratelimit-remaining")]).toEqual([403, null]);
  expect((await ask(person.headers)).headers.get("ratelimit-remaining")).toBe("599");
});
