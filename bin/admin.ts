import { type Answer, type Arguments, readArguments, USAGE } from "./admin/arguments.ts";
import { deadLetters } from "./admin/dlq.ts";
import { listen } from "./admin/listen.ts";
import { newKey, newOperatorKey, newTenant } from "./admin/tenants.ts";
import { Unable } from "./admin/unable.ts";

try {
  const values = readArguments(process.argv.slice(2));
  if (values.words.join(" ") === "listen") await listen(values);
  else if (values.words[0] === "dlq") process.exitCode = await deadLetters(values);
  else print(await run(values), values.json);
} catch (error) {
  if (!(error instanceof Unable)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

async function run(values: Arguments): Promise<Answer> {
  switch (values.words.slice(0, 2).join(" ")) {
    case "tenant create":
      return newTenant(values);
    case "key create":
      return newKey(values);
    case "operator-key create":
      return newOperatorKey(values);
    default:
      throw new Unable(USAGE);
  }
}

function print(answer: Answer, json: boolean): void {
  if (json) process.stdout.write(`${JSON.stringify(answer)}\n`);
  else for (const [name, value] of Object.entries(answer)) process.stdout.write(`${name}: ${value ?? "none"}\n`);
}
