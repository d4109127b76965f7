/**
 * A claim of a delivery was made, or its write had no answer; its attempt cannot be made, and giving it back failed too.
 * The endpoint was not called.
 */
export class UnreleasedClaim extends Error {
  override readonly name = "UnreleasedClaim";
  /** The claim's id. */
  readonly claim: string;

  /** @param cause why the attempt cannot be made */
  constructor(claim: string, cause: unknown) {
    super("A claim could not be given back.", { cause });
    this.claim = claim;
  }
}
