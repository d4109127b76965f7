import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { platformHttp } from "../../../shared/platforms/http.ts";
import { platformFor } from "../../../shared/platforms/platform-for.ts";
import { json, startLoopback } from "./loopback.ts";

const TOKEN = "EAAB0token-of-a-page-0123456789";
const account = { platform: "messenger", externalId: "102030405060708", pageId: "102030405060708" } as const;
const send = { recipientId: "6543210987654321", text: "hi", replyTo: null, metadata: "snd_1" };

let platform: Awaited<ReturnType<typeof startLoopback>>;
beforeAll(async () => {
  platform = await startLoopback();
});
afterAll(() => platform.stop());

async function refusedWith(error: object, headers: Record<string, string> = {}, status = 400) {
  platform.answerWith(json(status, { error }, headers));
  const upstream = { facebookGraph: platform.origin, instagramGraph: platform.origin, graphVersion: "v26.0" };
  return platformFor("messenger", upstream, platformHttp()).sendText(account, TOKEN, send);
}

describe("a refusal", () => {
  test.each([
    [10, 2018278, "window"],
    [10, 2534022, "window"],
    [10, 2018065, "window"],
    [10, 1545041, "window"],
    [10, 2018108, "recipient"],
    [551, undefined, "recipient"],
    [551, 1545041, "recipient"],
    [200, 1545041, "recipient"],
    [100, 2018001, "recipient"],
    [100, 2534014, "recipient"],
    [100, 33, "recipient"],
    [10, 1893063, "restricted"],
    [100, 2534029, "restricted"],
    [2022, undefined, "restricted"],
    [10, 2534077, "permission"],
    [100, 2534013, "permission"],
    [200, 2534041, "permission"],
    [10, undefined, "permission"],
    [10, 0, "permission"],
    [200, 7, "permission"],
    [3, undefined, "permission"],
    [10, 9999999, "other"],
    [230, undefined, "other"],
    [2018300, undefined, "thread_owner"],
    [10, 2018300, "thread_owner"],
    [100, 2534037, "thread_owner"],
    [190, undefined, "token"],
    [190, 458, "token"],
    [190, 460, "token"],
    [190, 463, "token"],
    [4, undefined, "rate"],
    [17, undefined, "rate"],
    [32, undefined, "rate"],
    [613, undefined, "rate"],
    [613, 2534040, "rate"],
    [80001, undefined, "rate"],
    [80002, undefined, "rate"],
    [80006, undefined, "rate"],
    [613, 2018338, "other"],
    [100, undefined, "invalid"],
    [100, 2534015, "invalid"],
    [100, 1893061, "invalid"],
    [36103, undefined, "other"],
    [9000001, undefined, "other"],
  ])("%s/%s is of class %s", async (code, error_subcode, expected) => {
    const message = `(#${code}) No`;
    expect(await refusedWith({ message, type: "OAuthException", code, error_subcode })).toEqual({
      kind: "refused",
      class: expected,
      detail: message,
      code,
      subcode: error_subcode ?? null,
      retryAfterMs: null,
    });
  });

  test("a rate refusal stays one though it is marked as transient", async () => {
    const error = { message: "Slow down", code: 613, is_transient: true };
    expect(await refusedWith(error, {}, 429)).toMatchObject({ kind: "refused", class: "rate" });
  });

  const usage = (...minutes: unknown[]) =>
    JSON.stringify({ "123": minutes.map((wait) => ({ type: "messenger", estimated_time_to_regain_access: wait })) });
  test.each([
    [usage(19), 19 * 60_000],
    [usage(5, 19, 7), 19 * 60_000],
    [usage(0), null],
    [usage("19"), null],
    [usage(1e9), 86_400_000],
    ['{"123":{}}', null],
    ["not json", null],
    ["[]", null],
  ])("the usage header %s asks for a wait of %s ms", async (header, retryAfterMs) => {
    const headers = { "x-business-use-case-usage": header };
    expect(await refusedWith({ message: "m", code: 80006 }, headers)).toMatchObject({ class: "rate", retryAfterMs });
    expect(await refusedWith({ message: "m", code: 190 }, headers)).toMatchObject({ retryAfterMs: null });
  });

  const detailOf = async (message: unknown) => {
    const outcome = await refusedWith({ message, code: 190 });
    return outcome.kind === "refused" ? outcome.detail : null;
  };

  test("its detail never holds a token", async () => {
    expect(await detailOf(`Bad token ${TOKEN}, ${TOKEN}.`)).toBe("Bad token [token], [token].");
    expect(await detailOf("for access_token=short1&x=1")).toBe("for [token]&x=1");
    expect(await detailOf('{"access_token": "short1"}')).toBe('{"[token]"}');
    expect(await detailOf("Authorization: Bearer short1 failed")).toBe("Authorization: [token] failed");
    expect(await detailOf("another one: IGAAsomeone-elses")).toBe("another one: [token]");
    expect(await detailOf(`code ${"x1".repeat(20)}`)).toBe("code [token]");
    const cut = await detailOf(`${"a ".repeat(142)}${TOKEN}`);
    expect(cut).not.toContain(TOKEN.slice(0, 4));
  });

  test("its detail holds at most 300 characters on one line, and is never empty", async () => {
    expect(await detailOf("a ".repeat(150))).toHaveLength(299);
    expect(await detailOf("a ".repeat(400))).toHaveLength(300);
    expect(await detailOf(`${"a ".repeat(149)}a😀`)).toHaveLength(299);
    expect(await detailOf("one\r\n\u0000two")).toBe("one two");
    for (const message of ["", "  ", undefined, null, 5, {}]) {
      expect(await detailOf(message)).toBe("The platform refused the message.");
    }
  });

  test("codes that come as digits in a string are read; others are none", async () => {
    expect(await refusedWith({ message: "m", code: "190", error_subcode: "460" })).toMatchObject({
      class: "token",
      code: 190,
      subcode: 460,
    });
    expect(await refusedWith({ message: "m", code: {} })).toMatchObject({ class: "other", code: null, subcode: null });
  });
});
