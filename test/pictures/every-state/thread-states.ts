import { chooseFiles } from "../demo.ts";
import { EVERY_FILE, EVERY_KIND, LONG_NAME } from "./gallery.ts";
import type { PictureState } from "./states.ts";
import type { Visit } from "./visit.ts";

/** To the beginning of the thread. */
async function up({ page }: Visit): Promise<void> {
  await page.locator(".scroll").hover();
  for (let times = 0; times < 3; times++) {
    await page.mouse.wheel(0, -3000);
    await page.waitForTimeout(150);
  }
}

const hold = {
  id: "hold_01JDPICTURES000000000000000",
  status: "awaiting_verification",
  platform: "instagram",
  verify_url: "https://parley.example.com/verify?hold=hold_1#t=secret",
  expires_at: "2026-11-26T14:18:20.000Z",
  error: null,
};
const HOLD = "POST /v1/messages/human-agent";
const REPLY = "POST /v1/messages/reply";
const ANSWER = "Hello! Saturday from ten is fine. The bowl waits at the counter for you, wrapped as you asked.";

/** The thread with its composer, and the person. */
export const threadStates: readonly PictureState[] = [
  { name: "no-thread", steps: [(visit) => visit.list()], shown: ".row" },
  { name: "thread", steps: [(visit) => visit.thread("Priya Nair")], shown: ".box" },
  {
    name: "thread-writing",
    steps: [
      (visit) => visit.thread("Priya Nair"),
      (visit) => visit.page.locator(".m.in").first().hover(),
      (visit) => visit.page.locator(".m .answer").first().click(),
      (visit) => visit.write(`${ANSWER}\n${ANSWER}\n${ANSWER.repeat(8)}`),
    ],
    shown: ".reply-line",
  },
  { name: "thread-closing", steps: [(visit) => visit.thread("Camille Durand")], shown: ".rule.closing" },
  { name: "thread-person", steps: [(visit) => visit.thread("Hannah Okafor")], shown: ".foot.person" },
  { name: "thread-closed", steps: [(visit) => visit.thread("Sam Whitfield")], shown: ".closed-card" },
  {
    name: "thread-missing",
    steps: [(visit) => visit.open("/app/demo/inbox/instagram/1/2")],
    shown: ".thread .none h2",
  },
  {
    name: "thread-loading",
    steps: [
      ({ answers }) => answers.delay("GET /v1/conversations/*"),
      async (visit) => visit.list(),
      ({ page }) => page.locator(".row", { hasText: "Priya Nair" }).click(),
    ],
    shown: ".thread-head h2",
  },
  {
    name: "thread-fails",
    steps: [
      ({ answers }) => answers.refuse("GET /v1/conversations/*", 400, "invalid_request"),
      async (visit) => visit.list(),
      ({ page }) => page.locator(".row", { hasText: "Priya Nair" }).click(),
    ],
    shown: ".thread [role=alert]",
  },
  {
    name: "thread-may-be-old",
    steps: [
      (visit) => visit.thread("Priya Nair"),
      ({ answers }) => answers.refuse("GET /v1/conversations/*", 400, "invalid_request"),
      async ({ page }) => void (await page.evaluate('dispatchEvent(new Event("parley:signed-in"))')),
    ],
    shown: ".thread .stale-line",
  },
  { name: "kinds", steps: [(visit) => visit.thread(EVERY_KIND)], shown: ".bub" },
  { name: "kinds-above", steps: [(visit) => visit.thread(EVERY_KIND), up], shown: ".bub" },
  {
    name: "story-expired",
    steps: [
      ({ answers }) => answers.context.route(/\/media\/story-/, (route) => route.abort()),
      (visit) => visit.thread(EVERY_KIND),
      up,
    ],
    shown: ".quote",
  },
  { name: "media", steps: [(visit) => visit.thread(EVERY_FILE)], shown: ".gone-media" },
  { name: "media-above", steps: [(visit) => visit.thread(EVERY_FILE), up], shown: ".video" },
  { name: "long-words", steps: [(visit) => visit.thread(LONG_NAME)], shown: ".bub" },
  { name: "arabic", steps: [(visit) => visit.thread("ليلى حداد")], shown: ".bub" },
  { name: "program", steps: [(visit) => visit.thread("Noah Lindqvist")], shown: ".bub" },
  {
    name: "held-elsewhere",
    steps: [
      (visit) => visit.thread("Lucía Fernández"),
      (visit) => visit.live(),
      async (visit) =>
        visit.answers.push("hold.updated", {
          hold: { ...hold, conversation_id: visit.conversation("Lucía Fernández") },
        }),
    ],
    shown: ".held-elsewhere",
  },
  {
    name: "lightbox",
    steps: [(visit) => visit.thread("Priya Nair"), (visit) => visit.page.locator(".pic").first().click()],
    shown: ".lightbox[open] img",
  },
  {
    name: "lightbox-gone",
    steps: [
      (visit) => visit.thread(EVERY_FILE),
      (visit) => visit.page.locator(".pic").last().click(),
      (visit) => visit.page.keyboard.press("ArrowRight"),
    ],
    shown: ".lightbox[open] p",
  },
  {
    name: "held",
    steps: [
      ({ answers }) => answers.give(HOLD, { hold }, 201),
      (visit) => visit.thread("Hannah Okafor"),
      (visit) => visit.send(ANSWER),
    ],
    shown: ".check-card",
  },
  {
    name: "failed",
    steps: [
      ({ answers }) => answers.refuse(REPLY, 502, "send_failed", "(#551) This person isn't available right now."),
      (visit) => visit.thread("Camille Durand"),
      (visit) => visit.send(ANSWER),
    ],
    shown: "[data-send=failed]",
  },
  {
    name: "unknown",
    steps: [
      ({ answers }) => answers.lose(REPLY),
      (visit) => visit.thread("Camille Durand"),
      (visit) => visit.send(ANSWER),
    ],
    shown: "[data-send=unknown]",
  },
  {
    name: "sending",
    steps: [
      ({ answers }) => answers.delay(REPLY),
      (visit) => visit.thread("Camille Durand"),
      (visit) => visit.send(ANSWER),
    ],
    shown: "[data-send=sending]",
  },
  {
    name: "uploading",
    steps: [
      ({ answers }) =>
        answers.context.route(/./, (route) =>
          route.request().method() === "POST" &&
          route.request().url().includes("uploads") &&
          route.request().resourceType() !== "fetch"
            ? undefined
            : route.fallback(),
        ),
      (visit) => visit.thread("Camille Durand"),
      ({ page }) => chooseFiles(page),
    ],
    shown: ".chip.bad",
  },
  {
    name: "files",
    steps: [
      (visit) => visit.thread("Camille Durand"),
      ({ page }) => chooseFiles(page),
      (visit) => visit.write("We do! These two are left in green:"),
      ({ page }) => page.locator(".tray .p").first().waitFor({ state: "detached" }),
    ],
    shown: ".chip img",
  },
  {
    name: "emoji",
    steps: [(visit) => visit.thread("Priya Nair"), (visit) => visit.press("Emoji")],
    shown: ".emoji:popover-open",
  },
  { name: "person", steps: [(visit) => visit.thread("Priya Nair"), (visit) => visit.person()], shown: ".who" },
  {
    name: "person-closing",
    steps: [(visit) => visit.thread("Camille Durand"), (visit) => visit.person()],
    shown: ".who",
  },
  {
    name: "person-as-person",
    steps: [(visit) => visit.thread("Hannah Okafor"), (visit) => visit.person()],
    shown: ".who",
  },
  {
    name: "person-closed",
    steps: [(visit) => visit.thread("Sam Whitfield"), (visit) => visit.person()],
    shown: ".who",
  },
  { name: "person-long", steps: [(visit) => visit.thread(LONG_NAME), (visit) => visit.person()], shown: ".who" },
  {
    name: "erase",
    steps: [
      (visit) => visit.thread("Priya Nair"),
      (visit) => visit.person(),
      (visit) => visit.press("Erase this person"),
    ],
    shown: ".erase-form",
  },
  {
    name: "done",
    steps: [
      ({ answers }) =>
        answers.context.route(
          ({ pathname }) => /^\/v1\/conversations\/[^/]+$/.test(pathname),
          async (route) => {
            if (route.request().method() !== "PATCH") return route.fallback();
            const response = await route.fetch({ method: "GET" });
            const { data, ...rest } = (await response.json()) as { data: { conversation: object } };
            const conversation = { ...data.conversation, done_at: "2026-11-26T14:04:00.000Z", needs_reply: false };
            await route.fulfill({ json: { ...rest, data: { conversation } } });
          },
        ),
      (visit) => visit.thread("Camille Durand"),
      (visit) => visit.press(/^Done/),
    ],
    shown: ".notice",
  },
];
