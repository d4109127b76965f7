import type { PictureState } from "./states.ts";
import type { Visit } from "./visit.ts";

const rows = ({ page }: Visit) => page.locator(".row").first().waitFor();

/** A frame about a conversation of another person, as if they had just written. */
function newConversation({ answers }: Visit, like: Record<string, unknown>, number: number): void {
  const participant = { participant_id: `99${number}`, participant_name: `New Comer ${number}` };
  const id = String(like.id).replace(/[^#]+$/, participant.participant_id);
  const last_message_at = `2026-11-26T14:0${number}:00.000Z`;
  answers.push("conversation.updated", { conversation: { ...like, ...participant, id, last_message_at } });
}

let first: Record<string, unknown> = {};

/** The list of conversations. */
export const listStates: readonly PictureState[] = [
  { name: "list", steps: [(visit) => visit.list(), rows], shown: ".row .pill.person" },
  { name: "list-all", steps: [(visit) => visit.all(), rows], shown: ".row" },
  {
    name: "list-empty",
    steps: [
      ({ answers }) => answers.give("GET /v1/conversations", { conversations: [], next_cursor: null }),
      (visit) => visit.list(),
    ],
    shown: ".blank",
  },
  {
    name: "list-all-empty",
    steps: [
      ({ answers }) => answers.give("GET /v1/conversations", { conversations: [], next_cursor: null }),
      (visit) => visit.all(),
    ],
    shown: ".blank",
  },
  {
    name: "list-filtered-empty",
    steps: [
      (visit) => visit.list(),
      rows,
      async ({ page }) => void (await page.getByLabel("Window").selectOption({ label: "Closed" })),
    ],
    shown: ".blank",
  },
  {
    name: "list-filtered",
    steps: [
      (visit) => visit.list(),
      rows,
      async ({ page }) => void (await page.getByLabel("Window").selectOption({ label: "Closing within two hours" })),
      async ({ page }) => void (await page.getByLabel("Account").selectOption({ label: "marlow.ceramics" })),
      async ({ page }) => void (await page.getByLabel("Platform").selectOption("instagram")),
    ],
    shown: ".row",
  },
  {
    name: "list-loading",
    steps: [({ answers }) => answers.delay("GET /v1/conversations"), (visit) => visit.list()],
    shown: ".skeleton",
  },
  {
    name: "list-fails",
    steps: [({ answers }) => answers.refuse("GET /v1/conversations", 400, "invalid_request"), (visit) => visit.list()],
    shown: ".blank[role=alert]",
  },
  {
    name: "list-may-be-old",
    steps: [
      (visit) => visit.list(),
      rows,
      ({ answers }) => answers.refuse("GET /v1/conversations", 400, "invalid_request"),
      async ({ page }) => void (await page.evaluate('dispatchEvent(new Event("online"))')),
    ],
    shown: ".list .stale-line",
  },
  {
    name: "list-filters-fail",
    steps: [({ answers }) => answers.refuse("GET /v1/accounts", 400, "invalid_request"), (visit) => visit.list()],
    shown: ".list-head [role=alert]",
  },
  {
    name: "search",
    steps: [
      (visit) => visit.list(),
      rows,
      (visit) => visit.press("Search people and messages"),
      ({ page }) => page.locator(".search input").fill("ma"),
    ],
    shown: ".searched",
  },
  {
    name: "search-nothing",
    steps: [
      (visit) => visit.list(),
      rows,
      (visit) => visit.press("Search people and messages"),
      ({ page }) => page.locator(".search input").fill("zzzz"),
    ],
    shown: ".blank",
  },
  {
    name: "list-draft",
    steps: [
      (visit) => visit.thread("Camille Durand"),
      (visit) => visit.write("We do, two are left. Shall I put them aside until Friday"),
      async (visit) => {
        if (visit.isPhone) await visit.page.getByRole("link", { name: "Back to the list" }).click();
        else await visit.page.locator(".row", { hasText: "Margaret Ellis" }).click();
      },
    ],
    shown: ".row .draft",
  },
  {
    name: "list-new",
    steps: [
      ({ answers }) =>
        answers.change<{ conversations: Record<string, unknown>[] }>("GET /v1/conversations", (data) => {
          first = data.conversations[0] ?? first;
          return data;
        }),
      (visit) => visit.all(),
      rows,
      (visit) => visit.live(),
      ({ page }) => page.locator(".row").nth(4).hover(),
      ({ page }) => page.mouse.wheel(0, 160),
      async (visit) => {
        for (const number of [1, 2, 3]) newConversation(visit, first, number);
      },
    ],
    shown: ".waiting button",
  },
  {
    name: "notice",
    steps: [
      ({ answers }) => answers.refuse("PATCH /v1/conversations/*", 500, "internal_error"),
      (visit) => visit.thread("Margaret Ellis"),
      (visit) => visit.press(/^Done/),
    ],
    shown: ".notice.problem",
  },
];
