import { afterEach, beforeEach, expect, it, vi } from "vitest";

/** The module of a page. The types of a page are not those of the tests. */
interface HoldCheck {
  passCheck(link: object, isHeld: () => boolean, onProgress: (progress: number) => void): Promise<object>;
}
const path = "../../../../web/console/inbox/composer/hold-check.ts";

const link = { holdId: "hold_1", secret: "secret" };
const challenge = { challenge: { c: 3, s: 32, d: 1 }, token: "token" };
const hold = (status: string, error: object | null = null) => ({
  hold: { status, platform: "instagram", expires_at: "2026-11-20T10:15:00Z", error },
});
type Answer = Response | "unreachable";
const ok = (data: object) => new Response(JSON.stringify({ ok: true, data }));
const refused = (status: number, code: string, more: object = {}, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify({ ok: false, error: { code, message: "It is refused.", ...more } }), { status, headers });
const page = (status: number) => new Response("<!doctype html>Wi-Fi", { status });

let answers: Answer[];
let calls: { path: string; body: Record<string, unknown> }[];
let worker: "solves" | "fails";

beforeEach(() => {
  [answers, calls, worker] = [[], [], "solves"];
  vi.stubGlobal("fetch", (path: string, { body }: { body: string }) => {
    calls.push({ path, body: JSON.parse(body) });
    const answer = answers.shift();
    return answer instanceof Response ? Promise.resolve(answer) : Promise.reject(new TypeError("Failed to fetch"));
  });
  vi.stubGlobal("navigator", { hardwareConcurrency: 2 });
  vi.stubGlobal(
    "Worker",
    class extends EventTarget {
      postMessage(): void {
        queueMicrotask(() =>
          this.dispatchEvent(
            worker === "solves" ? Object.assign(new Event("message"), { data: 7 }) : new Event("error"),
          ),
        );
      }
      terminate(): void {}
    },
  );
});
afterEach(() => vi.unstubAllGlobals());

async function check(all: Answer[], isHeld = () => true) {
  answers = all;
  const progress: number[] = [];
  const { passCheck } = (await import(/* @vite-ignore */ path)) as HoldCheck;
  const end = await passCheck(link, isHeld, (value) => progress.push(value));
  return { end, progress };
}

it("a check solves the challenge, completes the hold with its secret and says how it ended", async () => {
  const { end, progress } = await check([ok(challenge), ok(hold("sent"))]);
  expect(end).toEqual({ kind: "done", status: "sent", code: "", detail: "" });
  expect(progress.at(-1)).toBe(1);
  expect(calls).toEqual([
    { path: "/verify/holds/hold_1/challenge", body: { secret: "secret" } },
    { path: "/verify/holds/hold_1/complete", body: { secret: "secret", token: "token", solutions: [7, 7, 7] } },
  ]);
});

it("a message that the person took back during the check is not sent", async () => {
  const { end } = await check([ok(challenge)], () => false);
  expect(end).toEqual({ kind: "failed" });
  expect(calls).toHaveLength(1);
});

const done = (status: string, code: string, detail = "") => ({ kind: "done", status, code, detail });
const failed = { kind: "failed" };
const unknown = { kind: "unknown" };

it.each<[string, () => Answer, object]>([
  ["no connection", () => "unreachable", failed],
  ["a Wi-Fi page", () => page(200), failed],
  ["too many tries", () => refused(429, "rate_limited", {}, { "retry-after": "17" }), { kind: "wait", seconds: 17 }],
  ["a bare 429", () => page(429), { kind: "wait", seconds: 60 }],
  ["an expired hold", () => refused(410, "hold_expired"), done("expired", "hold_expired")],
  ["an unknown hold", () => refused(404, "hold_not_found"), done("expired", "hold_not_found")],
  ["a page that is not there", () => page(404), failed],
  ["an error of Parley", () => refused(500, "internal_error"), failed],
  ["a bare 502", () => page(502), failed],
  ["terms that are no challenge", () => ok({ challenge: { c: 1e9 }, token: "t" }), failed],
])("a hold whose challenge is answered by %s is not completed", async (_, answer, expected) => {
  const { end } = await check([answer()]);
  expect(end).toEqual(expected);
  expect(calls).toHaveLength(1);
});

it.each<[string, () => Answer, object]>([
  ["no connection", () => "unreachable", unknown],
  ["a Wi-Fi page", () => page(200), unknown],
  ["an error of Parley", () => refused(500, "internal_error"), unknown],
  ["a bare 502", () => page(502), unknown],
  ["too many tries", () => refused(429, "rate_limited", {}, { "retry-after": "17" }), { kind: "wait", seconds: 17 }],
  ["a wrong solution", () => refused(400, "verification_failed"), failed],
  [
    "a refusal of the platform",
    () => ok(hold("failed", { code: "send_failed", detail: "Blocked." })),
    done("failed", "send_failed", "Blocked."),
  ],
  [
    "a hold that failed before",
    () => refused(409, "hold_closed", { hold: hold("failed", { code: "send_failed", detail: "No." }).hold }),
    done("failed", "send_failed", "No."),
  ],
])("after %s instead of the end, a check says what is known", async (_, answer, expected) => {
  const { end } = await check([ok(challenge), answer()]);
  expect(end).toEqual(expected);
});

it("a browser that cannot run the solver completes nothing", async () => {
  worker = "fails";
  const { end } = await check([ok(challenge)]);
  expect(end).toEqual(failed);
  expect(calls).toHaveLength(1);
});
