import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { SECRET_CACHE_LIFETIME } from "#base/aws/secrets.ts";
import { type FunctionName, functions, type QueueName, queues, type SecretPurpose } from "#base/config/names.ts";
import * as limits from "#base/kernel/limits.ts";
import { DAY, MINUTE, type Millis } from "#base/kernel/time.ts";
import { HOLDER_RETENTION } from "#features/accounts/rules/holders.ts";
import { purgedBefore } from "#features/inbox/rules/raw-webhooks.ts";
import { parseSettings } from "../../../lib/config/settings.ts";
import { readPage } from "../../docs/markdown.ts";
import {
  policyStatements,
  resourceProperties,
  resourcesOfType,
  synthesizeTemplates,
  type Template,
} from "../synth-templates.ts";
import { durationText, lifetimeOf, page, privateDuration, tableOf } from "./support/data-flow-page.ts";

// docs/operate/data-flow.md says where data of people is, who can read it and when it ends. Its readers and lifetimes are those
// of the templates, of the limits and of the constants in the sources.

const { data, service } = synthesizeTemplates();
const RECOVERY_DAYS = parseSettings({}).recoveryPeriodInDays;
const PURGE_EARLY: Millis = purgedBefore(0) + limits.RETENTION;

/** The functions whose role allows an action on a resource, whose text in the template has this part. */
function allowedFunctions(action: RegExp, resource: string, condition = ""): FunctionName[] {
  return functions.filter((name) =>
    policyStatements(service, name).some(
      ({ Action, Resource, Condition }) =>
        [Action].flat().some((each) => action.test(each)) &&
        JSON.stringify(Resource).includes(resource) &&
        JSON.stringify(Condition ?? "").includes(condition),
    ),
  );
}

/** As the page lists functions. */
function inCode(names: readonly string[]): string {
  if (names.length === 0) return "no function";
  return [...names]
    .sort()
    .map((name) => `\`${name}\``)
    .join(", ");
}

function retentionOf(template: Template, id: string): Millis {
  const pattern = new RegExp(`^${id}[0-9A-F]{8}$`);
  const [found] = resourcesOfType(template, "AWS::SQS::Queue").filter(([name]) => pattern.test(name));
  if (!found) throw new Error(`The template has no ${id}.`);
  return Number(found[1].Properties.MessageRetentionPeriod) * 1_000;
}

function expiryDays(bucket: string): number {
  const [[, found] = []] = resourcesOfType(data, "AWS::S3::Bucket").filter(([name]) => name.startsWith(bucket));
  const lifecycle = found?.Properties.LifecycleConfiguration as { Rules: readonly { ExpirationInDays: number }[] };
  return lifecycle.Rules[0]?.ExpirationInDays ?? Number.NaN;
}

