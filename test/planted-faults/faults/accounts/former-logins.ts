import type { PlantedFault } from "../../planted-fault.ts";

const flow = "test/features/accounts/flows/former-logins.test.ts";

export const formerLoginFaults: readonly PlantedFault[] = [
  {
    name: "a check does not carry the logins of earlier connections",
    file: "shared/features/accounts/store/account-checks.ts",
    search: "formerLogins: formerLoginsAfter(replaced, connection.authorizedBy),",
    replacement: "formerLogins: [],",
    killedBy: { file: flow, title: "leave them to any check, eight days after the connection that replaced them" },
  },
  {
    name: "a check of any connection is replaced",
    file: "shared/features/accounts/store/account-checks.ts",
    search: "update({ PK, SK }, { set }, isAsRead)",
    replacement: "update({ PK, SK }, { set }, isAsRead && undefined)",
    killedBy: {
      file: "test/features/accounts/store/account-checks.test.ts",
      title:
        "the next check of an account of a later connection at the same time is neither moved nor removed by the earlier one's",
    },
  },
  {
    name: "the check that finds an account gone ends only the rows of its own logins",
    file: "shared/features/accounts/flows/health-checks/check.ts",
    search: "for (const login of allLogins(check))",
    replacement: "for (const login of allLogins({ ...check, formerLogins: [] }))",
    killedBy: { file: flow, title: "leave them to the check that finds the account gone" },
  },
  {
    name: "a data deletion takes a row that has ended for one that names its login",
    file: "shared/features/accounts/flows/platform-callbacks/delete-data.ts",
    search: " && (endsAt === null || endsAt > now)",
    replacement: " && (endsAt === null || endsAt > 0)",
    killedBy: {
      file: "test/features/accounts/flows/platform-callbacks/data-deletion.test.ts",
      title: "a data deletion erases nothing for a login whose row has ended and is still stored, and removes the row",
    },
  },
];
