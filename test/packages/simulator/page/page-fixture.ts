import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, inject } from "vitest";
import type { AppReport } from "../../../../packages/simulator/src/host.ts";
import { simulatorPageUrl } from "../../../../packages/simulator/src/page-url.ts";
import { startSimulator } from "../../../../packages/simulator/src/simulator.ts";
import { unconnectedAccounts } from "../../../../packages/simulator/src/world/seed.ts";
import { controlHeaders, testControlToken } from "../../../support/access/control-token.ts";
import { accessibilityViolations } from "../../../web/support/accessibility.ts";
import { testBrowser } from "../../../web/support/browser.ts";
import { testAccounts, testSecrets } from "../simulator-fixture.ts";

interface NamedAccount {
  account: string;
  connection: string;
}
export const instagram: NamedAccount = {
  account: testAccounts.login.externalId,
  connection: testAccounts.login.connection,
};
export const messenger: NamedAccount = {
  account: testAccounts.messenger.externalId,
  connection: testAccounts.messenger.connection,
};

/** The page to which the receiver's answer to a deletion of data links. */
export const deletionPage = "https://app.example/deletions/4f2c";

/** A simulator for the page, in a host that records what it is asked, and a receiver whose status can be changed. */
async function startPageSimulator() {
  const receiver = { status: 200, body: "EVENT_RECEIVED" };
  const server = createServer((request, response) => {
    request.resume();
    const isDeletion = request.url === "/platform/data-deletion";
    const answer = isDeletion ? JSON.stringify({ url: deletionPage, confirmation_code: "4f2c" }) : receiver.body;
    request.on("end", () => response.writeHead(receiver.status).end(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const advances: number[] = [];
  const report: AppReport = { message: null, deliveries: [], problem: null };
  const simulator = await startSimulator({
    port: 0,
    webhookBase: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    metaSecret: testSecrets.meta,
    instagramSecret: testSecrets.instagram,
    verifyToken: "verify-me",
    controlToken: testControlToken,
    accounts: [...Object.values(testAccounts), ...unconnectedAccounts],
    host: {
      async advanceClock(by) {
        advances.push(by);
        const { clock_offset_ms: offset } = await control<{ clock_offset_ms: number }>("/state");
        await control("/clock", { offset_ms: offset + by });
      },
      inspect: async () => report,
    },
  });
  async function control<Answer>(path: string, body?: unknown): Promise<Answer> {
    const request = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
    const headers = { ...controlHeaders(), "Content-Type": "application/json" };
    const answer = await fetch(`${simulator.url}/_sim${path}`, { ...request, headers });
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
    return (await answer.json()) as Answer;
  }
  return {
    url: simulator.url,
    /** The origin of the app that the simulator calls. */
    appUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    receiver,
    advances,
    report,
    control,
    async close() {
      await simulator.close();
      server.closeAllConnections();
      server.close();
    },
  };
}

/** A message as the simulator has it. */
interface Message {
  mid: string;
  text: string | null;
  edits: number;
  deleted: boolean;
  from: string;
  note: string | null;
  reactions: object;
  replyTo: string | null;
  attachments: { type: string }[];
}

/** The page asks for news every second and every one and a half: in the tests it waits 200 ms. */
const ASK_OFTEN = `{
  const { setTimeout } = window;
  window.setTimeout = (run, ms) => setTimeout(run, ms === 1000 || ms === 1500 ? 200 : ms);
}`;

/** One page in Chromium for all tests of a file, and a new person of the Instagram account for each. */
export function useSimulatorPage() {
  let simulator: Awaited<ReturnType<typeof startPageSimulator>>;
  let page: Page;
  let people = 0;
  const complaints: string[] = [];
  let owner = { ...instagram, person: "" };
  let name = "";

  beforeAll(async () => {
    simulator = await startPageSimulator();
    const context = await (await testBrowser()).newContext({
      viewport: { width: 1440, height: 900 },
      reducedMotion: "reduce",
    });
    await context.addInitScript(ASK_OFTEN);
    page = await context.newPage();
    page.setDefaultTimeout(15_000);
    await page.goto(simulatorPageUrl(simulator.url, testControlToken.value));
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("console", (line) => {
      if (line.type() === "error") complaints.push(line.text());
    });
  });
  afterAll(async () => {
    await page.context().close();
    await simulator.close();
  });
  beforeEach(async () => {
    complaints.length = 0;
    await openPerson();
  });

  /** Opens the page with a new person of an account. */
  async function openPerson(account: NamedAccount = instagram): Promise<void> {
    people += 1;
    name = `Person ${people}`;
    const { id } = await simulator.control<{ id: string }>("/people", { ...account, name });
    owner = { ...account, person: id };
    await page.goto(`${simulator.url}/#${encodeURIComponent(`${owner.connection}:${owner.account}`)}/${id}`);
    await page.reload();
    await page.getByRole("heading", { name, exact: true }).waitFor();
  }

  const message = (text: string) => page.locator(".message", { hasText: text });
  const inPage = <Value>(expression: string): Promise<Value> => page.evaluate(expression);
  return {
    get page() {
      return page;
    },
    get simulator() {
      return simulator;
    },
    /** The person of the test, with their account. */
    get owner() {
      return owner;
    },
    get name() {
      return name;
    },
    /** The errors of the page since the test began. */
    complaints,
    openPerson,
    message,
    inPage,
    /** The messages of the person, as the simulator has them. */
    async messages(): Promise<Message[]> {
      const { threads } = await simulator.control<{ threads: { person: string; messages: Message[] }[] }>("/state");
      return threads.find(({ person }) => person === owner.person)?.messages ?? [];
    },
    write: (text: string, more: object = {}) =>
      simulator.control<{ mid: string }>("/person-sends", { ...owner, text, ...more }),
    async chooseMore(text: string, entry: string): Promise<void> {
      await message(text).hover();
      await message(text)
        .getByRole("button", { name: /^More actions/ })
        .click();
      await page.getByRole("menuitem", { name: entry, exact: true }).click();
    },
    async openDetails(text: string): Promise<void> {
      await message(text).hover();
      await message(text)
        .getByRole("button", { name: /^Details of/ })
        .click();
    },
    panel: () => page.getByRole("tabpanel"),
    focusedName: () =>
      inPage<string>(`document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent`),
    /**
     * Checks the page with axe in both themes: in the full run, or always if the view is the one that stands for
     * others.
     */
    async expectAccessible(runs: "always" | "full run" = "full run"): Promise<void> {
      if (runs === "always" || inject("fullRun")) expect(await accessibilityViolations(page)).toEqual([]);
    },
  };
}
