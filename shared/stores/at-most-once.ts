import type { UpdateCommand } from "@aws-sdk/lib-dynamodb";

/** Whether a request did anything is not known: its answer is lost, or the service failed over it. */
export class UnknownOutcome extends Error {
  override readonly name = "UnknownOutcome";
}

/**
 * Has the SDK ask again only where the service refused for certain, as when it throttles. A refusal, and an end that was
 * asked for, are thrown as they are; all else as an UnknownOutcome.
 */
export function atMostOnce(command: UpdateCommand): UpdateCommand {
  command.middlewareStack.add(
    (next) => async (args) => {
      try {
        return await next(args);
      } catch (error) {
        if (isRefusal(error) || (error instanceof Error && error.name === "AbortError")) throw error;
        throw new UnknownOutcome("Whether the table did it is not known.");
      }
    },
    // Around each attempt, within what makes the next one. A document command's own middleware is put in twice.
    { step: "finalizeRequest", priority: "normal", name: "atMostOnce", override: true },
  );
  return command;
}

function isRefusal(error: unknown): boolean {
  const { httpStatusCode = 0 } = (error as { $metadata?: { httpStatusCode?: number } })?.$metadata ?? {};
  return httpStatusCode >= 400 && httpStatusCode < 500;
}
