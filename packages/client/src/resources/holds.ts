import type { components } from "../api-types.ts";
import { ParleyError } from "../errors.ts";
import type { CallOptions, HttpClient } from "../http-client.ts";
import type { Body, Data } from "../operations.ts";

/** A held message as its check shows it, with its content while it waits. */
export type HeldMessage = components["schemas"]["HeldMessage"];

/** A held message and the secret that permits its check. */
export interface HoldLink {
  readonly hold_id: string;
  readonly secret: string;
}

/** What a person's browser computed for a challenge: its `token` and one number for each puzzle, in their order. */
export type Solution = Omit<Body<"POST /verify/holds/{hold_id}/complete">, "secret">;

/**
 * The check of a held message, in the browser of the person who typed it. The secret of the link is the only credential.
 * No call is retried.
 */
export function holdCalls(http: HttpClient) {
  return {
    /** The parts of `verify_url`. Throws a ParleyError `invalid_argument` for anything else. Makes no request. */
    readLink(verify_url: string | undefined): HoldLink {
      const hold_id = /[?&]hold=(\w+)/.exec(verify_url ?? "")?.[1];
      const secret = /#t=([\w-]+)$/.exec(verify_url ?? "")?.[1];
      if (hold_id !== undefined && secret !== undefined) return { hold_id, secret };
      const message = "Invalid link. Pass the verify_url of the response of messages.sendAsHumanAgent.";
      throw new ParleyError({ code: "invalid_argument", message });
    },
    /** Gets the message to confirm, or how its hold ended. */
    getMessage(link: HoldLink, options: CallOptions = {}): Promise<Data<"POST /verify/holds/{hold_id}">> {
      return http.request("POST /verify/holds/{hold_id}", { ...withSecret(link), ...options });
    },
    /** Creates a challenge: puzzles that take a browser a few seconds. */
    createChallenge(
      link: HoldLink,
      options: CallOptions = {},
    ): Promise<Data<"POST /verify/holds/{hold_id}/challenge">> {
      return http.request("POST /verify/holds/{hold_id}/challenge", { ...withSecret(link), ...options });
    },
    /**
     * Completes a challenge and sends the message, once. After an error without a response it may have been sent: read
     * `getMessage` before you repeat it.
     */
    complete(
      link: HoldLink,
      solution: Solution,
      options: CallOptions = {},
    ): Promise<Data<"POST /verify/holds/{hold_id}/complete">> {
      return http.request("POST /verify/holds/{hold_id}/complete", { ...withSecret(link, solution), ...options });
    },
  };
}

function withSecret<T extends object>({ hold_id, secret }: HoldLink, more: T = {} as T) {
  return { path: { hold_id }, body: { secret, ...more } };
}
