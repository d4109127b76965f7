import { readFileSync } from "node:fs";
import ts from "typescript";

// A test's name is read alone, in the report of a failure: it is a sentence with a subject of its own.

const words = (text: string) => new Set(text.trim().split(/\s+/));

/** Verbs and conjunctions: a name that begins with one takes its subject from elsewhere. */
const withoutSubject = words(`
  is are has have was were does do did can cannot could may must would will never and or but also that whose which again
  accept accepts add adds advances advises agrees allow allows alters answer answers applies arrives asks attaches awaits
  become becomes begin begins being belong belongs bills binds blames blocks caches calls carries catch catches changes
  checks claims clears close closes come comes compiles complete completes computes conflicts connects contain contains
  continue continues copies costs counts covers creates cuts decides defines delays delete deletes delivers denies dies
  differs disconnects distinguishes drop drops encodes end ends erases escapes evaluates examine examines excludes
  expires extends fail fails finds finishes fires follows forgets forwards get gets give gives goes grants hang happens
  hints holds identifies ignores include includes ingests jumps keep keeps labels leads leases leave leaves lets lifts
  limits links list lists listens lives logs lose loses make makes marks matches matters names needs obeys offers omits
  opens passes pauses permits pings polls posts postpones prefers prevents prints probes processes publishes purges puts
  queues reach reaches reads receives recognizes reconnects records recovers redeems redirects refuse refuses rejects
  releases removes repeats replaces replies report reports requests require requires reserves resolves responds restores
  restricts retains retries returns rotates routes runs saves say says schedules searches sees selects sends sets settles
  share show shows signs stands starts stays stops stores strips subscribe subscribes succeed succeeds sums supports
  survive survives takes throws treats types updates uploads uses visits waits work works writes
`);
/** After one of these words, the first one is a noun: "reads of an index", "names and times". */
const afterNoun = words("of and are have do may can must cost differ");
/** A clause or phrase before the subject: a comma ends it. */
const openings = words(`
  about after although as at because before below beyond by despite during for from if in of on once over to twice under
  unless until when where while with within without
`);

/**
 * Whether a test's name begins in the middle of a sentence, such as "is refused", "returns 404" or "with a test key is
 * refused". A name may begin with a phrase that a comma ends: "after a crash, the next worker sends".
 */
export function lacksSubject(name: string): boolean {
  const [first = "", second = ""] = name.split(/\s+/);
  if (openings.has(first)) return !/, (?!and |but |or |not |also |as |with )/.test(name);
  return withoutSubject.has(first) && !afterNoun.has(second);
}

/** A name of a test: where it stands, and its text as in the code, with its placeholders. */
interface TestName {
  readonly line: number;
  readonly name: string;
}

/** The names that a file gives to `it` and `test`, also with `each`, `for` and `skipIf`. */
export function testNames(path: string): TestName[] {
  const source = ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.Latest, true);
  const names: TestName[] = [];
  const collect = (name: ts.Node | undefined): void => {
    if (name && ts.isConditionalExpression(name)) {
      collect(name.whenTrue);
      collect(name.whenFalse);
    } else if (name && (ts.isStringLiteralLike(name) || ts.isTemplateExpression(name))) {
      const { line } = source.getLineAndCharacterOfPosition(name.getStart());
      names.push({ line: line + 1, name: name.getText().slice(1, -1) });
    }
  };
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && /^(it|test)$/.test(calledName(node.expression))) collect(node.arguments[0]);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return names;
}

/** `it` of `it.skipIf(…).each(…)`. */
function calledName(node: ts.Expression): string {
  if (ts.isIdentifier(node)) return node.text;
  if (ts.isCallExpression(node) || ts.isPropertyAccessExpression(node)) return calledName(node.expression);
  return ts.isTaggedTemplateExpression(node) ? calledName(node.tag) : "";
}
