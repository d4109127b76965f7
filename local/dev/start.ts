import { fileURLToPath } from "node:url";
import { LocalRefusal } from "#local-aws/support/local-refusal.ts";
import { printLine } from "#loopback/terminal.ts";
import { AWS_CLIENT_VARIABLE } from "../../lib/bundles/aws-client.ts";
import { localHelp } from "../stack/help.ts";
import { openSeedPorts } from "../stack/seed-ports.ts";
import { type LocalSettings, readSettings, requestsHelp } from "../stack/settings.ts";
import { runStackProcess } from "../stack/stack-process.ts";

/** The templates and the bundles of the functions, which the build of the package writes beside this module. */
const ASSEMBLY = fileURLToPath(new URL("./assembly", import.meta.url));

/** The settings that change the templates, by their variables. */
const templateSettings = { PARLEY_SITE_URL: "siteUrl", PARLEY_SIGN_UP: "openSignUp", PARLEY_SIZE: "isSmall" } as const;

/** Runs the stack of the package. @param flags those of `parley dev` */
export async function start(flags: readonly string[]): Promise<void> {
  if (requestsHelp(flags)) {
    const omitted = [...Object.keys(templateSettings), AWS_CLIENT_VARIABLE];
    printLine(localHelp({ usage: "parley dev", details: "/docs/operate/local-stack of the running stack", omitted }));
    return;
  }
  await runStackProcess(() => ({ ...packagedSettings(flags), seedPorts: openSeedPorts, assembly: ASSEMBLY }), {
    commands: "npx parley",
  });
}

/** @throws LocalRefusal for a setting that needs other templates than those of the package */
function packagedSettings(flags: readonly string[]): LocalSettings {
  const settings = readSettings(flags, process.env);
  const changed = Object.entries(templateSettings).find(([, name]) => settings[name] !== undefined)?.[0];
  const refused = changed ?? (process.env[AWS_CLIENT_VARIABLE] === "sdk" ? AWS_CLIENT_VARIABLE : undefined);
  if (refused === undefined) return settings;
  throw new LocalRefusal(
    `${refused} changes the templates, and those of this package are built. Unset it, or run npm run local in the repository of Parley.`,
  );
}
