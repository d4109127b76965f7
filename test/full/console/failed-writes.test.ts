import { expect, it } from "vitest";
import { openedOnce } from "../../support/opened.ts";
import { startConsoleServer } from "../../web/support/console-server.ts";
import { openedBrowser } from "../../web/support/page-visit.ts";
import { type Failure, failures } from "./support/failures.ts";
import type { SmallWorld } from "./support/small-world.ts";
import { openFilledWorld } from "./support/states.ts";

// Each call that changes something fails in each way: there are words about it, and the next press makes it again.

const browser = openedBrowser();
const server = openedOnce(startConsoleServer);
const wide = { viewport: { width: 1440, height: 900 } };

interface Write {
  readonly call: string;
  readonly operation: string;
  readonly open: (world: SmallWorld) => Promise<unknown>;
  /** Makes the call, also again after it failed. */
  readonly press: (world: SmallWorld) => Promise<unknown>;
  /** Where the words about the failure stand. */
  readonly place: string;
  /** Words instead of those of the failure. */
  readonly words?: RegExp;
}

const button = (name: RegExp | string) => (world: SmallWorld) =>
  world.page.getByRole("button", { name }).filter({ visible: true }).last().click();
/** The button of a bubble that failed, or else the one of the composer. */
const againOr = (name: RegExp) => async (world: SmallWorld) => {
  const again = world.page.locator("[data-send]").getByRole("button", { name: /^(Send|Check) again/ });
  if (await again.isVisible()) await again.click();
  else await button(name)(world);
};
const thread = (id: string) => async (world: SmallWorld) => {
  await world.openThread(id);
  await world.page.locator("[data-message]").first().waitFor();
};
const written = (id: string) => async (world: SmallWorld) => {
  await thread(id)(world);
  await world.page.locator("textarea").fill("Yes");
};
const file = { name: "cup.png", mimeType: "image/png", buffer: Buffer.from("89504e470d0a1a0a", "hex") };
const attach = async (world: SmallWorld) => {
  const again = world.page.locator(".chip").getByRole("button", { name: "Try again" });
  if (await again.isVisible()) await again.click();
  else await world.page.locator("input[type=file]").setInputFiles(file);
};
const invite = { id: "inv_1", tenant: "north", name: "North", role: "agent", invited_by_email: "ben@example.com" };

const writes: readonly Write[] = [
  {
    call: "a name",
    operation: "PATCH /console/me",
    open: async (world) => {
      Object.assign(world.me, { name: null });
      await world.open();
      await world.page.getByLabel("Your name").fill("Mia");
    },
    press: button("Save"),
    place: ".problem",
  },
  {
    call: "an answer to an invite",
    operation: "POST /console/invites/{id}/accept",
    open: async (world) => {
      Object.assign(world.me, { invites: [invite] });
      world.workspaces.splice(0);
      await world.open();
    },
    press: button("Accept"),
    place: ".problem",
  },
  {
    call: "done",
    operation: "PATCH /v1/conversations/{id}",
    open: thread("993"),
    press: button(/^Done/),
    place: ".notice",
  },
  {
    call: "an erasure",
    operation: "DELETE /v1/conversations/{id}",
    open: async (world) => {
      await thread("993")(world);
      await button("Erase this person")(world);
      await world.page.getByLabel("Type user993 to confirm").fill("user993");
    },
    press: button(/^Erase$/),
    place: ".problem",
  },
  {
    call: "a reply",
    operation: "POST /v1/messages/reply",
    open: written("993"),
    press: againOr(/^Send/),
    place: "[data-send=failed], [data-send=unknown]",
    words: /Not sent:.+Send again|May have arrived.+Check again/s,
  },
  {
    call: "a message as a person",
    operation: "POST /v1/messages/human-agent",
    open: written("995"),
    press: againOr(/^Hold to check/),
    place: "[data-send=failed]",
    words: /Not sent:.+Send again/s,
  },
  {
    call: "the challenge of a check",
    operation: "POST /verify/holds/{id}/challenge",
    open: async (world) => {
      await written("995")(world);
      await button(/^Hold to check/)(world);
    },
    press: async (world) => {
      const again = world.page.getByRole("button", { name: "Send again" });
      if (await again.isVisible()) await again.click();
      await button("Send as Mia")(world);
    },
    place: ".check-card, [data-send=failed], [data-send=unknown]",
    words: /did not work|Too many tries|Not sent:.+|May have arrived/s,
  },
  ...["POST /v1/attachments/uploads", "POST /storage", "POST /v1/attachments"].map(
    (operation): Write => ({
      call: `the call ${operation} of an upload`,
      operation,
      open: thread("993"),
      press: attach,
      place: ".chip.bad",
      words: /The upload failed|The platform refused the file/,
    }),
  ),
  {
    call: "the end of an account",
    operation: "DELETE /v1/accounts/{id}",
    open: (world) => world.open("/app/acme/accounts"),
    press: async (world) => {
      await button("Disconnect")(world);
      await world.page.getByRole("dialog").getByRole("button", { name: "Disconnect" }).click();
    },
    place: ".notice",
  },
  {
    call: "a login",
    operation: "POST /oauth/instagram/start",
    open: (world) => world.open("/app/acme/accounts"),
    press: button("Connect Instagram"),
    place: ".notice",
  },
  {
    call: "the choice of a page",
    operation: "POST /oauth/messenger/select",
    open: (world) => world.open("/app/acme/accounts?choose=messenger"),
    press: button(/^Connect$/),
    place: ".page-choice .problem",
  },
];

/** A post to storage that a page of the network answers counts as done: the next call finds no file. */
const isStored = (operation: string, { answer }: Failure) => operation === "POST /storage" && answer.status === 200;

it.each(
  writes.flatMap((write) =>
    failures
      .filter((failure) => !isStored(write.operation, failure))
      .map((failure) => ({ ...write, failure, name: failure.name })),
  ),
)("$call that gets $name has words, and the next press makes the call again", async (write) => {
  const { operation, open, press, place, failure } = write;
  const world = await openFilledWorld(browser, server, wide);
  await open(world);
  world.failures.set(operation, failure.answer);
  const count = () => world.calls.filter((call) => call === operation).length;
  await press(world);
  await world.page
    .locator(place)
    .filter({ hasText: write.words ?? failure.words })
    .first()
    .waitFor();
  expect(await world.page.locator("[data-send=sending]").count()).toBe(0);
  world.failures.clear();
  if (failure.name === "401") await world.page.getByText("Your session has ended").waitFor({ state: "hidden" });
  const before = count();
  const isOver = await world.page
    .getByText("The time for the check is over.")
    .or(world.page.getByText("the time for the check is over."))
    .isVisible();
  if (!isOver) {
    await press(world);
    await expect.poll(count, { timeout: 4_000 }).toBeGreaterThan(before);
  }
  expect(world.complaints).toEqual([]);
  await world.page.context().close();
});
