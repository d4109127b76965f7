import type { PlantedFault } from "../planted-fault.ts";

const doors = "test/costs/texts/doors.test.ts";
const printing = "test/bin/print.test.ts";
const refusals = "test/platforms/api/refusals.test.ts";

/** Of what texts cost, and of what people read of them. */
export const textFaults: readonly PlantedFault[] = [
  {
    name: "texts: blanks in a cookie cost their square",
    file: "shared/http/credentials/cookies.ts",
    search: "return text.slice(first, last);",
    replacement: 'return text.slice(start, end).replace(/^[ \\t]+|[ \\t]+$/g, "");',
    killedBy: { file: doors, title: "a JSON text costs no more than its length: %s" },
  },
  {
    name: "texts: a long header chooses the coding by all of it",
    file: "shared/http/content-coding.ts",
    search: "acceptEncoding.slice(0, HEADER_CHARS_READ)",
    replacement: "acceptEncoding",
    killedBy: { file: doors, title: "a JSON text costs no more than its length: %s" },
  },
  {
    name: "texts: a part of a token remains where the read part of a platform's text ends",
    file: "shared/platforms/api/errors.ts",
    search: "if (text.length > READ_CHARS_MAX) while (end > 0 && isVisibleAscii(line.charCodeAt(end - 1))) end -= 1;",
    replacement: "",
    killedBy: {
      file: refusals,
      title: "its detail has no part of a token at which the read part of a long text ends",
    },
  },
  {
    name: "texts: a token that a zero-width character splits is shown",
    file: "shared/platforms/api/errors.ts",
    search: "printableLine(text.slice(0, READ_CHARS_MAX).toWellFormed())",
    replacement: "text.slice(0, READ_CHARS_MAX).toWellFormed()",
    killedBy: { file: refusals, title: "its detail has no planted character, and a token that one splits is a token" },
  },
  {
    name: "texts: a detail is sent as it is",
    file: "shared/http/serve.ts",
    search: "detail: printableText(detail)",
    replacement: "detail",
    killedBy: {
      file: "test/http/details.test.ts",
      title: "the detail of an error has no planted character of a platform or a person",
    },
  },
  {
    name: "texts: a mail is sent as it is",
    file: "shared/base/aws/mail.ts",
    search: "Data: printableText(text)",
    replacement: "Data: text",
    killedBy: {
      file: "test/base/aws/mail.test.ts",
      title: "the mailer sends no planted character, and the text on its lines",
    },
  },
  {
    name: "texts: a command prints a text as it is",
    file: "bin/admin/text/print.ts",
    search: "stderr.write(`$" + "{printableText(text)}",
    replacement: "stderr.write(`$" + "{text}",
    killedBy: { file: printing, title: "what a command prints has no planted character: %s" },
  },
  {
    name: "texts: an error of the client has the detail as it is",
    file: "packages/client/src/errors.ts",
    search: `this.detail = printableText(detail ?? "");`,
    replacement: `this.detail = detail ?? "";`,
    killedBy: { file: printing, title: "an error of the client has no planted character" },
  },
  {
    name: "texts: the check page shows a text as it is",
    file: "web/common/elements.ts",
    search: "node.textContent = printableText(text);",
    replacement: "node.textContent = text;",
    killedBy: {
      file: "test/web/check-page.test.ts",
      title: "the page shows what others wrote without planted characters, and the message on its lines",
    },
  },
  {
    name: "texts: a name in a sentence of the check page is shown as it is",
    file: "web/common/names.ts",
    search: "`\\u2068$" + "{printableText(name)}\\u2069`",
    replacement: "`\\u2068$" + "{name}\\u2069`",
    killedBy: {
      file: "test/web/check-page.test.ts",
      title: "the page shows what others wrote without planted characters, and the message on its lines",
    },
  },
  {
    name: "texts: a button of the connect page is named with a text as it is",
    file: "web/common/elements.ts",
    search: "READ_ATTRIBUTES.has(name) ? printableText(value) : value",
    replacement: "value",
    killedBy: {
      file: "test/web/connect-page.test.ts",
      title: "the page shows what others wrote without planted characters: names, details and problems",
    },
  },
  {
    name: "texts: a browser may guess the type of a response",
    file: "shared/http/serve.ts",
    search: `copy.headers.set("x-content-type-options", "nosniff");`,
    replacement: "",
    killedBy: {
      file: "test/http/app.test.ts",
      title: "a response is the success envelope with a correlation id and no-store",
    },
  },
  {
    name: "texts: any challenge is repeated",
    file: "shared/features/inbox/routes/intake.ts",
    search: `"hub.challenge": z.optional(challenge),`,
    replacement: `"hub.challenge": z.optional(z.string()),`,
    killedBy: {
      file: "test/features/inbox/routes/intake.test.ts",
      title: "the subscription handshake answers 400 to the challenge %j, also with the right token",
    },
  },
];
