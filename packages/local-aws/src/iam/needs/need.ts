/** The values of the condition keys of a request, by the names of the keys in lower case. A key without a value is absent. */
export type AccessContext = Readonly<Record<string, readonly string[]>>;

/** One action that a request needs, on one resource. A request may need several. */
export interface AccessNeed {
  /** `dynamodb:PutItem` */
  readonly action: string;
  /** The ARN. */
  readonly resource: string;
  readonly context: AccessContext;
  /** Why the context cannot be known. No statement with conditions allows such a need. */
  readonly unknown?: string;
}

/** The condition keys that the readers of requests know, in lower case. A key that ends in `:` stands for all that begin so. */
export const KNOWN_KEYS: readonly string[] = [
  "aws:principalaccount",
  "aws:principalarn",
  "aws:requestedregion",
  "aws:resourceaccount",
  "aws:securetransport",
  "dynamodb:enclosingoperation",
  "dynamodb:leadingkeys",
  "dynamodb:returnvalues",
  "dynamodb:select",
  "kms:encryptioncontext:",
  "kms:encryptioncontextkeys",
  "s3:delimiter",
  "s3:max-keys",
  "s3:prefix",
  "ses:fromaddress",
  "ses:fromdisplayname",
  "ses:recipients",
];

export function isKnownKey(key: string): boolean {
  const name = key.toLowerCase();
  return KNOWN_KEYS.some((known) => (known.endsWith(":") ? name.startsWith(known) : name === known));
}

/** A context of the keys that have a value. */
export function toContext(
  values: Readonly<Record<string, readonly string[] | string | null | undefined>>,
): AccessContext {
  const entries = Object.entries(values).map(([key, value]) => [key, [value ?? []].flat()] as const);
  return Object.fromEntries(entries.filter(([, list]) => list.length > 0));
}
