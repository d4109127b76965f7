import { expect, test } from "vitest";
import type { Connection } from "#features/accounts/rules/accounts.ts";
import { type MediaType, mediaTypes } from "#features/sending/rules/send-content.ts";
import { checkDeclared, checkPosted } from "#features/uploads/rules/checks.ts";
import { acceptedTypes, type ClosedType, closedTypeNames, maxUploadSize } from "#features/uploads/rules/media-types.ts";
import { readPage } from "../../../docs/markdown.ts";
import { mediaFiles } from "../../../support/files/media-files.ts";
import { type CorpusFile, corpus } from "../../../support/files/program-files.ts";

const guide = readPage("docs/guides/uploads.md");
const connections: readonly Connection[] = ["instagram_login", "instagram_page", "messenger"];

interface Claim {
  readonly filename: string;
  readonly contentType: string;
  readonly bytes: Buffer;
  readonly type?: MediaType | undefined;
}

/** Whether a file passes the checks before the grant and the checks of what was posted. */
function passes(connection: Connection, { filename, contentType, bytes, type }: Claim): boolean {
  const declared = checkDeclared(connection, { filename, contentType, size: bytes.length, type });
  if ("refused" in declared) {
    expect(declared.refused).toBe("unsupported_media_type");
    return false;
  }
  const refusal = checkPosted(connection, declared, { size: bytes.length, head: bytes.subarray(0, 4_100) });
  expect(refusal === null || refusal.refused === "unsupported_media_type").toBe(true);
  return refusal === null;
}

const word = (isAccepted: boolean) => (isAccepted ? "accepted" : "refused");

/** What the guide says about a file. */
function corpusRow({ name, filename, contentType, bytes, type, claim = "application/pdf" }: CorpusFile): string {
  const itself = passes("messenger", { filename, contentType, bytes, type });
  const disguised = passes("messenger", { filename: "data.dat", contentType: "application/octet-stream", bytes });
  const claimed = (connection: Connection) => passes(connection, { filename: "data", contentType: claim, bytes });
  const byPage = claimed("instagram_page");
  const onInstagram = byPage
    ? `accepted as \`${claim}\`${claimed("instagram_login") ? "" : " by way of a page"}`
    : "refused";
  if (!byPage) expect(claimed("instagram_login")).toBe(false);
  return `| ${name} | ${word(itself)} | ${word(disguised)} | ${onInstagram} |`;
}

test("the guide lists what passes of the corpus, on each connection", () => {
  const rows = section("What the checks see").filter((line) => line.startsWith("| "));
  expect(rows.slice(1)).toEqual(corpus.map(corpusRow));
});

test("the guide lists the accepted types and limits of each connection", () => {
  const rows = section("Types and limits").filter((line) => line.startsWith("| "));
  const types = (connection: Connection, type: (typeof mediaTypes)[number]) =>
    connection === "messenger" && type === "file"
      ? "any type but a program"
      : acceptedTypes(connection, type)
          .map((name) => `\`${name}\``)
          .join(", ");
  expect(rows.slice(1)).toEqual(
    mediaTypes.map((type) => {
      const cells = connections.map((connection) => types(connection, type));
      return `| \`${type}\` | ${cells.join(" | ")} | ${maxUploadSize(type) / 2 ** 20} MB |`;
    }),
  );
});

const isVideoContainer = (type: ClosedType) => type === "video/mp4" || type === "video/quicktime";

test.each(connections)("each file of a closed type passes as itself or its family only: %s", (connection) => {
  for (const claim of closedTypeNames) {
    for (const type of closedTypeNames) {
      const isAccepted = mediaTypes.some((kind) => acceptedTypes(connection, kind).includes(claim));
      // An MP4 does not say at its start whether it contains sound only.
      const isTrue =
        claim === type ||
        (claim === "audio/mp4" && type === "video/mp4") ||
        (isVideoContainer(claim) && isVideoContainer(type));
      expect([
        claim,
        type,
        passes(connection, { filename: "a", contentType: claim, bytes: mediaFiles[type]() }),
      ]).toEqual([claim, type, isAccepted && isTrue]);
    }
  }
});

/** The lines of a section of the guide. */
function section(title: string): string[] {
  const [, text = ""] = guide.split(`## ${title}\n`);
  return (text.split("\n## ")[0] ?? "").split("\n");
}
