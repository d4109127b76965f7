import { expect, it } from "vitest";
import { openedOnce } from "../../support/opened.ts";
import { startConsoleServer } from "../../web/support/console-server.ts";
import { openedBrowser } from "../../web/support/page-visit.ts";
import { type Failure, failures } from "./support/failures.ts";
import { type SmallWorld, workspace } from "./support/small-world.ts";
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
  /** The same for one failure, by its name. */
  readonly wordsOf?: Readonly<Record<string, RegExp>>;
  /** Shows what was typed, also after a failure. */
  readonly remains?: (world: SmallWorld) => Promise<unknown>;
  /** The session has ended before. */
  readonly isSignedOut?: boolean;
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
const hasValue = (label: string, value: string) => (world: SmallWorld) =>
  expect.poll(() => world.page.getByLabel(label).inputValue()).toBe(value);
const typed = (world: SmallWorld) => expect.poll(() => world.page.locator("textarea").inputValue()).toBe("Yes");
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
    call: "a refusal of an invite",
    operation: "POST /console/invites/{id}/decline",
    open: async (world) => {
      Object.assign(world.me, { invites: [invite] });
      await world.open("/app/other/inbox");
    },
    press: button("Decline"),
    place: ".problem",
  },
  {
    call: "a workspace",
    operation: "POST /console/tenants",
    open: async (world) => {
      world.workspaces.splice(0);
      await world.open();
      await world.page.getByLabel("Name", { exact: true }).fill("North");
      await world.page.getByLabel("Short name").fill("north");
    },
    press: button("Create"),
    place: ".problem",
    wordsOf: { "403": /Only the operator of this Parley creates workspaces/ },
    remains: hasValue("Short name", "north"),
  },
  {
    call: "a link for an ended session",
    operation: "POST /console/auth/request",
    open: async (world) => {
      await thread("993")(world);
      world.failures.set("GET /console/me", { status: 401, code: "unauthorized" });
      world.failures.set("PATCH /v1/conversations/{id}", { status: 401, code: "unauthorized" });
      await button(/^Done/)(world);
    },
    press: button(/^Send a link/),
    place: "dialog[open] [role=status]",
    words: /The link could not be sent\. .+/,
    isSignedOut: true,
  },
  {
    call: "a sign-out",
    operation: "POST /console/auth/logout",
    open: written("993"),
    press: async (world) => {
      await button("Profile")(world);
      await button("Sign out")(world);
    },
    place: ".notice.problem",
    remains: typed,
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
  {
    call: "the completion of a check",
    operation: "POST /verify/holds/{id}/complete",
    open: async (world) => {
      await written("995")(world);
      await button(/^Hold to check/)(world);
    },
    press: async (world) => {
      const again = world.page.locator("[data-send]").getByRole("button", { name: /^(Send|Check) again/ });
      if (await again.isVisible()) await again.click();
      await button("Send as Mia")(world);
    },
    place: ".check-card, [data-send=failed], [data-send=unknown]",
    words: /did not work|Too many tries|Not sent:.+|May have arrived/s,
    wordsOf: {
      "409": /Not sent:.+Send again/s,
      "429": /Too many tries. Wait 60 seconds/,
      "500": /May have arrived.+Check again/s,
      "a Wi-Fi page": /May have arrived.+Check again/s,
      "no connection": /May have arrived.+Check again/s,
    },
    remains: (world) => world.page.locator("[data-send]").getByText("Yes", { exact: true }).waitFor(),
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
      const dialog = world.page.getByRole("dialog");
      if ((await dialog.count()) === 0) {
        await button("Manage")(world);
        await dialog.getByRole("button", { name: "Disconnect" }).click();
        await dialog.getByText("Its conversations stay").waitFor();
      }
      await dialog.getByRole("button", { name: "Disconnect" }).click();
    },
    place: "dialog .problem",
  },
  {
    call: "a login",
    operation: "POST /oauth/instagram/start",
    open: (world) => world.open("/app/acme/accounts"),
    press: async (world) => {
      const way = world.page.getByRole("button", { name: "Continue with Instagram" });
      if ((await way.count()) === 0) await button("Connect an account")(world);
      await way.click();
    },
    place: "dialog .problem",
  },
  {
    call: "the choice of a page",
    operation: "POST /oauth/messenger/select",
    open: (world) => world.open("/app/acme/accounts?choose=messenger"),
    press: button(/^Connect$/),
    place: ".page-choice .problem",
  },
];

