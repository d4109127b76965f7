type Fields = Readonly<Record<string, unknown>>;

/** An answer of AWS that is an error: its name, the fields of its body, and `$fault` and `$metadata`, as the SDK has them. */
export class ServiceException extends Error {
  readonly $fault: "client" | "server";
  $metadata: { readonly httpStatusCode?: number; readonly requestId?: string | undefined };

  constructor({ message, name, $metadata = {}, $fault = "client", ...fields }: Fields) {
    super(String(message ?? "UnknownError"));
    Object.assign(this, fields);
    this.name = String(name ?? "Unknown");
    this.$fault = $fault as "client";
    this.$metadata = $metadata as object;
  }
}

/**
 * The class of one kind of error. An error is of the class if AWS gave it this name, as with the SDK's classes.
 * @param $fault who is at fault, if a test makes the error
 */
export function exceptionClass(kind: string, $fault: "client" | "server" = "client") {
  return class extends ServiceException {
    constructor(fields: Fields = {}) {
      super({ name: kind, $fault, ...fields });
    }

    static override [Symbol.hasInstance](value: unknown): boolean {
      return value instanceof Error && "$fault" in value && value.name === kind;
    }
  };
}
