import { expect, it } from "vitest";
import { readPage } from "./markdown.ts";

const terms = [...`${readPage("docs/concepts.md")}\n`.matchAll(/^\*\*(\w+)\.\*\* ([\s\S]+?)\n\n/gm)].map(
  ([, term = "", text = ""]) => ({
    term,
    sentences: text.split(/[.!?](?=\s|$)/).filter((sentence) => sentence.trim()),
  }),
);

it("docs/concepts.md explains the terms of the API", () => {
  expect(terms.map(({ term }) => term)).toEqual(expect.arrayContaining(["Tenant", "Account", "Hold", "Attempt"]));
});

it.each(terms)("docs/concepts.md explains $term in at most three sentences", ({ sentences }) => {
  expect(sentences.length).toBeLessThanOrEqual(3);
});