describe("the places", () => {
  const places = tableOf("Places");
  const long = ["Events", "Deliveries", "SlowDeliveries", "Erasures", "Accounts"] as const;
  const short = ["Profiles", "Mails", "Uploads", "Realtime"] as const;
  const queueRows: readonly (readonly [string, readonly QueueName[]])[] = [
    ["queue `Inbound`", ["Inbound"]],
    ["queues `Events`, `Deliveries`, `SlowDeliveries`, `Erasures`, `Accounts`", long],
    ["queues `Profiles`, `Mails`, `Uploads`, `Realtime`", short],
  ];

  it.each(queueRows)("%s: each has the retention of the page", (row, names) => {
    for (const name of names) {
      expect([name, lifetimeOf(places, row)]).toEqual([name, durationText(retentionOf(service, `${name}Queue`))]);
    }
  });

  it("the page has each queue once", () => {
    expect(queueRows.flatMap(([, names]) => names).sort()).toEqual([...queues].sort());
  });

  it("dead letter queues have the retention of the page, also the one of all", () => {
    const small = synthesizeTemplates({ "parley:size": "small" }).service;
    const own = durationText(retentionOf(service, "InboundDeadLetterQueue"));
    const ofAll = durationText(retentionOf(small, "DeadLetterQueue"));
    expect(lifetimeOf(places, "… its dead letter queue")).toBe(
      `${own} from the first send; ${ofAll} where [one dead letter queue](settings.md#settings) has all`,
    );
    for (const name of [...long, ...short]) {
      const retention = durationText(retentionOf(service, `${name}DeadLetterQueue`));
      expect(lifetimeOf(places, "… their dead letter queues")).toBe(`${retention} from the first send`);
    }
  });

  it.each([
    ["table", /^dynamodb:(GetItem|Query|BatchGetItem|Scan)$/, "SingleTable"],
    ["recovery points of the table", /^dynamodb:(Restore|Export|.*Backup)/, ""],
    ["raw bucket, `raw/`", /^s3:GetObject/, "/raw/*"],
    ["raw bucket, `inbound/`", /^s3:GetObject/, "/inbound/*"],
    ["upload bucket, `u/`", /^s3:GetObject/, "/u/*"],
    ["upload bucket, `h/`", /^s3:GetObject/, "/h/*"],
    ["journal bucket", /^s3:(Get|List)/, "JournalBucket"],
    ["log groups of the functions", /^logs:(Get|Filter|Start|Describe)/, ""],
    ["access log", /^logs:/, "AccessLog"],
    ["metrics", /^cloudwatch:/, ""],
    ["root secret", /^secretsmanager:GetSecretValue$/, "RootSecret"],
    ["platform secrets", /^secretsmanager:GetSecretValue$/, "PlatformSecrets"],
  ] as const)("%s: those who can read it are the functions whose roles allow it", (row, action, resource) => {
    const [, readers = ""] = places.get(row) ?? [];
    expect(readers.split(". ")[0]).toBe(inCode(allowedFunctions(action, resource)));
  });

  it.each(["account-token", "webhook-secret", "login-choice"] satisfies SecretPurpose[])(
    "KMS key, purpose %s: those who can open it are the functions whose roles allow it",
    (purpose) => {
      const [, readers] = places.get(`KMS key, purpose \`${purpose}\``) ?? [];
      expect(readers).toBe(inCode(allowedFunctions(/^kms:(Decrypt|\*)$/, "TokenKey", purpose)));
    },
  );

  it("recovery points and the journal end as the settings say", () => {
    const [[, table] = []] = resourcesOfType(data, "AWS::DynamoDB::Table");
    expect(table?.Properties.PointInTimeRecoverySpecification).toEqual({ PointInTimeRecoveryEnabled: true });
    expect(lifetimeOf(places, "recovery points of the table")).toBe(
      `${RECOVERY_DAYS} days after a row was changed or removed, or \`parley:recoveryPeriodInDays\``,
    );
    const days = expiryDays("JournalBucket");
    expect(lifetimeOf(places, "journal bucket")).toBe(
      `${days} days: ${days - RECOVERY_DAYS} days longer than the recovery points`,
    );
  });

  it("raw webhooks and uploads are removed when the page says, and by a lifecycle rule otherwise", () => {
    expect(lifetimeOf(places, "raw bucket, `raw/`")).toBe(
      `${durationText(limits.RETENTION)} from the arrival; removed each hour, up to ${PURGE_EARLY / MINUTE} minutes earlier`,
    );
    expect(lifetimeOf(places, "upload bucket, `u/`")).toContain(
      `${durationText(limits.UPLOAD_STORED_MAX)} from the start of the hour of its creation`,
    );
    const link = durationText(privateDuration("shared/features/uploads/flows/hand-over.ts", "LINK_LIFETIME"));
    expect((places.get("upload bucket, `h/`") ?? [])[0]).toContain(`a link for ${link}`);
    expect(page.replaceAll("\n", " ")).toMatch(
      new RegExp(
        `raw bucket after ${expiryDays("RawBucket")} days, that +of the upload bucket after ${expiryDays("UploadBucket")} day, that of the journal after ${expiryDays("JournalBucket")} days`,
      ),
    );
  });

  it("each log group has the retention of the page", () => {
    for (const [id, { Properties }] of resourcesOfType(service, "AWS::Logs::LogGroup")) {
      const row = id.includes("AccessLog") ? "access log" : "log groups of the functions";
      expect([id, lifetimeOf(places, row)]).toEqual([id, `${Properties.RetentionInDays} days`]);
    }
  });

  it("the memory of a function keeps secrets as long as the page says", () => {
    const cached = [privateDuration("shared/base/aws/vault.ts", "CACHE_TTL"), SECRET_CACHE_LIFETIME];
    for (const time of cached)
      expect((places.get("memory of a function") ?? [])[0]).toContain(`for ${durationText(time)} `);
  });
});

