import { giveAudit, giveDeliveries, giveInvites, giveKeys, giveNewKey, giveNewSecret } from "./admin-answers.ts";
import { busy, troubled } from "./overview-states.ts";
import type { PictureState } from "./states.ts";
import type { Visit } from "./visit.ts";

const go = (path: string) => (visit: Visit) => visit.open(`/app/demo/${path}`);
const press = (name: string | RegExp) => (visit: Visit) => visit.press(name);
const pressInDialog =
  (name: string) =>
  ({ page }: Visit) =>
    page.locator("dialog").getByRole("button", { name, exact: true }).last().click();
const openEndpoint = [giveDeliveries, busy, go("webhooks/end_2")];

/** The pages for webhooks, keys, the team, the audit log and what waits, with their dialogs. */
export const adminStates: readonly PictureState[] = [
  {
    name: "webhooks-none",
    steps: [({ answers }) => answers.give("GET /v1/webhooks", { endpoints: [] }), go("webhooks")],
    shown: ".blank-page",
  },
  {
    name: "webhooks-add",
    steps: [busy, go("webhooks"), press("Add an endpoint"), ({ page }) => page.getByLabel("Only these").check()],
    shown: ".event-choice li",
  },
  { name: "webhooks-events", steps: [busy, go("webhooks"), press("Event types")], shown: ".catalog li" },
  { name: "endpoint", steps: openEndpoint, shown: "main tbody tr" },
  {
    name: "delivery",
    steps: [...openEndpoint, ({ page }) => page.locator("main tbody tr a").first().click()],
    shown: ".attempts li",
  },
  {
    name: "endpoint-secret",
    steps: [giveNewSecret, ...openEndpoint, press("Rotate secret"), pressInDialog("Rotate secret")],
    shown: ".secret",
  },
  { name: "endpoint-replay", steps: [...openEndpoint, press("Send many again")], shown: "dialog[open] .range" },
  {
    name: "endpoint-delete",
    steps: [...openEndpoint, press("More actions"), press("Delete")],
    shown: "dialog[open] input",
  },
  { name: "api-keys", steps: [giveKeys, go("keys")], shown: ".cards tbody tr" },
  {
    name: "api-keys-none",
    steps: [({ answers }) => answers.give("GET /v1/keys", { keys: [] }), go("keys")],
    shown: ".blank-page",
  },
  { name: "api-keys-new", steps: [giveKeys, go("keys"), press("Create a key")], shown: "dialog[open] input" },
  {
    name: "api-keys-secret",
    steps: [giveKeys, giveNewKey, go("keys"), press("Create a key"), pressInDialog("Create")],
    shown: ".secret",
  },
  { name: "team", steps: [giveInvites, go("team")], shown: "ul[aria-label='Open invites']" },
  { name: "team-invite", steps: [giveInvites, go("team"), press("Invite someone")], shown: "dialog[open] input" },
  { name: "audit", steps: [giveKeys, giveAudit, go("audit")], shown: ".audit tbody tr" },
  { name: "waiting", steps: [busy, troubled, giveKeys, go("waiting")], shown: "main li" },
  {
    name: "waiting-none",
    steps: [({ answers }) => answers.give("GET /v1/webhooks", { endpoints: [] }), go("waiting")],
    shown: "main h1",
  },
];
