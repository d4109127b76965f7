import { buildArn } from "../../provision/provision-context.ts";
import { type AccessNeed, toContext } from "./need.ts";

/** What an operation of SQS needs. A batch needs the action of its entries. */
export function queueNeeds(operation: string, body: unknown): AccessNeed[] {
  const { QueueUrl, QueueName, SourceArn } = (body ?? {}) as Readonly<Record<string, unknown>>;
  const name =
    QueueName ??
    String(QueueUrl ?? "")
      .split("/")
      .at(-1);
  const resource = SourceArn ?? (name === "" ? "*" : buildArn("sqs", String(name)));
  return [{ action: `sqs:${operation.replace(/Batch$/, "")}`, resource: String(resource), context: {} }];
}

interface KeyInput {
  readonly EncryptionContext?: Readonly<Record<string, string>>;
  readonly SourceEncryptionContext?: Readonly<Record<string, string>>;
  readonly DestinationEncryptionContext?: Readonly<Record<string, string>>;
  readonly KeyId?: string;
  readonly SourceKeyId?: string;
  readonly DestinationKeyId?: string;
  readonly CiphertextBlob?: string;
}

/** The ARN of the key that a request names, or that encrypted a ciphertext in base64. */
export type FindKey = (request: {
  readonly keyId?: string | undefined;
  readonly ciphertext?: string | undefined;
}) => string;

/** What an operation of KMS needs. */
export function keyNeeds(findKey: FindKey, operation: string, body: unknown): AccessNeed[] {
  const input = (body ?? {}) as KeyInput;
  const need = (action: string, resource: string, context: Readonly<Record<string, string>> = {}): AccessNeed => ({
    action: `kms:${action}`,
    resource,
    context: toContext({
      ...Object.fromEntries(
        Object.entries(context).map(([name, value]) => [`kms:encryptioncontext:${name.toLowerCase()}`, value]),
      ),
      "kms:encryptioncontextkeys": Object.keys(context),
    }),
  });
  if (operation === "ReEncrypt") {
    const source = findKey({ keyId: input.SourceKeyId, ciphertext: input.CiphertextBlob });
    const destination = findKey({ keyId: input.DestinationKeyId });
    return [
      need("ReEncryptFrom", source, input.SourceEncryptionContext),
      need("ReEncryptTo", destination, input.DestinationEncryptionContext),
    ];
  }
  // Without a key there is none to name: CreateKey, ListKeys.
  if (input.KeyId === undefined && input.CiphertextBlob === undefined) return [need(operation, "*")];
  const resource = findKey({ keyId: input.KeyId, ciphertext: input.CiphertextBlob });
  return [need(operation, resource, input.EncryptionContext)];
}

/** What an operation of Secrets Manager needs. */
export function secretNeeds(findSecret: (id: string) => string | null, operation: string, body: unknown): AccessNeed[] {
  const { SecretId, Name } = (body ?? {}) as Readonly<Record<string, unknown>>;
  const id = SecretId ?? Name;
  const resource = id === undefined ? "*" : (findSecret(String(id)) ?? buildArn("secretsmanager", `secret:${id}`));
  return [{ action: `secretsmanager:${operation}`, resource, context: {} }];
}

interface MailInput {
  readonly FromEmailAddress?: string;
  readonly ConfigurationSetName?: string;
  readonly Destination?: Readonly<Record<string, readonly string[]>>;
}

/**
 * What sending a mail needs. SES checks the identity that sends, which is the address or its domain, whichever is verified;
 * in its sandbox also those of the recipients; and the configuration set. Here it checks all of them.
 */
export function mailNeeds(body: unknown): AccessNeed[] {
  const { FromEmailAddress = "", ConfigurationSetName, Destination = {} } = (body ?? {}) as MailInput;
  const from = toAddress(FromEmailAddress);
  const recipients = Object.values(Destination).flat().map(toAddress);
  const identities = [from, from.slice(from.indexOf("@") + 1), ...recipients].map((name) => `identity/${name}`);
  const sets = ConfigurationSetName === undefined ? [] : [`configuration-set/${ConfigurationSetName}`];
  const context = toContext({ "ses:fromaddress": from, "ses:recipients": recipients });
  return [...identities, ...sets].map((name) => ({
    action: "ses:SendEmail",
    resource: buildArn("ses", name),
    context,
  }));
}

/** Of `Name <address>`. */
function toAddress(text: string): string {
  return /<([^<>]*)>\s*$/.exec(text)?.[1] ?? text.trim();
}
