import { expect, it } from "vitest";
import { controlTokenProblem } from "#loopback/control-token.ts";

it("a call needs the token as its bearer token, and else is refused with where it is", () => {
  const token = { value: "0123456789abcdef", location: "It is in the test." };
  for (const authorization of ["Bearer 0123456789abcdef", "bearer  0123456789abcdef"])
    expect(controlTokenProblem(authorization, token)).toBeNull();
  expect(controlTokenProblem(undefined, token)).toBe(
    "Missing control token. Send it as Authorization: Bearer <token>. It is in the test.",
  );
  const others = ["", "Bearer", "Bearer ", "0123456789abcdef", "Basic 0123456789abcdef", "Bearer 0123456789abcdef x"];
  for (const authorization of [
    ...others,
    "Bearer 0123456789abcdee",
    "Bearer 0123456789abcde",
    "Bearer 0123456789abcdef0",
  ])
    expect(controlTokenProblem(authorization, token)).toContain("Wrong control token.");
});
