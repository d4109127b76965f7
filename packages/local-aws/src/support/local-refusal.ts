/** The local stack cannot do what was asked. The message names the problem and the fix, and is printed without a trace. */
export class LocalRefusal extends Error {
  override readonly name = "LocalRefusal";
}
