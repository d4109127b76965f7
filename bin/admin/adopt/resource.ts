import type { ExistingName } from "../../../lib/config/existing.ts";
import { CliError } from "../cli-error.ts";

/** A setting that a resource lacks, and the template would give it. */
export interface Lack {
  /** Such as `time to live`. */
  readonly name: string;
  /** One call, which may be repeated. @throws an error of AWS */
  set(): Promise<unknown>;
}

/** An existing resource that a setting names. */
export interface ExistingResource {
  readonly setting: ExistingName;
  /** What messages call it. */
  readonly kind: "table" | "key" | "bucket" | "secret";
  /** Its name, id or ARN. */
  readonly name: string;
  /** Changes nothing. @throws Misfit, or an error of AWS */
  inspect(): Promise<readonly Lack[]>;
}

/** A resource that the service cannot use. Its message is the problem and the fix, without the resource. */
export class Misfit extends CliError {}
