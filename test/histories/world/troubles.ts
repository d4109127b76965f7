import { DynamoDBServiceException } from "@aws-sdk/client-dynamodb";
import type { Millis } from "#base/kernel/time.ts";
import { type Fault, type FaultyOperation, isPossibleFault } from "../../support/faults.ts";
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

class ItemTooLarge extends DynamoDBServiceException {
  constructor() {
    const message = "Item size has exceeded the maximum allowed size";
    super({ name: "ValidationException", $fault: "client", message, $metadata: { httpStatusCode: 400 } });
  }
}

/** Gives each call to outside its turn, and the trouble that waits for it. */
export class Troubles {
  readonly #options: Options;
  readonly #armed: Trouble[] = [];
  /** The texts of messages that the table refuses to store. */
  readonly unstorable: string[] = [];
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

  /** @throws the table's refusal of an item that contains an unstorable text */
  refuseUnstorable({ client, input }: FaultyOperation): void {
    if (client !== "DynamoDBClient" || this.unstorable.length === 0) return;
    const text = JSON.stringify(input);
    if (this.unstorable.some((each) => text.includes(each))) throw new ItemTooLarge();
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
