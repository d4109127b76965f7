import { expect, it } from "vitest";
import { refuse } from "#base/kernel/refusals.ts";
import { failure } from "#http/serve.ts";
import { plantedIn, plantedText } from "../support/files/planted-characters.ts";

it("the detail of an error has no planted character of a platform or a person", async () => {
  const response = failure(refuse("upload_refused", plantedText("The platform said: ", "!\nTry again.")));
  const { error } = (await response.json()) as { error: { detail: string } };
  expect(plantedIn(error.detail)).toEqual([]);
  expect(error.detail).toMatch(/^The platform said: .*x.*!\nTry again\.$/s);
});
