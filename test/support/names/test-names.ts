import { readFileSync } from "node:fs";
import ts from "typescript";

// A test's name is read alone, in the report of a failure: it is a sentence with a subject of its own.

const words = (text: string) => new Set(text.trim().split(/\s+/));

/** Words that never begin a sentence of their own: the name takes its subject from elsewhere. */
const withoutSubject = words(`
  is are has have was were does do did can cannot could may must would will never and or but also that whose which again
  accept accepts add adds advances advises agrees allow allows alters applies arrives asked asks attaches awaits batched
  become becomes begin begins being belong belongs bill binds blamed blames caches carries catch catches clear
  come comes compile compiles complete completes computes conflicts connects contain contains continue continues copies cost
  covers create creates cuts decides defines delays delete deletes delivers denies dies differs disconnects
  distinguishes double drop drops edits encoded encodes erases escapes evaluates examine examines excludes
  exists expires extends fail finds forgets forwards get gets give gives goes hang happens identifies ignores include
  includes ingests interrupted jumps keep keeps leave leaves let lets listed match listens logs lose loses make makes
  matters named need needs notify obeys offers omits opened passes permits polls postpones prefers prevents prints publishes purges
  puts reach reaches receives recognizes reconnects recovers redeems redirects refuse refuses reject rejects removes repeats
  replaces require requires reserves resolve resolves responds restores restricts retains returned
  still  rotates runs saves say says searches sees selects serve settles shows signs stays stops strips subscribe subscribes succeed
  succeeds sums supports survive survives takes throttled throws treats use wait waits writes written
`);
/** These are nouns, too: "reads of an index cost …". */
const verbsOrNouns = words(`
  answer answers bills blocks bundles calls changes checks claims close closes count counts end ends fails finishes fires follows
  grants hints holds labels leases limits link links list lists lives marks matches name names open opens pauses pings posts
  duplicates feed feeds pages probes processes queues read reads records releases replies report reports requests retries returns routes schedules sends sets
  share show sizes stands start starts stores take test times types updates uploads uses visits work works
`);
const afterNoun = words("of traffic and are that have do may can must cost differ units");
/** They stand for a word of another name: "it is closed", "its detail has no token". */
const pronouns = words("it its they their them he him his she her");
/** With a verb behind them, these stand for a word of another name: "one fires", "none runs", "others are refused". */
const pronounsBeforeVerb = words("all both neither none one others");
/** A clause before the subject: a comma ends it. */
const conjunctions = words(`
  after although as because before despite however if once to twice unless until when where while
`);
/** A phrase before the subject, without a verb of its own: a comma ends it. */
const prepositions = words(`
  about at below behind beside between beyond by during for from in near of on over through under with within without
`);
const finiteVerb = /\s(is|are|was|were|has|have|does|do|cannot|can|may|must)\s/;
const relativeWord = /\s(that|which|who|whose|where|when|while|if)\s/;

/** `%s`, `$field` and `${expression}`. */
const placeholders = /%[a-z#%]|\$\{[^}]*\}|\$#?[\w.]*/gi;

/**
 * Whether a test's name begins in the middle of a sentence, such as "is refused", "returns 404" or "with a test key is
 * refused", or has no word of its own, such as "%s" or "$a: $b". A name may begin with a phrase that a comma ends:
 * "after a crash, the next worker sends".
 */
export function lacksSubject(name: string): boolean {
  if (!/[\p{L}\d]/u.test(name.replace(placeholders, ""))) return true;
  const [first = "", second = ""] = name.split(/[\s,:]+/);
  if (conjunctions.has(first) || prepositions.has(first)) return !subjectFollows(name, prepositions.has(first));
  if (pronouns.has(first)) return true;
  if (pronounsBeforeVerb.has(first)) return withoutSubject.has(second) || /^(fires|runs|ends|starts)$/.test(second);
  return withoutSubject.has(first) || (verbsOrNouns.has(first) && !afterNoun.has(second));
}

/** Whether a subject follows on the opening of a name, such as "after a crash, the next worker sends". */
function subjectFollows(name: string, isPhrase: boolean): boolean {
  const [opening = "", ...parts] = name.split(/, /);
  const verb = finiteVerb.exec(opening);
  if (isPhrase && verb && !relativeWord.test(opening.slice(0, verb.index + 1))) return false;
  return parts.some((part) => {
    const [first = ""] = part.split(/[\s,:]+/);
    if (/^at (least|most) /.test(part)) return true;
    return !(conjunctions.has(first) || prepositions.has(first) || withoutSubject.has(first) || first === "not");
  });
}

/** A name of a test: where it stands, and its text as in the code, with its placeholders. */
interface TestName {
  readonly line: number;
  readonly name: string;
}

/** The names that a file gives to `it`, `test` and `eachFault`, also with `each`, `for` and `skipIf`. */
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
    if (ts.isCallExpression(node) && /^(it|test|eachFault)$/.test(calledName(node.expression)))
      collect(node.arguments[0]);
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
