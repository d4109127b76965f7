/** What a policy's `${…}` may stand for here: the characters that are otherwise wildcards. */
const ESCAPES: Readonly<Record<string, string>> = { "${*}": "*", "${?}": "?", "${$}": "$" };

/** The first policy variable of a pattern that has no value here, such as `${aws:username}`, or null. */
export function findVariable(pattern: string): string | null {
  // Super-linear: the patterns of a policy are short.
  return (pattern.match(/\$\{[^}]*\}/g) ?? []).find((variable) => !Object.hasOwn(ESCAPES, variable)) ?? null;
}

/** Whether a text matches a pattern of IAM, in which `*` is any text and `?` any character. */
export function matchesPattern(pattern: string, text: string, ignoresCase = false): boolean {
  const name = `${ignoresCase}${pattern}`;
  let expression = expressions.get(name);
  if (expression === undefined) {
    expression = toExpression(pattern, ignoresCase);
    expressions.set(name, expression);
  }
  return expression.test(text);
}

/** Of the patterns of policies, which are few. */
const expressions = new Map<string, RegExp>();

function toExpression(pattern: string, ignoresCase: boolean): RegExp {
  const parts = pattern.match(/\$\{[*?$]\}|[*?]|[^*?$]+|\$/gs) ?? [];
  const source = parts.map((part) => {
    if (part === "*") return ".*";
    if (part === "?") return ".";
    return (ESCAPES[part] ?? part).replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  });
  // Super-linear: the patterns of a policy are short, and so are ARNs.
  return new RegExp(`^${source.join("")}$`, ignoresCase ? "is" : "s");
}
