import { expect, test } from "vitest";
import type { Connection } from "#features/accounts/rules/accounts.ts";
import { mediaTypes } from "#features/sending/rules/send-content.ts";
import { checkPosted, copyContentType } from "#features/uploads/rules/checks.ts";
import { closedTypeNames } from "#features/uploads/rules/media-types.ts";
import { isAllowedType } from "../../../../packages/simulator/src/graph/attachments.ts";
import { mediaFiles } from "../../../support/files/media-files.ts";
import { acceptedVariants, refusedRelatives } from "../../../support/files/media-variants.ts";

// The product's checks and the simulated platforms have lists of their own. One corpus compares them.

const connections: readonly Connection[] = ["instagram_login", "instagram_page", "messenger"];

const corpus: readonly (readonly [name: string, head: Buffer])[] = [
  ...closedTypeNames.map((type) => [type, mediaFiles[type]()] as const),
  ...acceptedVariants.map(([name, head]) => [name, head] as const),
  ...refusedRelatives,
];

/** Instagram Login takes no GIF, and Messenger any file as a file. */
const exceptions: Readonly<Record<Connection, readonly string[]>> = {
  instagram_login: ["image/gif", "GIF of 1987"],
  instagram_page: [],
  messenger: ["application/pdf"],
};

test.each(connections)(
  "a platform accepts the copy of each file that passes the checks, and no other: %s",
  (connection) => {
    const verdicts: string[] = [];
    const differences: string[] = [];
    for (const [name, head] of corpus) {
      for (const type of mediaTypes) {
        // Messenger takes any bytes as a file. Which of them are programs, only Parley asks.
        if (type === "file" && connection === "messenger") continue;
        for (const contentType of closedTypeNames) {
          const here = checkPosted(connection, { contentType, type }, { size: head.length, head }) === null;
          const there = isAllowedType({ connection }, type, copyContentType({ contentType }, head), head);
          if (here) verdicts.push(name);
          if (here !== there) differences.push(`${name} as ${type}, ${contentType}: ${here ? "passes" : "is refused"}`);
        }
      }
    }
    expect(differences).toEqual([]);
    // Each accepted file passes as at least one type.
    const accepted = [...closedTypeNames, ...acceptedVariants.map(([name]) => name)].filter(
      (name) => !exceptions[connection].includes(name),
    );
    expect(new Set(verdicts)).toEqual(new Set(accepted));
  },
);
