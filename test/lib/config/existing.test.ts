import { expect, test } from "vitest";
import { parseSettings } from "../../../lib/config/settings.ts";

const parse = (settings: Readonly<Record<string, unknown>>) =>
  parseSettings(Object.fromEntries(Object.entries(settings).map(([name, value]) => [`parley:${name}`, value])))
    .existing;

const KEY = "1234abcd-12ab-34cd-56ef-1234567890ab";
const SECRET = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:SecretsRootSecret10638A29-dWzKcQ6n1Ppa-AbCdEf";

test("the settings name existing resources as the outputs and the console of AWS show them", () => {
  expect(parse({ existingTable: "ParleyData-SingleTable-1ABC" }).table).toBe("ParleyData-SingleTable-1ABC");
  expect(parse({ existingKey: KEY }).key).toBe(KEY);
  const arn = `arn:aws:kms:eu-central-1:123456789012:key/${KEY}`;
  expect(parse({ existingKey: arn }).key).toBe(arn);
  expect(parse({ existingKey: `mrk-${"0".repeat(32)}` }).key).toBe(`mrk-${"0".repeat(32)}`);
  expect(parse({ existingRawBucket: "parleydata-raw-1abc" }).rawBucket).toBe("parleydata-raw-1abc");
  expect(parse({ existingUploadBucket: "parleydata-up-1abc" }).uploadBucket).toBe("parleydata-up-1abc");
  expect(parse({ existingJournalBucket: "parleydata-journal" }).journalBucket).toBe("parleydata-journal");
  expect(parse({ existingRootSecret: SECRET }).rootSecret).toBe(SECRET);
  expect(parse({ existingPlatformSecret: SECRET }).platformSecret).toBe(SECRET);
});

test.each([
  ["existingTable", "arn:aws:dynamodb:eu-central-1:123456789012:table/Copy", "the name of a table of DynamoDB"],
  ["existingTable", 7, "the name of a table of DynamoDB"],
  ["existingKey", "alias/parley", "the id or the ARN of a key of KMS"],
  ["existingRawBucket", "arn:aws:s3:::bucket", "the name of a bucket"],
  ["existingUploadBucket", "Bucket", "the name of a bucket"],
  ["existingJournalBucket", "a/b", "the name of a bucket"],
  // Without its last part a policy would not match the secret.
  ["existingRootSecret", SECRET.slice(0, -7), "the whole ARN of a secret of Secrets Manager"],
  ["existingPlatformSecret", "PlatformSecrets", "the whole ARN of a secret of Secrets Manager"],
])("the setting %s refuses %j and names what it accepts", (name, value, expected) => {
  expect(() => parse({ [name]: value })).toThrow(
    `Invalid parley:${name}: ${JSON.stringify(value)}. Set it to ${expected}.`,
  );
});

test("two settings do not name the same resource, whose objects would expire by the rules of one of them", () => {
  expect(() => parse({ existingRawBucket: "same-bucket", existingJournalBucket: "same-bucket" })).toThrow(
    'Invalid parley:existingJournalBucket: "same-bucket". Set it to a resource that no other setting names.',
  );
});
