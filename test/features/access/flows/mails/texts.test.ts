import { expect, it } from "vitest";
import { parseTenant } from "#base/kernel/tenant.ts";
import { inviteMail, signInMail } from "#features/access/flows/mails/texts.ts";
import { roles } from "#features/access/rules/callers.ts";

const tenant = parseTenant("acme") ?? expect.unreachable();
const expiresAt = Date.UTC(2026, 10, 22, 17, 35, 59);
const link = "https://api.example.com/console/auth/verify?token=abc";

it("a sign-in mail is the link, its end and nothing about anyone", () => {
  expect(signInMail({ link, expiresAt })).toEqual({
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
  expect(inviteMail({ tenant, role: "admin", expiresAt, signInUrl })).toEqual({
    subject: 'Invite to "acme" on Parley',
    text: `You are invited to join "acme" on Parley as an admin.

To accept, open this page and sign in with this email address:

${signInUrl}

The invite ends at 2026-11-22 17:35 UTC.

If you did not expect it, ignore this mail.
`,
  });
});

it("every text is short, plain ASCII without HTML, and its subject has one line", () => {
  const mails = [
    signInMail({ link, expiresAt }),
    ...roles.map((role) => inviteMail({ tenant, role, expiresAt, signInUrl: "https://console.example.com" })),
  ];
  for (const { subject, text } of mails) {
    expect(subject).toMatch(/^[\x20-\x7e]{1,60}$/);
    expect(text).toMatch(/^[\x20-\x7e\n]{1,400}$/);
    expect(text).not.toMatch(/[<>]/);
    expect(text.match(/https?:/g)).toHaveLength(1);
  }
});
