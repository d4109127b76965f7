import type { Millis } from "../../../shared/kernel/time.ts";
import { type Fault, isPossibleFault } from "../../support/faults.ts";
import { currentProcess, untilRunning } from "../../support/world/processes.ts";
import type { FunctionName } from "../cloud/functions.ts";
import type { Lambda } from "../cloud/lambda.ts";
import type { Engine } from "../engine/engine.ts";

/**
 * What happens at one call of an invocation:
 * - `before`: its process dies before the call; `after`: behind the call, without its response
 * - `freeze`: its process stands still for a while before the call; `freeze_after`: with the response
 * - the others: see `Fault`
 */
export type TroubleKind = "before" | "after" | "freeze" | "freeze_after" | Exclude<Fault, "pass" | "crash">;

/** A trouble of the next invocation of a function that makes so many calls. */
export interface Trouble {
  readonly name: FunctionName;
  /** The index of the call within its invocation. */
  readonly call: number;
  readonly kind: TroubleKind;
  readonly millis?: Millis;
}

interface Options {
  readonly engine: Engine;
  readonly lambda: () => Lambda;
}

/** Gives each call to outside its turn, and the trouble that waits for it. */
export class Troubles {
  readonly #options: Options;
  readonly #armed: Trouble[] = [];
  /** Calls of the set-up neither wait nor fail. */
  isOff = true;

  constructor(options: Options) {
    this.#options = options;
  }

  arm(trouble: Trouble): void {
    this.#armed.push(trouble);
  }

  disarm(): void {
    this.#armed.length = 0;
  }

  /** Waits for the turn of the current process's call. */
  async decide(operation: string): Promise<Fault> {
    if (this.isOff) return "pass";
    await this.#options.engine.turn();
    await untilRunning();
    const process = currentProcess();
    const counted = process && this.#options.lambda().countCall(process);
    if (!process || !counted) return "pass";
    const index = this.#armed.findIndex(({ name, call }) => name === counted.name && call === counted.call);
    const [trouble] = index < 0 ? [] : this.#armed.splice(index, 1);
    if (!trouble) return "pass";
    const { engine, lambda } = this.#options;
    switch (trouble.kind) {
      case "before":
        lambda().kill(process);
        return new Promise(() => {});
      case "after":
        // The call is done at once; everything after it waits forever.
        lambda().kill(process);
        return "pass";
      case "freeze":
      case "freeze_after":
        process.freeze();
        engine.plan(engine.now() + (trouble.millis ?? 0), () => process.thaw());
        if (trouble.kind === "freeze") await untilRunning();
        return "pass";
      default:
        // A fault that AWS would not answer to this operation does not happen.
        return isPossibleFault(trouble.kind, operation) ? trouble.kind : "pass";
    }
  }
}
