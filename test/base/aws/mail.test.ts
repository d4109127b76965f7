import { SESv2Client } from "@aws-sdk/client-sesv2";
import { beforeEach, expect, it } from "vitest";
import { type Mailer, openMail } from "#base/aws/mail.ts";
import { openCallScope } from "#base/kernel/call-scope.ts";
import { startEmulatorFixture } from "../../packages/local-aws/emulators/support/emulator-fixture.ts";
import { plantedIn, plantedText } from "../../support/files/planted-characters.ts";
import { openedOnce } from "../../support/opened.ts";

const MAIL = { to: "person@example.com", subject: "Hello", text: "A line.\n" };
const fixture = openedOnce(startEmulatorFixture);

let mailer: Mailer;
/** What happens to each attempt, in order: an error instead of the call, or after it. Later attempts pass. */
let faults: { readonly error: Error; readonly after?: true }[] = [];
let attempts = 0;
beforeEach(() => {
  faults = [];
  attempts = 0;
  const client = new SESv2Client({
    endpoint: fixture.emulators.url,
    region: "us-east-1",
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
    maxAttempts: 3,
  });
  client.middlewareStack.add(
    (next) => async (args) => {
      const fault = faults[attempts++];
      if (!fault) return next(args);
      if (fault.after) await next(args);
      throw fault.error;
    },
    { step: "deserialize", name: "faults" },
  );
  mailer = openMail({ from: "parley@example.com", configurationSet: "mails" }, client);
});

const awsError = (name: string, httpStatusCode: number) =>
  Object.assign(new Error("injected"), { name, $fault: "client", $metadata: { httpStatusCode } });
const sentMails = () => fixture.emulators.mail.list();

it("the mailer sends a mail to one recipient under the configuration set", async () => {
  expect(await mailer.send(MAIL)).toBe("accepted");
  expect(sentMails()[0]).toMatchObject({
    from: "parley@example.com",
    to: ["person@example.com"],
    cc: [],
    bcc: [],
    configurationSet: "mails",
    subject: "Hello",
    text: "A line.\n",
    html: null,
  });
});

it("the mailer sends no planted character, and the text on its lines", async () => {
  const mail = { ...MAIL, subject: plantedText("Invite", "now"), text: `${plantedText("A", "line.")}\nNext.\n` };
  expect(await mailer.send(mail)).toBe("accepted");
  const sent = sentMails().find(({ subject }) => subject.startsWith("Invite"));
  expect(sent?.subject).toMatch(/^Invite.*now$/);
  expect(sent?.text).toMatch(/^A.*line\.\nNext\.\n$/s);
  expect(plantedIn(`${sent?.subject}${sent?.text}`)).toEqual([]);
});

it.each(["MessageRejected", "BadRequestException"])("%s rejects the mail, and nothing is tried again", async (name) => {
  faults = [{ error: awsError(name, 400) }];
  expect(await mailer.send(MAIL)).toBe("rejected");
  expect(attempts).toBe(1);
});

it.each([
  ["a lost answer", Object.assign(new Error("injected"), { code: "ECONNRESET" }), true],
  ["a time-out", Object.assign(new Error("injected"), { name: "TimeoutError" }), true],
  ["a failure inside SES", awsError("InternalServiceErrorException", 500), undefined],
] as const)("after %s, the outcome is unknown and the mail is not sent again", async (_, error, after) => {
  const before = sentMails().length;
  faults = [{ error, ...(after ? { after } : {}) }];
  expect(await mailer.send(MAIL)).toBe("unknown");
  expect(attempts).toBe(1);
  expect(sentMails().length - before).toBe(after ? 1 : 0);
});

it.each([
  ["a throttled request", awsError("TooManyRequestsException", 429)],
  ["a refused connection", Object.assign(new Error("injected"), { code: "ECONNREFUSED" })],
])("the mailer sends again after %s, which sent nothing", async (_, error) => {
  const before = sentMails().length;
  faults = [{ error }];
  expect(await mailer.send(MAIL)).toBe("accepted");
  expect(sentMails().length - before).toBe(1);
});

it("a refusal that an operator can correct is an error", async () => {
  for (const name of ["AccessDeniedException", "SendingPausedException", "NotFoundException"]) {
    faults = [{ error: awsError(name, 400) }];
    attempts = 0;
    await expect(mailer.send(MAIL)).rejects.toThrow(expect.objectContaining({ name }));
  }
});

it("a mail that an ended invocation left behind is not sent, and its outcome is known", async () => {
  const before = sentMails().length;
  const scope = openCallScope();
  scope.end();
  await expect(scope.run(() => mailer.send(MAIL))).rejects.toThrow(expect.objectContaining({ name: "OutOfTime" }));
  expect(sentMails().length).toBe(before);
});
