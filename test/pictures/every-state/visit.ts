import type { Page } from "playwright-core";
import { inboxPath } from "../../../web/console/paths.ts";
import { type Demo, settle } from "../demo.ts";
import type { Answers } from "./answers.ts";

/** The width of the window from which the person stands beside the thread. */
const PERSON_BESIDE = 1240;
const PHONE_MAX = 719;

/** A person at the console, in a window of its own. */
export class Visit {
  readonly page: Page;
  readonly answers: Answers;
  readonly demo: Demo;
  readonly #conversations: ReadonlyMap<string, string>;

  constructor(page: Page, answers: Answers, demo: Demo, conversations: ReadonlyMap<string, string>) {
    this.page = page;
    this.answers = answers;
    this.demo = demo;
    this.#conversations = conversations;
  }

  get width(): number {
    return this.page.viewportSize()?.width ?? 0;
  }

  get isPhone(): boolean {
    return this.width <= PHONE_MAX;
  }

  /** The id of the conversation with a person of the demo. */
  conversation(person: string): string {
    const id = this.#conversations.get(person);
    if (id === undefined) throw new Error(`The demo has no conversation with ${person}.`);
    return id;
  }

  async open(path: string): Promise<void> {
    await this.page.goto(`${this.demo.local.base_url}${path}`);
  }

  /** Opens the list. */
  async list(): Promise<void> {
    await this.open("/app");
    await this.page.locator(".row, .blank, .skeleton").first().waitFor();
  }

  /** Waits until the stream is open. */
  async live(): Promise<void> {
    await this.page.locator(".live:not(.waiting)").waitFor({ state: "attached" });
  }

  async all(): Promise<void> {
    await this.list();
    await this.page.locator(".tabs button").nth(1).click();
  }

  async thread(person: string): Promise<void> {
    await this.open(inboxPath("demo", this.conversation(person)));
    await this.page.locator(".msgs:not([hidden]) .m").first().waitFor();
    await settle(this.page);
  }

  /** The pane about the person of the open thread: beside it, or over it. */
  async person(): Promise<void> {
    if (this.width < PERSON_BESIDE) await this.press("About this person");
  }

  async press(name: string | RegExp): Promise<void> {
    await this.page.getByRole("button", { name }).first().click();
  }

  async write(text: string): Promise<void> {
    await this.page.locator(".box textarea").fill(text);
  }

  async send(text: string): Promise<void> {
    await this.write(text);
    await this.page.keyboard.press("Control+Enter");
  }
}
