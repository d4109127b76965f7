/** One deliberate fault in the product's code, and the test that must notice it. */
export interface PlantedFault {
  /** What is wrong with the code, in a few words. Unique. */
  readonly name: string;
  /** The changed file, from the repository's root. */
  readonly file: string;
  /** The code that is replaced. It occurs exactly once in the file. */
  readonly search: string;
  readonly replacement: string;
  readonly killedBy: {
    readonly file: string;
    /** The test's own title as it stands in the file, without those of its groups. `%s`, `%i` and `%d` stand for any text. */
    readonly title: string;
  };
}
