import { afterEach, expect, it, vi } from "vitest";
import { ParleyError } from "#client";
import { isForbidden, isSignedOut, problemText } from "../../../../web/console/common/problems.ts";
import { reportRefusal } from "../../../../web/console/data/refusals.ts";

const error = (status: number | undefined, code: string) =>
  new ParleyError({ code, status, message: "<b>internal</b>" });

afterEach(() => vi.unstubAllGlobals());

it.each([
  [401, "unauthorized", "You are signed out.", "Sign in again."],
  [403, "forbidden", "Your role does not allow this.", "Ask an admin or an owner of the workspace."],
  [403, "csrf_failed", "Your session has changed.", "Reload the page, then try again."],
  [404, "upload_not_found", "This does not exist any more.", "Reload the page."],
  [404, "conversation_not_found", "This conversation does not exist any more.", "Choose another one."],
  [409, "tenant_exists", "This has changed in the meantime.", "Look at it again, then repeat it."],
  [409, "constructor", "This has changed in the meantime.", "Look at it again, then repeat it."],
  [413, "attachment_too_large", "This is too large.", "Make it smaller, then try again."],
  [429, "rate_limited", "Too many requests were made.", "Wait a minute, then try again."],
  [500, "internal_error", "Parley did not answer as expected.", "Try again in a minute."],
  [undefined, "connection_failed", "Parley could not be reached.", "Check your network, then try again."],
  [undefined, "timeout", "Parley did not answer in time.", "Try again in a minute."],
])("an error with status %s and code %s has words and a way on", (status, code, text, wayOn) => {
  expect(problemText(error(status, code))).toEqual({ text, wayOn });
});

it.each([
  [0, "Wi-Fi"],
  [200, "Wi-Fi"],
  [302, "Wi-Fi"],
  [511, "Wi-Fi"],
  [401, "Sign in again"],
  [413, "smaller"],
  [429, "Wait a minute"],
  [502, "in a minute"],
])("a page with status %i instead of an answer of Parley has a way on that helps: %s", (status, words) => {
  const code = status === 429 ? "rate_limited" : "unexpected_response";
  expect(problemText(error(status, code)).wayOn).toContain(words);
});

it.each([new Error("<b>internal</b>"), null, "text", error(418, "a_new_code")])(
  "an error that the console does not know, %s, has words of the console alone",
  (unknown) => {
    expect(problemText(unknown)).toEqual(problemText(error(500, "internal_error")));
  },
);

it("an ended session, a missing right and a changed session are three different problems", () => {
  const errors = [error(401, "unauthorized"), error(403, "forbidden"), error(403, "csrf_failed"), new Error("x")];
  expect(errors.map(isSignedOut)).toEqual([true, false, false, false]);
  expect(errors.map(isForbidden)).toEqual([false, true, false, false]);
});

it("a refused call is an event of the page when its session or its right is missing", () => {
  const types: string[] = [];
  vi.stubGlobal("dispatchEvent", (event: Event) => types.push(event.type));
  for (const status of [200, 401, 403, 404, 500]) reportRefusal({ status });
  expect(types).toEqual(["parley:signed-out", "parley:forbidden"]);
});
