import { expect, it } from "vitest";
import { operatorPages } from "../../web/docs/site/page-list.ts";
import { pages, readPage } from "./markdown.ts";

// Who reads the published pages has the packages. Only a contributor has the repository.

const OF_REPOSITORY =
  /npm run (?:--silent )?(?:local\b|simulator\b|(?:client|receiver|cli|dev):pack|admin -- (?:listen|message|reply|hold|scenario|clock|env)\b)/;
const OF_PACKAGE = /npx parley\b|npm install @parley\//;
const published = pages.filter(
  (page) => page.startsWith("docs/guides/") || operatorPages.includes(page.slice("docs/".length)),
);

it("a published page has a command of a package before that of the repository which does the same", () => {
  expect(published.length).toBeGreaterThan(30);
  const wrong = published.filter((page) => {
    const text = readPage(page);
    const [repository, ofPackage] = [text.search(OF_REPOSITORY), text.search(OF_PACKAGE)];
    return repository !== -1 && (ofPackage === -1 || ofPackage > repository);
  });
  expect(wrong).toEqual([]);
});
