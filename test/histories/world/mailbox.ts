import type { Mail, Mailer } from "#base/aws/mail.ts";
import { MINUTE, type Millis } from "#base/kernel/time.ts";
import { untilRunning } from "../../support/world/processes.ts";
import { ORIGIN } from "../cloud/ports.ts";
import type { Engine } from "../engine/engine.ts";
import type { Troubles } from "./troubles.ts";

interface Options {
  readonly engine: Engine;
  readonly troubles: Troubles;
}

/** As long as a link is valid. */
const WAITS: Millis = 15 * MINUTE;

/** The mailboxes of all people. */
export class Mailbox {
  readonly #options: Options;
  readonly #readers: { readonly address: string; readonly open: (path: string) => void }[] = [];

  constructor(options: Options) {
    this.#options = options;
  }

  /** The path of the next sign-in link to an address; null when none comes in 15 minutes. */
  nextLink(address: string): Promise<string | null> {
    const { engine } = this.#options;
    return new Promise((resolve) => {
      this.#readers.push({ address, open: resolve });
      engine.plan(engine.now() + WAITS, () => resolve(null));
    });
  }

  readonly mailer: Mailer = {
    send: async (mail) => {
      await untilRunning();
      await this.#options.troubles.decide("mail");
      this.#arrive(mail);
      await untilRunning();
      return "accepted";
    },
  };

  #arrive({ to, text }: Mail): void {
    const path = linkIn(text);
    if (path === null) return;
    const readers = this.#readers.filter(({ address }) => address === to);
    for (const reader of readers) {
      this.#readers.splice(this.#readers.indexOf(reader), 1);
      reader.open(path);
    }
  }
}

function linkIn(text: string): string | null {
  const url = /\S*\/console\/auth\/verify\?token=\S+/.exec(text)?.[0];
  return url?.slice(ORIGIN.length) ?? null;
}
