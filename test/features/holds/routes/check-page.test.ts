import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import type { LogLine } from "#base/aws/log.ts";
import { isRefusal } from "#base/kernel/refusals.ts";
import { startRequestTime } from "#base/kernel/request-time.ts";
import { iso, MINUTE, type Millis } from "#base/kernel/time.ts";
import { createHold } from "#features/holds/flows/create.ts";
import type { SendOutcome } from "#platforms/graph/platform.ts";
import { checkPageApp } from "../../../../functions/check-page/app.ts";
import { readCheckPage } from "../../../../functions/check-page/page-files.ts";
import { buildCheckPage } from "../../../../web/build.ts";
import { createApp } from "../../../support/conformance/observed-app.ts";
import { refusedOutcome } from "../../../support/flows/conversation-fixture.ts";
import { CANARY, type HoldFixture, newSourceIp, openHoldFixture } from "../../../support/flows/hold-fixture.ts";
import { openTestEnv, type TestEnv } from "../../../support/flows/test-env.ts";
import { answerOf, observePorts } from "../../../support/processes/work-left.ts";
import { siblingId } from "../../../support/stores/samples.ts";

const folder = mkdtempSync(join(tmpdir(), "check-page-"));
let testEnv: TestEnv;
let fixture: HoldFixture;
let app: ReturnType<typeof createApp>;
beforeAll(async () => {
  [testEnv] = await Promise.all([openTestEnv(), buildCheckPage(folder)]);
  fixture = await openHoldFixture(testEnv);
  await fixture.setPersonProfile({ handle: "mara.l", username: "mara.l", name: "Mara Lindqvist" });
  const ports = observePorts(fixture.checkPagePorts({ pageFiles: readCheckPage(folder) }));
  const log = (line: LogLine) => testEnv.lines.push(line);
  app = createApp({ ...checkPageApp(ports), now: testEnv.now, log, checkData: true });
});
afterAll(async () => {
  await testEnv.close();
  rmSync(folder, { recursive: true });
});

/** @param remaining the time left for the response */
async function post(path: string, body: unknown, sourceIp = newSourceIp(), remaining?: Millis) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const request = new Request(`http://gateway/verify/holds/${path}`, { method: "POST", body: text });
  const edge = { sourceIp, ...(remaining === undefined ? {} : { remaining }) };
  const response = await answerOf(async () => app.fetch(request, edge));
  return { status: response.status, headers: response.headers, text: await response.text() };
}
// biome-ignore lint/suspicious/noExplicitAny: the app validates each response against its schema
const readData = ({ text }: { text: string }): any => JSON.parse(text).data;
const readError = ({ text }: { text: string }) => JSON.parse(text).error;

