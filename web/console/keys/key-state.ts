import type { Data } from "#client";
import { DAY } from "../data/durations.ts";

export type Key = Data<"GET /v1/keys">["keys"][number];

const UNUSED = 90 * DAY;

/** Whether an active key was not used for 90 days, or never since it is as old. @param now epoch milliseconds */
export function isUnused({ status, created_at, last_used_at }: Key, now: number): boolean {
  return status === "active" && now - Date.parse(last_used_at ?? created_at) >= UNUSED;
}

/** The active keys, oldest first as the API lists them, and after them those that were revoked. */
export function arrangeKeys(keys: readonly Key[]): readonly Key[] {
  const isActive = ({ status }: Key) => status === "active";
  return [...keys.filter(isActive), ...keys.filter((key) => !isActive(key))];
}

const LABEL_CHARS_MAX = 100;

/** Whether the API takes a name of a key: one line of at most 100 characters without controls. */
export function isLabel(text: string): boolean {
  return [...text].length <= LABEL_CHARS_MAX && !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text);
}

/** How a program uses a key, which it has in the variable `PARLEY_KEY`. @param origin of the API */
export function keySnippets(origin: string): readonly { readonly language: string; readonly code: string }[] {
  const url = `${origin}/v1/conversations`;
  return [
    { language: "curl", code: `curl -sS ${url} \\\n  -H "Authorization: Bearer $PARLEY_KEY"` },
    {
      language: "TypeScript",
      code: [
        `const response = await fetch("${url}", {`,
        `  headers: { authorization: \`Bearer \${process.env.PARLEY_KEY}\` },`,
        "});",
        "const { data } = await response.json();",
      ].join("\n"),
    },
    {
      language: "Python",
      code: [
        "import json, os, urllib.request",
        "",
        "request = urllib.request.Request(",
        `    "${url}",`,
        `    headers={"Authorization": "Bearer " + os.environ["PARLEY_KEY"]},`,
        ")",
        'data = json.load(urllib.request.urlopen(request))["data"]',
      ].join("\n"),
    },
  ];
}
