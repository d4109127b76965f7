import { expect, it } from "vitest";
import { parseTenant } from "#base/kernel/tenant.ts";
import { languages } from "#base/languages/languages.ts";
import { inviteMail, signInMail } from "#features/access/flows/mails/texts.ts";
import { roles } from "#features/access/rules/callers.ts";

const tenant = parseTenant("acme") ?? expect.unreachable();
const expiresAt = Date.UTC(2026, 10, 22, 17, 35, 59);
const link = "https://api.example.com/console/auth/verify?token=abc";

it("a sign-in mail is the link, its end and nothing about anyone", () => {
  expect(signInMail(null, { link, expiresAt })).toEqual({
    subject: "Sign in to Parley",
    text: `Open this link to sign in to Parley:

${link}

It works once, until 2026-11-22 17:35 UTC. In another browser than the one in which you requested it, a page asks you to confirm. Do not forward it.

If you did not request it, ignore this mail.
`,
  });
});

it("an invite's mail names the tenant by its slug, and the role", () => {
  const signInUrl = "https://api.example.com/console/auth/sign-in";
  expect(inviteMail("en", { tenant, role: "admin", expiresAt, signInUrl })).toEqual({
    subject: 'Invite to "acme" on Parley',
    text: `You are invited to join "acme" on Parley as an admin.

To accept, open this page and sign in with this email address:

${signInUrl}

The invite ends at 2026-11-22 17:35 UTC.

If you did not expect it, ignore this mail.
`,
  });
});

it("a mail in another language says the same with the same link", () => {
  expect(signInMail("de", { link, expiresAt })).toEqual({
    subject: "Bei Parley anmelden",
    text: `Öffnen Sie diesen Link, um sich bei Parley anzumelden:

${link}

Er gilt einmal, bis 2026-11-22 17:35 UTC. In einem anderen Browser als dem, in dem Sie ihn angefordert haben, bittet eine Seite um Bestätigung. Leiten Sie ihn nicht weiter.

Wenn Sie ihn nicht angefordert haben, ignorieren Sie diese E-Mail.
`,
  });
});

it("every text is short and without HTML, and its subject has one line", () => {
  const mails = languages.flatMap((language) => [
    signInMail(language, { link, expiresAt }),
    ...roles.map((role) => inviteMail(language, { tenant, role, expiresAt, signInUrl: "https://console.example.com" })),
  ]);
  for (const { subject, text } of mails) {
    expect(subject).toMatch(/^[\P{C}]{1,60}$/u);
    expect(text).toMatch(/^[\P{C}\n]{1,400}$/u);
    expect(text).not.toMatch(/[<>{}]/);
    expect(text.match(/https?:/g)).toHaveLength(1);
  }
});