describe("the check page API", () => {
  it("the check page API views, challenges and completes a hold with its secret only", async () => {
    const hold = await fixture.newHold();
    const secret = await fixture.secret(hold.id);
    const expectedHold = {
      id: hold.id,
      status: "awaiting_verification",
      expires_at: iso(hold.expiresAt),
      platform: "instagram",
      display_name: "Mara Lindqvist",
      participant_username: "mara.l",
      account_handle: "@shop",
      actor_id: "console:usr_1",
      actor_name: null,
      text: CANARY,
      attachments: 0,
      attachment_list: [],
    };
    const response = await post(hold.id, { secret });
    expect([response.status, readData(response)]).toEqual([200, { hold: expectedHold }]);
    expect(response.headers.get("cache-control")).toBe("no-store");
    const challenge = await post(`${hold.id}/challenge`, { secret });
    expect(readData(challenge)).toEqual({
      challenge: { c: 50, s: 32, d: 4 },
      token: expect.any(String),
      expires: testEnv.now() + 10 * MINUTE,
    });
    const { token, solutions } = await fixture.solvedAnswer(hold);
    const done = await post(`${hold.id}/complete`, { secret, token, solutions });
    expect([done.status, readData(done).hold]).toEqual([200, { ...expectedHold, status: "sent", text: "" }]);
    const after = await post(hold.id, { secret });
    expect([after.status, readError(after)]).toEqual([
      409,
      {
        code: "hold_expired",
        detail: "sent",
        message: "The held message has been sent. It is sent only once.",
        hold: { id: hold.id, status: "sent", platform: "instagram" },
      },
    ]);
  });

  it("the check page API says why a message failed when its link is opened again, on every route and without its text", async () => {
    const failed = await fixture.newHold();
    const detail = "(#551) This person isn't available.";
    fixture.setPlatformResponse(async () => ({ ...(refusedOutcome as object), detail }) as SendOutcome);
    const { secret, token, solutions } = await fixture.solvedAnswer(failed);
    await post(`${failed.id}/complete`, { secret, token, solutions });
    for (const [route, body] of [
      ["", {}],
      ["/challenge", {}],
      ["/complete", { token, solutions }],
    ] as const) {
      const again = await post(`${failed.id}${route}`, { secret, ...body });
      expect([again.status, readError(again)]).toMatchObject([
        409,
        {
          code: "hold_expired",
          detail: "failed",
          hold: {
            id: failed.id,
            status: "failed",
            platform: "instagram",
            error: { code: "send_failed", detail },
          },
        },
      ]);
      expect(again.text).not.toContain(CANARY);
    }
  });

  describe("with a platform that takes eleven seconds to answer", () => {
    const REMAINING = 24_500;
    afterEach(() => void vi.useRealTimers());

    async function startCompletion() {
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
      const [called, platformAnswer] = [Promise.withResolvers<void>(), Promise.withResolvers<SendOutcome>()];
      fixture.setPlatformResponse(() => {
        called.resolve();
        return platformAnswer.promise;
      });
      const hold = await fixture.newHold();
      const { secret, token, solutions } = await fixture.solvedAnswer(hold);
      let isAnswered = false;
      const answer = post(`${hold.id}/complete`, { secret, token, solutions }, newSourceIp(), REMAINING).finally(() => {
        isAnswered = true;
      });
      await called.promise;
      return { hold, answer, platformAnswer, isAnswered: () => isAnswered };
    }

    it("the check page API waits for a platform that takes eleven seconds, and leaves no call in progress", async () => {
      const { answer, platformAnswer, isAnswered } = await startCompletion();
      await vi.advanceTimersByTimeAsync(11_000);
      expect(isAnswered()).toBe(false);
      platformAnswer.resolve({ kind: "accepted", messageId: "m_late" });
      expect(readData(await answer).hold.status).toBe("sent");
    });
  });

  it("the check page API shows the attachments with the URLs that have one, and the error of a failed send", async () => {
    const attachments = [
      { type: "image", url: "https://example.com/a.png" },
      { type: "image", attachmentId: "1784" },
    ] as const;
    const hold = await fixture.newHold({ text: null, attachments });
    const { secret, token, solutions } = await fixture.solvedAnswer(hold);
    expect(readData(await post(hold.id, { secret })).hold).toMatchObject({
      text: "",
      attachments: 2,
      attachment_list: [
        { type: "image", url: "https://example.com/a.png" },
        { type: "image", url: null },
      ],
    });
    fixture.setPlatformResponse(async () => ({ kind: "unknown", detail: "outcome_unknown" }));
    const done = await post(`${hold.id}/complete`, { secret, token, solutions });
    expect(readData(done).hold).toMatchObject({
      status: "failed",
      error: {
        code: "send_failed",
        message: expect.stringMatching(/^The platform's response was lost/),
        detail: "outcome_unknown",
      },
    });
  });

  it("the check page API marks the message of a test key as a test", async () => {
    const message = { conversationId: fixture.conversation, replyTo: null, actorId: "a", text: "hi" };
    const actor = { caller: { ...fixture.caller, scope: "test" }, ip: null } as const;
    const hold = await createHold(fixture.apiPorts(), actor, message, startRequestTime(testEnv.now));
    if (isRefusal(hold)) throw new Error(hold.refused);
    const { secret, token, solutions } = await fixture.solvedAnswer(hold);
    expect(readData(await post(hold.id, { secret })).hold).toMatchObject({ test: true });
    const done = await post(`${hold.id}/complete`, { secret, token, solutions });
    expect(readData(done).hold).toMatchObject({ status: "sent", test: true });
  });

  it("the check page API answers a wrong secret and unknown, malformed and expired holds with the same bytes", async () => {
    const old = await fixture.newHold();
    testEnv.advance(30 * MINUTE);
    const hold = await fixture.newHold();
    const [secret, oldSecret] = [await fixture.secret(hold.id), await fixture.secret(old.id)];
    for (const route of ["", "/challenge", "/complete"]) {
      const rest = route === "/complete" ? { token: "t", solutions: [1] } : {};
      const responses = await Promise.all([
        post(`${hold.id}${route}`, { secret: siblingId(secret), ...rest }),
        post(`${siblingId(hold.id)}${route}`, { secret, ...rest }),
        post(`nothing${route}`, { secret, ...rest }),
        post(`${old.id}${route}`, { secret: oldSecret, ...rest }),
      ]);
      for (const { status, headers, text } of responses) {
        expect([status, text]).toEqual([404, responses[0]?.text]);
        expect([...headers].filter(([name]) => name !== "x-correlation-id")).toEqual([
          ["cache-control", "no-store"],
          ["content-type", "application/json; charset=utf-8"],
          ["x-content-type-options", "nosniff"],
        ]);
      }
    }
  });

  it("the check page API answers Retry-After after too many attempts", async () => {
    const source = newSourceIp();
    testEnv.advance(5 * MINUTE - (testEnv.now() % (5 * MINUTE)) + 60_000);
    for (let i = 0; i < 30; i++) await post("nothing", { secret: "x" }, source);
    const response = await post("nothing", { secret: "x" }, source);
    expect([response.status, response.headers.get("retry-after"), readError(response).code]).toEqual([
      429,
      "240",
      "rate_limited",
    ]);
  });

  it.each([
    ["no secret", {}, 400],
    ["a secret that is no text", { secret: 7 }, 400],
    ["what is not JSON", "{", 400],
    ["nothing", "", 400],
    ["more than 16 KB", JSON.stringify({ secret: "x".repeat(16 * 1024) }), 413],
  ])("the check page API refuses %s before it looks at anything", async (_what, body, status) => {
    const source = newSourceIp();
    for (let i = 0; i < 31; i++) expect((await post("nothing", body, source)).status).toBe(status);
    expect((await post("nothing", { secret: "x" }, source)).status).toBe(404);
  });

  it.each([[{ solutions: ["1"] }], [{ solutions: 1 }], [{ solutions: Array(301).fill(1) }], [{ token: 1 }]])(
    "the check page API refuses a completion with %j as malformed without counting it",
    async (rest) => {
      const hold = await fixture.newHold();
      const { secret, token, solutions } = await fixture.solvedAnswer(hold);
      for (let i = 0; i < 11; i++) {
        const response = await post(`${hold.id}/complete`, { secret, token, solutions, ...rest });
        expect(response.status).toBe(400);
      }
      expect(readData(await post(`${hold.id}/challenge`, { secret }))).toMatchObject({ challenge: { c: 50 } });
    },
  );
});

const get = (path: string, headers = {}) =>
  app.fetch(new Request(`http://gateway${path}`, { headers }), { sourceIp: newSourceIp() });

it.each([
  ["/verify", "index.en.html", "text/html; charset=utf-8", "no-store"],
  ["/verify/check.js", "check.js", "text/javascript; charset=utf-8", "no-cache"],
  ["/verify/check.css", "check.css", "text/css; charset=utf-8", "no-cache"],
  ["/verify/solver.js", "solver.js", "text/javascript; charset=utf-8", "no-cache"],
])("%s is the built %s, under a policy that lets nothing in or out", async (path, name, type, caching) => {
  const response = await get(path);
  expect(response.status).toBe(200);
  expect(await response.text()).toBe(readFileSync(join(folder, name), "utf8"));
  expect(Object.fromEntries(response.headers)).toMatchObject({
    "content-type": type,
    "cache-control": caching,
    "content-security-policy":
      "default-src 'none'; script-src 'self'; worker-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
  });
});

it("the check page is in the language that the browser prefers, and says that another browser gets another", async () => {
  const response = await get("/verify", { "accept-language": "de-CH,de;q=0.9,en;q=0.1" });
  expect(await response.text()).toBe(readFileSync(join(folder, "index.de.html"), "utf8"));
  expect(Object.fromEntries(response.headers)).toMatchObject({ "content-language": "de", vary: "accept-language" });
  const other = await get("/verify", { "accept-language": "nl" });
  expect(other.headers.get("content-language")).toBe("en");
});

it("the check page is not cached; unchanged assets are 304", async () => {
  const etag = (await get("/verify/check.js")).headers.get("etag") ?? "";
  const same = await get("/verify/check.js", { "if-none-match": etag });
  const type = "text/javascript; charset=utf-8";
  expect([same.status, await same.text(), same.headers.get("content-type")]).toEqual([304, "", type]);
  expect((await get("/verify/check.js", { "if-none-match": '"other"' })).status).toBe(200);
  const page = (await get("/verify")).headers.get("etag") ?? "";
  expect((await get("/verify", { "if-none-match": page })).status).toBe(200);
});

it.each(["/verify/", "/verify/index.html", "/verify/../check.js", "/verify/holds", "/verify/check.js.map"])(
  "the check page has nothing at %s",
  async (path) => {
    expect((await get(path)).status).toBe(404);
  },
);

it("the check page refuses other methods", async () => {
  const put = await app.request("/verify", { method: "PUT" });
  expect([put.status, put.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  const head = await app.request("/verify", { method: "HEAD" });
  expect([head.status, await head.text()]).toEqual([200, ""]);
});

it("an incomplete build prevents the function from starting", () => {
  const empty = mkdtempSync(join(tmpdir(), "check-page-"));
  expect(() => readCheckPage(empty)).toThrow("ENOENT");
  rmSync(empty, { recursive: true });
});
