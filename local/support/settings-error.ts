/**
 * Thrown when the stack will not start or run what it was asked to. The message is for the person at the keyboard: it
 * says what is wrong and what to do next, and is printed without a stack trace.
 */
export class LocalRefusal extends Error {
  override readonly name = "LocalRefusal";
}