describe("the rows of the table", () => {
  const rows = tableOf("Rows of the table");
  const week = durationText(limits.RETENTION);
  const items = "shared/features/inbox/store/items.ts";
  const lifetimes: Readonly<Record<string, string>> = {
    Message: `${week} and ${durationText(privateDuration(items, "CLOCK_MARGIN"))} after it was sent`,
    Head: `${week} after the newest message`,
    "Change before its message": week,
    "Raw copies of a batch": `${week} from the arrival of the first one`,
    "Event without a message": week,
    "Marker of an outbound or late message id": week,
    "Due send": week,
    Hold: durationText(limits.HOLD_READABLE),
    Upload: durationText(limits.UPLOAD_READABLE),
    "Idempotency key": durationText(limits.IDEMPOTENCY_TTL),
    "Account that an attachment was uploaded for": durationText(limits.ATTACHMENT_LIFETIME),
    Budget: `${durationText(privateDuration("shared/features/sending/store/budgets.ts", "ITEM_TTL"))} after the last send`,
    Delivery: week,
    "Due attempt": `${week} after they were due`,
    "Quarantine row": `${week}; of \`Inbound\` from its arrival, removed each hour`,
    Erasure: durationText(limits.ERASURE_MARKER_TTL),
    "Erasure of the journal, of a conversation that a restored table may not have": durationText(
      limits.ERASURE_MARKER_TTL,
    ),
    "Data deletion that a platform requested": durationText(limits.DATA_DELETION_RETENTION),
    "Account route": `${durationText(HOLDER_RETENTION)} after it was disconnected`,
    "Login that connected an account": `${durationText(limits.AUTHORIZATION_RETENTION)} after the account was disconnected`,
    "Used state of a login": durationText(
      privateDuration("shared/features/accounts/store/login-states.ts", "RETENTION"),
    ),
    "Pages to choose from": durationText(limits.PAGE_CHOICE_LIFETIME),
    "API key, listed": `${durationText(limits.REVOKED_KEY_RETENTION)} after it was revoked`,
    Invite: `${durationText(limits.INVITE_RETENTION)} after it ended`,
    "Sign-in link": durationText(limits.SIGN_IN_LINK_LIFETIME),
    "Sign-in links of a window": durationText(limits.SIGN_IN_WINDOW),
    "Attempts of the check page": durationText(limits.CHECK_WINDOW),
    "Realtime ticket": durationText(limits.REALTIME_TICKET_LIFETIME),
    Socket: `${durationText(limits.SOCKET_LIFETIME)}; a day`,
    "Audit row": durationText(limits.AUDIT_RETENTION),
    Tenant: `until it is deleted; its slug ${durationText(limits.DELETED_SLUG_RETENTION)} longer`,
    "Hour's counters": durationText(privateDuration("shared/features/stats/store.ts", "COUNTERS_TTL")),
  };
  const rowOf = (item: string) => [...rows.keys()].find((row) => row.split("; ").includes(item)) ?? `(${item})`;

  it.each(Object.entries(lifetimes))("%s: its lifetime is that of the code", (item, expected) => {
    expect(lifetimeOf(rows, rowOf(item))).toBe(expected);
  });

  it("every lifetime with a number is compared", () => {
    const compared = new Set(Object.keys(lifetimes).map(rowOf));
    const others = [...rows].filter(([row, cells]) => /\d/.test(cells.at(-1) ?? "") && !compared.has(row));
    expect(others.map(([row, cells]) => [row, cells.at(-1)])).toEqual([
      [rowOf("Requests of a minute"), `${durationText(2 * MINUTE)} after the minute`],
    ]);
    expect(readFileSync("shared/base/table/minute-quota.ts", "utf8")).toContain("timeToLive(now + 2 * MINUTE)");
  });

  it("the page has each item of the table keys once", () => {
    const [, chapter = ""] = readPage("docs/design/table-keys.md").split("\n## Items\n");
    const [tables = ""] = chapter.split("\n## ");
    const all = tables.split("\n\n").filter((block) => block.startsWith("| Item |") && block.includes("| Bytes |"));
    const names = all.flatMap((block) => [...block.matchAll(/^\| ([^|…-][^|]*) \|/gm)].map(([, name = ""]) => name));
    const expected = names.filter((name) => name !== "Item");
    expect(expected.length).toBeGreaterThan(50);
    expect([...rows.keys()].flatMap((row) => row.split("; ")).sort()).toEqual(expected.sort());
  });

  it("the last copy of a text ends when the page says", () => {
    const days = limits.RETENTION / DAY + 2 + RECOVERY_DAYS;
    expect(page.replaceAll("\n", " ")).toMatch(
      new RegExp(`ends +${days} days after it was sent: ${limits.RETENTION / DAY} days in the table`),
    );
  });
});