/** A sign-out without a session is one. */
const isSignedOutAlready = (operation: string, { name }: Failure) =>
  operation === "POST /console/auth/logout" && name === "401";
/** An account that does not exist is disconnected. */
const isDisconnectedAlready = (operation: string, { name }: Failure) =>
  operation === "DELETE /v1/accounts/{id}" && name === "404";
/** A post to storage that a page of the network answers counts as done: the next call finds no file. */
const isStored = (operation: string, { answer }: Failure) => operation === "POST /storage" && answer.status === 200;

it.each(
  writes.flatMap((write) =>
    failures
      .filter(
        (failure) =>
          !isStored(write.operation, failure) &&
          !isSignedOutAlready(write.operation, failure) &&
          !isDisconnectedAlready(write.operation, failure),
      )
      .map((failure) => ({ ...write, failure, name: failure.name })),
  ),
)("$call that gets $name has words, and the next press makes the call again", async (write) => {
  const { operation, open, press, place, failure, remains = async () => {} } = write;
  const world = await openFilledWorld(browser, server, wide);
  await open(world);
  world.failures.set(operation, failure.answer);
  const count = () => world.calls.filter((call) => call === operation).length;
  await press(world);
  await world.page
    .locator(place)
    .filter({ hasText: write.wordsOf?.[failure.name] ?? write.words ?? failure.words })
    .first()
    .waitFor();
  expect(await world.page.locator("[data-send=sending]").count()).toBe(0);
  await remains(world);
  world.failures.delete(operation);
  if (failure.name === "401" && !write.isSignedOut)
    await world.page.getByText("Your session has ended").waitFor({ state: "hidden" });
  const before = count();
  const isOver = await world.page
    .getByText("The time for the check is over.")
    .or(world.page.getByText("the time for the check is over."))
    .isVisible();
  if (isOver) {
    await button("Edit")(world);
    await typed(world);
  } else {
    await press(world);
    await expect.poll(count, { timeout: 15_000 }).toBeGreaterThan(before);
  }
  expect(world.complaints).toEqual([]);
  await world.page.context().close();
});

async function writeWorkspace(): Promise<SmallWorld> {
  const world = await openFilledWorld(browser, server, wide);
  world.workspaces.splice(0);
  await world.open("/app");
  await world.page.getByLabel("Name", { exact: true }).fill("Acme");
  await world.page.getByLabel("Short name").fill("acme");
  return world;
}

it("a workspace that was created although its answer was lost opens", async () => {
  const world = await writeWorkspace();
  world.failures.set("POST /console/tenants", { status: 0 });
  world.workspaces.push(workspace("acme", "Acme"));
  await button("Create")(world);
  await world.page.locator(".row").first().waitFor();
  expect(world.calls.filter((call) => call === "POST /console/tenants")).toHaveLength(1);
});

it("a workspace whose list cannot be read after its creation has words, and a double press creates one", async () => {
  const world = await writeWorkspace();
  world.failures.set("GET /console/tenants", { status: 403, code: "forbidden" });
  await world.page.getByRole("button", { name: "Create" }).dblclick();
  await world.page.getByText("The workspace was created. Reload the page to open it.").waitFor();
  expect(world.calls.filter((call) => call === "POST /console/tenants")).toHaveLength(1);
  world.failures.clear();
  world.workspaces.push(workspace("acme", "Acme"));
  await world.page.reload();
  await world.page.locator(".row").first().waitFor();
});

it("a sign-out without a session is one, and forgets the drafts", async () => {
  const world = await openFilledWorld(browser, server, wide);
  await written("993")(world);
  const drafts = () => world.page.evaluate<string | null>("localStorage.getItem('parley.drafts')");
  await expect.poll(drafts).toContain("Yes");
  world.failures.set("POST /console/auth/logout", { status: 401, code: "unauthorized" });
  await button("Profile")(world);
  await button("Sign out")(world);
  await world.page.getByRole("heading", { name: "Sign in" }).waitFor();
  expect((await drafts()) ?? "").not.toContain("Yes");
});
