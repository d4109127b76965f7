import verifyPython from "../../../docs/guides/receivers/verify.py?raw";
import verifyTypeScript from "../../../docs/guides/receivers/verify.ts?raw";
import type { Snippet } from "../admin/snippets.tsx";
import { signedRequest } from "./curl.ts";

const EXAMPLE = { id: "evt_test", type: "test.event" } as const;

/** How a program verifies what an endpoint gets, as the guides show it, and a request with which it can be tried. */
export function verifierSnippets(url: string): readonly Snippet[] {
  const body = JSON.stringify(EXAMPLE);
  return [
    { language: "TypeScript", code: verifyTypeScript.trim() },
    { language: "Python", code: verifyPython.trim() },
    { language: "curl", code: signedRequest({ url, body, eventId: EXAMPLE.id, eventType: EXAMPLE.type }) },
  ];
}