describe("browsers", () => {
  const places = tableOf("Browsers");

  it("cookies and texts in a browser have the limits of the page", () => {
    const row = (start: string) => [...places].find(([first]) => first.startsWith(start))?.[1] ?? [];
    expect(row("cookies `console_session`")).toContain(durationText(limits.SESSION_LIFETIME));
    expect(row("cookie `console_sign_in`")).toContain(durationText(limits.SIGN_IN_LINK_LIFETIME));
    expect(row("entry of the check page")[1]).toContain(`${durationText(limits.HOLD_LIFETIME)} at most`);
    for (const [key, file] of [
      ["parley.drafts", "web/console/inbox/composer/drafts.ts"],
      ["parley.seen", "web/console/inbox/thread/seen.ts"],
    ] as const) {
      const [, count] = /const STORED_MAX = (\d+);/.exec(readFileSync(file, "utf8")) ?? [];
      const [, cells] = [...places].find(([first]) => first.includes(key)) ?? [];
      expect(cells?.[0]).toContain(`at most ${count} conversations`);
    }
  });
});

describe("the encryption", () => {
  it("everything is encrypted as the page says", () => {
    const encryption = tableOf("Encryption");
    expect(encryption.get("table and its recovery points")).toEqual(["a key that AWS owns"]);
    for (const [, { Properties }] of resourcesOfType(data, "AWS::DynamoDB::Table")) {
      expect(Properties).not.toHaveProperty("SSESpecification");
    }
    expect(encryption.get("queues")).toEqual(["SSE-SQS"]);
    for (const [, { Properties }] of resourcesOfType(service, "AWS::SQS::Queue")) {
      expect(Properties).toMatchObject({ SqsManagedSseEnabled: true });
    }
    expect(encryption.get("buckets")).toEqual(["SSE-S3"]);
    for (const [, { Properties }] of resourcesOfType(data, "AWS::S3::Bucket")) {
      expect(JSON.stringify(Properties.BucketEncryption)).toContain('"SSEAlgorithm":"AES256"');
    }
    expect(encryption.get("secrets")).toEqual(["the key `aws/secretsmanager` of the account"]);
    for (const [, { Properties }] of resourcesOfType(data, "AWS::SecretsManager::Secret")) {
      expect(Properties).not.toHaveProperty("KmsKeyId");
    }
    expect(encryption.get("logs and metrics")).toEqual(["a key that CloudWatch owns"]);
    for (const [, { Properties }] of resourcesOfType(service, "AWS::Logs::LogGroup")) {
      expect(Properties).not.toHaveProperty("KmsKeyId");
    }
  });

  it("no environment variable of a function has a secret", () => {
    for (const name of functions) {
      const { Environment } = resourceProperties(service, name) as { Environment?: { Variables: object } };
      const names = Object.keys(Environment?.Variables ?? {});
      expect(names.filter((each) => /SECRET|TOKEN|PASSWORD/.test(each) && !each.endsWith("_ID"))).toEqual([]);
    }
  });
});
