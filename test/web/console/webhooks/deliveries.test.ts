import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { ParleyError } from "#client";
import { anyTime } from "../../../../web/console/admin/time-range.ts";
import { signedRequest } from "../../../../web/console/webhooks/curl.ts";
import {
  allDeliveries,
  deliveryQuery,
  isFiltered,
} from "../../../../web/console/webhooks/deliveries/delivery-filter.ts";
import {
  answerWords,
  durationWords,
  isSuccess,
  isUnderWay,
  statuses,
} from "../../../../web/console/webhooks/deliveries/delivery-words.ts";
import { countRange, replayRange } from "../../../../web/console/webhooks/deliveries/replay-range.ts";
import { jsonParts } from "../../../../web/console/webhooks/json-parts.ts";

const never = new AbortController().signal;
const lost = new ParleyError({ code: "connection_failed", message: "lost" });

it("a filter of what was not delivered names every status but delivered", () => {
  expect(deliveryQuery({ ...allDeliveries, status: "undelivered" }).status?.split(",")).toEqual(
    statuses.filter((status) => status !== "delivered"),
  );
  expect(deliveryQuery({ status: "dlq", eventType: "message.sent", range: { ...anyTime, from: "a" } })).toEqual({
    status: "dlq",
    event_type: "message.sent",
    from: "a",
  });
  expect([isFiltered(allDeliveries), isFiltered({ ...allDeliveries, status: "dlq" })]).toEqual([false, true]);
});

it("the end of an attempt has words for each class of error, and none where it is not known", () => {
  expect(answerWords(503, "status")).toBe("503");
  expect(answerWords(null, "timeout")).toBe("no answer in time");
  expect(answerWords(200, "too_large")).toBe("200, answer too large");
  expect(answerWords(null, null)).toBe("");
  expect(durationWords(15_000)).toBe("15,000 ms");
  const attempt = { attempt: 1, at: 0, duration_ms: 1, response: null };
  expect(isSuccess({ ...attempt, status: 204, error: null })).toBe(true);
  expect(isSuccess({ ...attempt, status: null, error: null })).toBe(false);
  expect(statuses.filter(isUnderWay)).toEqual(["pending", "attempting", "retrying"]);
});

it("a count reads page by page and stops at a thousand, or when it is asked to", async () => {
  const load = (pages: number) => async (cursor?: string) => {
    const page = Number(cursor ?? 0);
    return { count: 100, next: page + 1 < pages ? String(page + 1) : null };
  };
  const sums: number[] = [];
  expect(await countRange(load(3), (sum) => sums.push(sum), never)).toEqual({ count: 300, isMore: false });
  expect(sums).toEqual([100, 200, 300]);
  expect(await countRange(load(99), () => {}, never)).toEqual({ count: 1_000, isMore: true });
  const end = new AbortController();
  expect(await countRange(load(9), () => end.abort(), end.signal)).toEqual({ count: 100, isMore: true });
});

it("a replay goes on after a lost answer, and after a second one it ends where it can continue", async () => {
  const cursors: (string | undefined)[] = [];
  let failures = 1;
  const replay = async (cursor?: string) => {
    cursors.push(cursor);
    if (cursor === "2" && failures-- > 0) throw lost;
    const page = Number(cursor ?? 0);
    return { enqueued: 10, skipped: 1, next_cursor: page < 3 ? String(page + 1) : null };
  };
  const options = { from: null, onProgress: () => {}, signal: never };
  expect(await replayRange(replay, options)).toEqual({ started: 40, skipped: 4, cursor: null, problem: null });
  expect(cursors).toEqual([undefined, "1", "2", "2", "3"]);
  failures = 2;
  const stopped = await replayRange(replay, options);
  expect(stopped).toEqual({ started: 20, skipped: 2, cursor: "2", problem: lost });
  cursors.length = 0;
  expect(await replayRange(replay, { ...options, from: stopped })).toMatchObject({ started: 40, cursor: null });
  expect(cursors).toEqual(["2", "3"]);
});

it("a refused replay is not repeated", async () => {
  const refused = new ParleyError({ code: "forbidden", status: 403, message: "refused" });
  let calls = 0;
  const replay = async () => {
    calls += 1;
    throw refused;
  };
  const result = await replayRange(replay, { from: null, onProgress: () => {}, signal: never });
  expect([result.problem, calls]).toEqual([refused, 1]);
});

it("the copied command sends the body byte for byte with every sign of a shell, and signs time and body", () => {
  const body = JSON.stringify({ text: "It's $(id) `id` \"$HOME\" \\ \n 'x'; rm" });
  const url = "https://example.com/a?b=c&d='e'";
  const command = signedRequest({ url, body, eventId: "evt_1", eventType: "message.received" });
  // Programs that show what they get, in the place of the real ones.
  const shown = `
    date() { echo 1795348805; }
    openssl() { printf 'openssl %s\\n' "$*" >&2; printf 'signed:'; cat >&2; echo; }
    curl() { printf '%s\\0' "$@"; }
    SECRET=whs_secret
    ${command} 2>/dev/null`;
  const words = execFileSync("bash", ["-c", shown], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  const parts = words.split("\0");
  expect(parts).toContain(url);
  expect(parts.at(parts.indexOf("--data-binary") + 1)).toBe(body);
  expect(parts).toContain("Svc-Timestamp: 1795348805");
  expect(parts).toContain("Svc-Signature: v1=signed:");
  expect(command).toContain(`printf %s "$TIME.$BODY" | openssl dgst -sha256 -hmac "$SECRET"`);
});

it("JSON is shown whole, in parts of one kind, and what would move other characters is escaped", () => {
  const value = { text: 'a "b": 1', list: [1.5e3, null, true], hidden: "a\u202eb\u{e0041}\u2028c" };
  const parts = jsonParts(value);
  const shown = parts.map(({ text }) => text).join("");
  expect(JSON.parse(shown)).toEqual(value);
  const plain = { list: [], none: {}, nested: [{ a: null, b: [true, 1] }], text: "x" };
  expect(
    jsonParts(plain)
      .map(({ text }) => text)
      .join(""),
  ).toBe(JSON.stringify(plain, null, 2));
  expect(shown).not.toMatch(/[\u202e\u2028]|\u{e0041}/u);
  expect(parts.filter(({ kind }) => kind === "key").map(({ text }) => text)).toEqual(['"text"', '"list"', '"hidden"']);
  expect(parts.filter(({ kind }) => kind === "value").map(({ text }) => text)).toEqual(["1500", "null", "true"]);
  expect(parts.filter(({ kind }) => kind === "text")).toHaveLength(2);
});
