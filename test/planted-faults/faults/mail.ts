import type { PlantedFault } from "../planted-fault.ts";

const worker = "test/functions/mail/worker.test.ts";

export const mailFaults: readonly PlantedFault[] = [
  {
    name: "a mail whose answer was lost is sent again",
    file: "shared/base/aws/mail.ts",
    search: `      sendAtMostOnce(command);
`,
    replacement: "",
    killedBy: {
      file: "test/base/aws/mail.test.ts",
      title: "after %s, the outcome is unknown and the mail is not sent again",
    },
  },
  {
    name: "a link is mailed without a claim",
    file: "shared/features/access/flows/mails/mail-sign-in-link.ts",
    search: `if (!(await loginTokens.claimMail(loginId, { op, now }))) return drop("stale");`,
    replacement: "",
    killedBy: {
      file: worker,
      title: "a sign-in link is mailed once when its message comes twice, in one batch or later",
    },
  },
  {
    name: "the worker does not recognize its own claim of a mail when the answer was lost",
    file: "shared/features/access/store/login-tokens.ts",
    search: "write, { ownMark: { [A.op]: op } }",
    replacement: "write",
    killedBy: { file: worker, title: "a sign-in link is mailed although the answer of its claim was lost" },
  },
  {
    name: "a mail that SES did not take stays claimed",
    file: "shared/features/access/flows/mails/send-claimed.ts",
    search: `    await release();
`,
    replacement: "",
    killedBy: {
      file: worker,
      title: "a sign-in link is mailed by the next receive when SES was throttled, and only then",
    },
  },
  {
    name: "a link is mailed to an address that may not sign in",
    file: "shared/features/access/flows/sign-in-eligibility.ts",
    search: "return (await invites.pendingFor(addressHashes, now)).length > 0;",
    replacement: "return true;",
    killedBy: { file: worker, title: "a sign-in link is not mailed %s, but it is where sign-up is open" },
  },
  {
    name: "a worker gives back the claim of another one",
    file: "shared/features/access/store/login-tokens.ts",
    search: "{ remove }, equals(A.op, op))",
    replacement: "{ remove })",
    killedBy: {
      file: "test/features/access/store/login-tokens.test.ts",
      title: "a claim that was given back can be made again, and only its own worker gives it back",
    },
  },
  {
    name: "mails about an endpoint go to every member",
    file: "shared/features/access/mail-owners.ts",
    search: `.filter(({ role }) => role === "owner")`,
    replacement: "",
    killedBy: {
      file: "test/features/delivery/flows/auto-pause.test.ts",
      title:
        "the mails go to every owner in a mail of their own, and no more to a named owner who is not a member any more",
    },
  },
];
