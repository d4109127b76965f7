import { officeStates } from "./office-states.ts";
import { conversationId, messageOf, openWorld, personOf, type SmallWorld, workspace } from "./small-world.ts";

type Open = Parameters<typeof openWorld>;

/** A world with a person in each state of the messaging window: 993 open, 994 closing, 995 as a person, 996 closed. */
export async function openFilledWorld(...[browser, server, options]: Open): Promise<SmallWorld> {
  const world = await openWorld(browser, server, options);
  const hours = { "993": 1, "994": 23, "995": 30, "996": 170 };
  for (const [id, hoursAgo] of Object.entries(hours)) {
    world.add(personOf(id, hoursAgo, { participant_username: `user${id}` }), [
      messageOf(`${id}-1`, id, { text: "Do you have it? See https://example.com/" }),
      messageOf(`${id}-2`, id, { text: "", story: { kind: "reply", url: null, id: "s" } } as never),
      messageOf(`${id}-3`, id, {
        text: "Yes",
        direction: "outbound",
        sent_via: "api_in_window",
        actor_id: "console:usr_me",
      }),
      messageOf(`${id}-4`, id, { text: "Gone", deleted_at: new Date().toISOString() }),
    ]);
  }
  return world;
}

const PICTURES = /^https:\/\/[^/]+\.fbcdn\.net\//;
export const PICTURE = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
  "base64",
);
const cup = { name: "cup.png", mimeType: "image/png", buffer: PICTURE };

type Step = (world: SmallWorld) => Promise<unknown>;

const thread =
  (id: string): Step =>
  async (world) => {
    await world.openThread(id);
    await world.page.locator("[data-message]").first().waitFor();
  };
const button = (name: string | RegExp) => (world: SmallWorld) =>
  world.page.getByRole("button", { name }).first().click();

const person: Step = async ({ page }) => {
  if (!(await page.locator(".who").isVisible())) await button("About this person")({ page } as SmallWorld);
};
/** The media of the platforms are there again, and the thread of 993 ends with two pictures. */
export const withPictures: Step = async ({ page, messages }) => {
  await page.route(PICTURES, (route) => route.fulfill({ contentType: "image/png", body: PICTURE }));
  const attachments = ["a", "b"].map((name) => ({ type: "image", url: `https://scontent.fbcdn.net/${name}.png` }));
  messages.get(conversationId("993"))?.push(messageOf("993-5", "993", { text: "", attachments } as never));
};
const withInvites: Step = async ({ me }) => {
  const invite = { tenant: "north", name: "North", role: "agent" };
  me.invites = [
    { id: "inv_1", ...invite, invited_by_email: "ben@example.com" },
    { id: "inv_2", ...invite, name: "South", invited_by_email: null },
  ];
};
const withWorkspaces =
  (...list: ReturnType<typeof workspace>[]): Step =>
  async ({ workspaces }) =>
    void workspaces.splice(0, workspaces.length, ...list);

