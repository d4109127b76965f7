import { describe, expect, test } from "vitest";
import { platformHttp } from "#platforms/graph/http.ts";
import { platformFor } from "#platforms/platforms.ts";
import { plantedIn, plantedText } from "../../support/files/planted-characters.ts";
import { openedOnce } from "../../support/opened.ts";
import { jsonResponse, startFakePlatform, TOKEN, textSend, upstreamAt } from "./fake-platform.ts";

const account = { platform: "messenger", externalId: "102030405060708", pageId: "102030405060708" } as const;
const HOUR = 3_600_000;
const platform = openedOnce(startFakePlatform);

async function sendRefused(
  error: object,
  headers: Record<string, string> = {},
  { status = 400, humanAgent = false }: { status?: number; humanAgent?: boolean } = {},
) {
  platform.respondWith(jsonResponse(status, { error }, headers));
  return platformFor("messenger", upstreamAt(platform.origin), platformHttp()).send(account, TOKEN, {
    ...textSend,
    humanAgent,
  });
}

describe("a refusal", () => {
  const needsReauth = { accountStatus: "needs_reauth" };
  const restricted = { accountStatus: "restricted" };
  const cools = { coolDownMs: 60_000 };
  test.each<[number, number | undefined, string, object?]>([
    [10, 2018278, "window"],
    [10, 2534022, "window"],
    [10, 2018065, "window"],
    [10, 1545041, "window"],
    [10, 2018108, "recipient"],
    [551, undefined, "recipient"],
    [551, 1545041, "recipient"],
    [200, 1545041, "recipient"],
    [10, 1893063, "restricted", restricted],
    [100, 2534029, "restricted", restricted],
    [2022, undefined, "restricted", restricted],
    [368, undefined, "restricted", restricted],
    [368, 1390008, "restricted", restricted],
    [10, 2534077, "permission", needsReauth],
    [100, 2534013, "permission", needsReauth],
    [200, 2534041, "permission", needsReauth],
    [10, undefined, "permission", needsReauth],
    [10, 0, "permission", needsReauth],
    [200, undefined, "permission", needsReauth],
    [200, 7, "permission", needsReauth],
    [3, undefined, "permission", needsReauth],
    [230, undefined, "permission"],
    [10, 9999999, "other"],
    [100, 2018001, "recipient"],
    [100, 2534014, "recipient"],
    [100, 33, "recipient"],
    [100, 2018008, "invalid", { transient: true }],
    [100, 2018294, "invalid", { transient: true }],
    [100, 2018047, "invalid"],
    [100, 2018109, "invalid"],
    [100, 2018074, "invalid"],
    [100, 2534015, "invalid"],
    [100, 1893061, "invalid"],
    [100, undefined, "invalid"],
    [2018300, undefined, "thread_owner"],
    [10, 2018300, "thread_owner"],
    [100, 2534037, "thread_owner"],
    ...[undefined, 458, 459, 460, 463, 464, 467].map(
      (subcode) => [190, subcode, "token", needsReauth] as [number, number | undefined, string, object],
    ),
    [4, undefined, "rate", cools],
    [17, undefined, "rate", cools],
    [32, undefined, "rate", cools],
    [613, undefined, "rate", cools],
    [613, 2534040, "rate", cools],
    [80001, undefined, "rate", cools],
    [80002, undefined, "rate", cools],
    [80006, undefined, "rate", cools],
    [613, 2018338, "other", { humanAgentPauseMs: 24 * HOUR }],
    [9000001, undefined, "other"],
    [36103, undefined, "other"],
    [123456, undefined, "other"],
  ])("%s/%s is of class %s with the consequences %o", async (code, error_subcode, expected, follows = {}) => {
    const message = `(#${code}) No`;
    expect(await sendRefused({ message, type: "OAuthException", code, error_subcode })).toEqual({
      kind: "refused",
      class: expected,
      detail: message,
      code,
      subcode: error_subcode ?? null,
      accountStatus: null,
      coolDownMs: null,
      humanAgentPauseMs: null,
      humanAgentRefused: false,
      transient: false,
      ...follows,
    });
  });

  test.each([1, 2, 1200])("a refusal of code %s with any subcode is an unknown outcome", async (code) => {
    for (const error_subcode of [undefined, 99, 2018300000]) {
      expect(await sendRefused({ message: "m", code, error_subcode })).toEqual({
        kind: "unknown",
        detail: "outcome_unknown",
      });
    }
  });

  test.each([1, 2, 1200])("a refusal of code %s that is marked as not transient is certain", async (code) => {
    const error = { message: "m", code, is_transient: false };
    expect(await sendRefused(error)).toMatchObject({ kind: "refused", class: "other", accountStatus: null });
    expect(await sendRefused(error, {}, { status: 500 })).toMatchObject({ kind: "unknown" });
  });

  test("a refusal about a file that is marked as not transient is permanent", async () => {
    const error = { message: "m", code: 100, error_subcode: 2018008 };
    expect(await sendRefused(error)).toMatchObject({ transient: true });
    expect(await sendRefused({ ...error, is_transient: false })).toMatchObject({ class: "invalid", transient: false });
  });

  test.each([2018028, 2018027, 2018021])(
    "200/%s is about the app and leaves the account active, and its detail says that the app needs review",
    async (error_subcode) => {
      for (const humanAgent of [false, true]) {
        const error = { message: "(#200) Cannot message users", code: 200, error_subcode };
        expect(await sendRefused(error, {}, { humanAgent })).toMatchObject({
          class: "permission",
          accountStatus: null,
          humanAgentRefused: false,
          detail:
            "(#200) Cannot message users The app may message only its own testers until it is live and has passed App Review.",
        });
      }
    },
  );

  test("a rate refusal that is marked as transient stays one", async () => {
    const error = { message: "Slow down", code: 613, is_transient: true };
    expect(await sendRefused(error, {}, { status: 429 })).toMatchObject({ kind: "refused", class: "rate" });
  });

  const usage = (...minutes: unknown[]) =>
    JSON.stringify({ "123": minutes.map((wait) => ({ type: "messenger", estimated_time_to_regain_access: wait })) });
  test.each([
    [usage(19), undefined, 19 * 60_000],
    [usage(5, 19, 7), undefined, 19 * 60_000],
    [usage(0.5), undefined, 30_000],
    [usage(0), undefined, 60_000],
    [usage("19"), undefined, 60_000],
    [usage(1e9), undefined, 24 * HOUR],
    ['{"123":{}}', undefined, 60_000],
    ["not json", undefined, 60_000],
    ["[]", undefined, 60_000],
    [undefined, "90", 90_000],
    [undefined, "soon", 60_000],
    [undefined, "0", 60_000],
    [undefined, "999999999", 24 * HOUR],
    [usage(19), "90", 19 * 60_000],
    [usage(1), "90", 90_000],
  ])("usage %s and Retry-After %s pause the account for %s ms", async (inUsage, retryAfter, coolDownMs) => {
    const headers = {
      ...(inUsage === undefined ? {} : { "x-business-use-case-usage": inUsage }),
      ...(retryAfter === undefined ? {} : { "retry-after": retryAfter }),
    };
    expect(await sendRefused({ message: "m", code: 80006 }, headers)).toMatchObject({ class: "rate", coolDownMs });
    expect(await sendRefused({ message: "m", code: 190 }, headers)).toMatchObject({ coolDownMs: null });
    expect(await sendRefused({ message: "m", code: 613, error_subcode: 2018338 }, headers)).toMatchObject({
      coolDownMs: null,
    });
  });

  test("a refusal with status 429 is a rate refusal when its code is unknown", async () => {
    const unlisted = { message: "m", code: 123456 };
    expect(await sendRefused(unlisted, {}, { status: 429 })).toMatchObject({ class: "rate", coolDownMs: 60_000 });
    expect(await sendRefused({ message: "m", code: 551 }, {}, { status: 429 })).toMatchObject({ class: "recipient" });
  });

  test.each([
    [10, undefined, "(#10) Application does not have permission for this action"],
    [10, 9999999, "(#10) Not approved"],
    [200, undefined, "(#200) Requires human_agent permission"],
    [3, undefined, "(#3) Application does not have the capability"],
    [100, undefined, "(#100) Invalid tag"],
    [100, 9999999, "(#100) HUMAN_AGENT is not enabled for this app"],
    [100, 1893061, "Invalid parameter"],
  ])("%s/%s of a tagged send affects the tag and not the account", async (code, error_subcode, message) => {
    const error = { message, code, error_subcode };
    expect(await sendRefused(error, {}, { humanAgent: true })).toMatchObject({
      humanAgentRefused: true,
      accountStatus: null,
    });
    expect(await sendRefused(error)).toMatchObject({ humanAgentRefused: false });
  });

  test.each([
    [10, 2018278, null],
    [10, 2534077, "needs_reauth"],
    [10, 1893063, "restricted"],
    [190, 460, "needs_reauth"],
    [613, 2018338, null],
    [551, undefined, null],
    [100, 2534015, null],
    [100, undefined, null],
  ])("%s/%s of a tagged send means the same as of any other", async (code, error_subcode, accountStatus) => {
    const error = { message: "(#1) No", code, error_subcode };
    const tagged = await sendRefused(error, {}, { humanAgent: true });
    expect(tagged).toEqual(await sendRefused(error));
    expect(tagged).toMatchObject({ humanAgentRefused: false, accountStatus });
  });

  const detailOf = async (message: unknown) => {
    const outcome = await sendRefused({ message, code: 190 });
    return outcome.kind === "refused" ? outcome.detail : null;
  };

  test("the detail of a refusal never contains a token", async () => {
    expect(await detailOf(`Bad token ${TOKEN}, ${TOKEN}.`)).toBe("Bad token [token], [token].");
    expect(await detailOf("for access_token=short1&x=1")).toBe("for [token]&x=1");
    expect(await detailOf('{"access_token": "short1"}')).toBe('{"[token]"}');
    expect(await detailOf("Authorization: Bearer short1 failed")).toBe("Authorization: [token] failed");
    expect(await detailOf("another one: IGAAsomeone-elses")).toBe("another one: [token]");
    expect(await detailOf(`code ${"x1".repeat(20)}`)).toBe("code [token]");
    const cut = await detailOf(`${"a ".repeat(142)}${TOKEN}`);
    expect(cut).not.toContain(TOKEN.slice(0, 4));
  });

  test("the detail of a refusal has no part of a token at which the read part of a long text ends", async () => {
    const padding = `${"x1".repeat(199)}. `.repeat(10).slice(9);
    const detail = await detailOf(`no ${padding}${TOKEN}${"x ".repeat(500_000)}`);
    expect(detail).toMatch(/^no \[token\]/);
    expect(detail).not.toContain(TOKEN.slice(0, 4));
    expect(await detailOf(`${"ü".repeat(3_990)}${TOKEN.repeat(10)}`)).toBe("ü".repeat(300));
  });

  test("the detail of a refusal has at most 300 characters on one line and is never empty", async () => {
    expect(await detailOf("a ".repeat(150))).toHaveLength(299);
    expect(await detailOf("a ".repeat(400))).toHaveLength(300);
    expect(await detailOf(`${"a ".repeat(149)}a😀`)).toHaveLength(299);
    expect(await detailOf("one\r\n\u0000two")).toBe("one two");
    for (const message of ["", "  ", undefined, null, 5, {}]) {
      expect(await detailOf(message)).toBe("The platform refused the message.");
    }
  });

  test("the detail of a refusal has no planted character, and a token that one splits is a token", async () => {
    const detail = await detailOf(plantedText("The platform", "said no."));
    expect(plantedIn(detail ?? "")).toEqual([]);
    expect(detail).toMatch(/^The platform.*said no\.$/);
    expect(await detailOf(`token ${TOKEN.slice(0, 6)}\u200b${TOKEN.slice(6)}`)).toBe("token [token]");
  });

  const detailWith = async (error: object) => {
    const outcome = await sendRefused({ code: 100, ...error });
    return outcome.kind === "refused" ? outcome.detail : null;
  };

  test("the detail of a refusal has the platform's text for people behind the technical one", async () => {
    const error_user_msg = "You can send this person a message again tomorrow.";
    expect(await detailWith({ message: "(#100) No", error_user_msg })).toBe(`(#100) No ${error_user_msg}`);
    expect(await detailWith({ message: `No. ${error_user_msg}`, error_user_msg })).toBe(`No. ${error_user_msg}`);
    expect(await detailWith({ error_user_msg })).toBe(error_user_msg);
    expect(await detailWith({ message: "(#100) No", error_user_msg: 5 })).toBe("(#100) No");
  });

  test("the text of a refusal for people has no token, and survives a long technical text", async () => {
    expect(await detailWith({ message: "No", error_user_msg: `See ${TOKEN}` })).toBe("No See [token]");
    const long = await detailWith({ message: "a ".repeat(400), error_user_msg: "Ask the page's owner." });
    expect(long).toMatch(/a Ask the page's owner\.$/);
    expect(long?.length).toBeLessThanOrEqual(300);
    expect(await detailWith({ message: "No", error_user_msg: "b ".repeat(400) })).toHaveLength(152);
  });

  test("codes are read as numbers or strings of digits", async () => {
    expect(await sendRefused({ message: "m", code: "190", error_subcode: "460" })).toMatchObject({
      class: "token",
      code: 190,
      subcode: 460,
    });
    expect(await sendRefused({ message: "m", code: {} })).toMatchObject({ class: "other", code: null, subcode: null });
  });
});
