import ts from "typescript";

/** A regular expression in a source file. */
export interface Expression {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** Null where the code builds the source from values that are unknown before it runs. */
  readonly source: string | null;
  readonly flags: string;
  /** Why its cost may be more than linear, as a comment that begins with `Super-linear:` on the line above says. */
  readonly exception: string | null;
}

const EXCEPTION = /^\/\/ Super-linear: (.+)$/;

/** Every regular expression of a file: literals, and calls of `new RegExp` with strings and constants of the file. */
export function findExpressions(file: string, text: string): Expression[] {
  const sourceFile = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const lines = text.split("\n");
  const expressions: Expression[] = [];
  const add = (node: ts.Node, source: string | null, flags: string) => {
    const { line } = sourceFile.getLineAndCharacterOfPosition(node.getStart());
    const exception = EXCEPTION.exec(lines[line - 1]?.trim() ?? "")?.[1] ?? null;
    expressions.push({ file, line: line + 1, source, flags, exception });
  };
  const visit = (node: ts.Node) => {
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf("/");
      add(node, node.text.slice(1, end), node.text.slice(end + 1));
    }
    if ((ts.isNewExpression(node) || ts.isCallExpression(node)) && node.expression.getText() === "RegExp") {
      const [source, flags] = node.arguments ?? [];
      add(node, source ? constantText(source, sourceFile) : null, flags ? (constantText(flags, sourceFile) ?? "") : "");
    }
    ts.forEachChild(node, visit);
  };
  visit(sourceFile);
  return expressions;
}

/** The value of a text that is made of strings and constants of its file; null for any other. */
function constantText(node: ts.Expression, sourceFile: ts.SourceFile): string | null {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isIdentifier(node)) {
    const initializer = constants(sourceFile).get(node.text);
    return initializer ? constantText(initializer, sourceFile) : null;
  }
  if (!ts.isTemplateExpression(node)) return null;
  let text = node.head.text;
  for (const { expression, literal } of node.templateSpans) {
    const value = constantText(expression, sourceFile);
    if (value === null) return null;
    text += value + literal.text;
  }
  return text;
}

/** The initializers of the constants at the top of a file. */
function constants(sourceFile: ts.SourceFile): ReadonlyMap<string, ts.Expression> {
  return new Map(
    sourceFile.statements
      .filter(ts.isVariableStatement)
      .filter(({ declarationList }) => (declarationList.flags & ts.NodeFlags.Const) !== 0)
      .flatMap(({ declarationList }) => [...declarationList.declarations])
      .flatMap(({ name, initializer }) => (ts.isIdentifier(name) && initializer ? [[name.text, initializer]] : [])),
  );
}