/** Every state of the console with the steps to it, and what shows that it is reached. */
export const states: readonly { readonly name: string; readonly steps: readonly Step[]; readonly shown: string }[] = [
  { name: "the list", steps: [(world) => world.open()], shown: ".row" },
  { name: "the list of all", steps: [(world) => world.open(), button("All")], shown: ".row" },
  {
    name: "the search",
    steps: [(world) => world.open(), button("Search people and messages")],
    shown: ".search input",
  },
  {
    name: "an empty list",
    steps: [async (world) => void world.conversations.clear(), (world) => world.open()],
    shown: ".blank",
  },
  {
    name: "a failed list",
    steps: [
      async (world) => void world.failures.set("GET /v1/conversations", { status: 400, code: "invalid_request" }),
      (world) => world.open(),
    ],
    shown: ".blank[role=alert]",
  },
  {
    name: "a list that may be incomplete",
    steps: [
      (world) => world.open(),
      (world) => world.page.locator(".row").first().waitFor(),
      async ({ failures }) => void failures.set("GET /v1/conversations", { status: 400, code: "invalid_request" }),
      ({ page }) => page.evaluate('dispatchEvent(new Event("online"))'),
    ],
    shown: ".list .stale-line",
  },
  {
    name: "filters without their accounts",
    steps: [
      async ({ failures }) => void failures.set("GET /v1/accounts", { status: 400, code: "invalid_request" }),
      (world) => world.open(),
    ],
    shown: ".list-head [role=alert]",
  },
  {
    name: "a thread that may be incomplete",
    steps: [
      thread("993"),
      async ({ failures }) => void failures.set("GET /v1/conversations/{id}", { status: 400, code: "invalid_request" }),
      ({ page }) => page.evaluate('dispatchEvent(new Event("parley:signed-in"))'),
    ],
    shown: ".thread .stale-line",
  },
  { name: "an open thread", steps: [thread("993")], shown: "textarea" },
  { name: "a closing thread", steps: [thread("994")], shown: ".rule.closing" },
  { name: "a thread as a person", steps: [thread("995")], shown: ".foot.person" },
  { name: "a closed thread", steps: [thread("996")], shown: ".closed-card" },
  { name: "a missing thread", steps: [(world) => world.openThread("999")], shown: ".thread .none h2" },
  {
    name: "a refused message",
    steps: [
      thread("993"),
      async ({ failures }) => void failures.set("POST /v1/messages/reply", { status: 409, code: "window_closed" }),
      (world) => world.page.locator("textarea").fill("Yes"),
      button(/^Send/),
    ],
    shown: "[data-send=failed]",
  },
  {
    name: "a held message",
    steps: [thread("995"), (world) => world.page.locator("textarea").fill("Yes"), button(/^Hold to check/)],
    shown: ".check-card",
  },
  { name: "the emoji", steps: [thread("993"), button("Emoji")], shown: ".emoji:popover-open" },
  { name: "the keys", steps: [(world) => world.open(), button("Keys and commands")], shown: "dialog[open]" },
  {
    name: "the palette",
    steps: [
      (world) => world.open(),
      (world) => world.page.locator(".row").first().waitFor(),
      (world) => world.page.keyboard.press("Control+k"),
    ],
    shown: "[role=option]",
  },
  { name: "the profile", steps: [(world) => world.open(), button("Profile")], shown: ".menu:popover-open" },
  { name: "the accounts", steps: [(world) => world.open("/app/acme/accounts")], shown: ".account-list li" },
  {
    name: "the question before an account is disconnected",
    steps: [(world) => world.open("/app/acme/accounts"), button("Manage Acme"), button("Disconnect")],
    shown: "dialog[open] .danger",
  },
  ...officeStates,
  {
    name: "the question for a name",
    steps: [async (world) => void Object.assign(world.me, { name: null }), (world) => world.open()],
    shown: ".gate input",
  },
  {
    name: "no workspace",
    steps: [async (world) => void world.workspaces.splice(0), (world) => world.open()],
    shown: ".gate form",
  },
  { name: "another workspace", steps: [(world) => world.open("/app/other/inbox")], shown: ".choices" },
  {
    name: "a picture over the page",
    steps: [withPictures, thread("993"), button("Picture")],
    shown: ".lightbox[open] img",
  },
  {
    name: "a picture over the page that is gone",
    steps: [
      withPictures,
      async ({ messages }) => {
        const pictures = messages.get(conversationId("993"))?.at(-1)?.attachments as unknown as {
          url: string | null;
        }[];
        pictures[1] = { ...pictures[1], url: null };
      },
      thread("993"),
      button("Picture"),
      button("Next"),
    ],
    shown: ".lightbox[open] p",
  },
  { name: "the person", steps: [thread("993"), person], shown: ".who" },
  {
    name: "the question before an erasure",
    steps: [
      thread("993"),
      person,
      button("Erase this person"),
      (world) => world.page.getByLabel("Type user993 to confirm").fill("user"),
    ],
    shown: "dialog.dialog[open] .erase-form",
  },
  {
    name: "the files with a refusal",
    steps: [
      thread("993"),
      async ({ failures }) =>
        void failures.set("POST /v1/attachments", {
          status: 202,
          data: { upload: { id: "upl_1", status: "processing" } },
        }),
      (world) => world.page.locator("input[type=file]").setInputFiles([cup, { ...cup, name: "table.png" }]),
      (world) => world.page.locator(".chip:not(.bad) img").nth(1).waitFor(),
      async ({ failures }) =>
        void failures.set("POST /v1/attachments/uploads", { status: 500, code: "internal_error" }),
      (world) => world.page.locator("input[type=file]").setInputFiles({ ...cup, name: "door.png" }),
      (world) =>
        world.page
          .locator("input[type=file]")
          .setInputFiles({ ...cup, name: "notes.exe", mimeType: "application/x-msdownload" }),
      (world) => world.page.locator(".chip.bad").nth(1).waitFor(),
    ],
    shown: ".chip.bad [role=alert]",
  },
  {
    name: "an ended session",
    steps: [
      thread("993"),
      async ({ failures }) => {
        for (const operation of ["GET /console/me", "PATCH /v1/conversations/{id}"])
          failures.set(operation, { status: 401, code: "unauthorized" });
      },
      button(/^Done/),
      button("Send a link"),
    ],
    shown: "dialog[open] [role=status]:not(:empty)",
  },
  {
    name: "no workspace but invites",
    steps: [withInvites, withWorkspaces(), (world) => world.open()],
    shown: ".invites li:nth-child(2)",
  },
  {
    name: "another workspace beside invites",
    steps: [withInvites, (world) => world.open("/app/other/inbox")],
    shown: ".choices + .invites",
  },
  {
    name: "a suspended workspace",
    steps: [
      withWorkspaces(workspace("acme", "Acme", { status: "suspended" }), workspace("north", "North")),
      (world) => world.open(),
    ],
    shown: ".gate .btn",
  },
  { name: "a notice with its undo", steps: [thread("993"), button(/^Done/)], shown: ".notice .link" },
  {
    name: "a notice of a problem",
    steps: [
      thread("993"),
      async ({ failures }) =>
        void failures.set("PATCH /v1/conversations/{id}", { status: 500, code: "internal_error" }),
      button(/^Done/),
    ],
    shown: ".notice.problem",
  },
  { name: "nothing that waits", steps: [(world) => world.open("/app/acme/waiting")], shown: ".all-well" },
  { name: "an unknown page", steps: [(world) => world.open("/app/acme/weather")], shown: ".gate h1" },
];

export async function reach(world: SmallWorld, { steps, shown }: (typeof states)[number]): Promise<void> {
  for (const step of steps) await step(world);
  await world.page.locator(shown).first().waitFor();
}
