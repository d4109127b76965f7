import { messageOf, openWorld, personOf, type SmallWorld } from "./small-world.ts";

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

type Step = (world: SmallWorld) => Promise<unknown>;

const thread =
  (id: string): Step =>
  async (world) => {
    await world.openThread(id);
    await world.page.locator("[data-message]").first().waitFor();
  };
const button = (name: string | RegExp) => (world: SmallWorld) =>
  world.page.getByRole("button", { name }).first().click();

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
    steps: [(world) => world.open("/app/acme/accounts"), button("Disconnect")],
    shown: "dialog[open]",
  },
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
  { name: "an unknown page", steps: [(world) => world.open("/app/acme/weather")], shown: ".gate h1" },
];

export async function reach(world: SmallWorld, { steps, shown }: (typeof states)[number]): Promise<void> {
  for (const step of steps) await step(world);
  await world.page.locator(shown).first().waitFor();
}
