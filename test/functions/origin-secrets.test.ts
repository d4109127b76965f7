import { CreateSecretCommand, PutSecretValueCommand } from "@aws-sdk/client-secrets-manager";
import { expect, it } from "vitest";
import { env } from "#base/config/names.ts";
import { originSecrets } from "../../functions/support/origin-secrets.ts";
import { startEmulatorFixture } from "../packages/local-aws/emulators/support/emulator-fixture.ts";
import { openedOnce } from "../support/opened.ts";

const fixture = openedOnce(startEmulatorFixture);
const readerFor = (ids: string | undefined) =>
  originSecrets({ settings: { [env.originSecretIds]: ids }, clients: { secrets: fixture.secrets } });

it("a function without the setting believes no forwarded address", () => {
  expect(readerFor(undefined)).toBeNull();
  expect(readerFor("")).toBeNull();
});

it("a function accepts every secret that its setting names, and reads each once", async () => {
  for (const Name of ["now", "next"]) {
    await fixture.secrets.send(new CreateSecretCommand({ Name, SecretString: `${Name}-text` }));
  }
  const read = readerFor("now,next");
  expect(await read?.()).toEqual(["now-text", "next-text"]);
  await fixture.secrets.send(new PutSecretValueCommand({ SecretId: "now", SecretString: "changed" }));
  expect(await read?.()).toEqual(["now-text", "next-text"]);
});

it("a secret that could not be read is requested again with the next request", async () => {
  const read = readerFor("later");
  await expect(read?.()).rejects.toMatchObject({ name: "ResourceNotFoundException" });
  await fixture.secrets.send(new CreateSecretCommand({ Name: "later", SecretString: "here" }));
  expect(await read?.()).toEqual(["here"]);
});
