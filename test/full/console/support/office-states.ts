import { account, HOUR, loginPage, type SmallWorld } from "./small-world.ts";
import { openCircuit } from "./webhook-model.ts";

type Step = (world: SmallWorld) => Promise<unknown>;

const ago = (hours: number) => new Date(Date.now() - hours * HOUR).toISOString();

/** Something of each kind on the pages beside the inbox, what works and what does not. */
const filled: Step = async (world) => {
  const { office, webhooks } = world;
  world.accounts = [
    account("Acme Studio", { token_expires_at: ago(-24 * 40), subscribed_at: ago(3) }),
    account("Acme Mill", { account_key: "messenger#9", status: "needs_reauth", status_detail: "Error 190" }),
    account("Acme Shop", { account_key: "instagram#7", status: "restricted", missing_since: ago(5) }),
    account("Acme Yard", { account_key: "instagram#8", status: "refresh_failing", refresh_error: "Error 4" }),
  ];
  world.loginPages = [loginPage("9", "Acme Mill", "acme.mill"), loginPage("10", "Acme Harbor")];
  webhooks.addEndpoint("end_1", "https://erp.example/parley", openCircuit(ago(1), ago(-1)));
  webhooks.addEndpoint("end_2", "https://old.example/parley", { status: "paused", paused_by: "system" });
  for (const status of ["retrying", "failed", "dlq", "blocked", "delivered"] as const) webhooks.addDelivery(status);
  office.addMember("usr_me", "Mia", "owner");
  office.addMember("usr_ben", "Ben Hale", "agent");
  office.addInvite("inv_1", "kim@example.com");
  office.addInvite("inv_2", "lou@example.com", { status: "expired" });
  office.addKey("desk", "Order desk");
  office.addKey("gone", "Old one", { status: "revoked" });
  office.addEntry("webhook.bulk_replay", "console:usr_ben", { enqueued: 44 });
  office.addEntry("session.sign_in", "console:usr_me");
};

const open = (path: string): Step[] => [filled, (world) => world.open(`/app/acme/${path}`)];
const press =
  (name: string | RegExp): Step =>
  (world) =>
    world.page.getByRole("button", { name, exact: true }).filter({ visible: true }).last().click();

/** The states of the pages beside the inbox. */
export const officeStates: readonly {
  readonly name: string;
  readonly steps: readonly Step[];
  readonly shown: string;
}[] = [
  { name: "broken accounts", steps: open("accounts"), shown: ".account-list li:nth-child(4)" },
  { name: "a failed login", steps: open("accounts?error=oauth_denied"), shown: "[role=alert] .note" },
  {
    name: "a login that connected",
    steps: open("accounts?connected=instagram%23178414"),
    shown: "[role=status] .note.good",
  },
  { name: "the ways to connect", steps: [...open("accounts"), press("Connect an account")], shown: ".connect-ways" },
  { name: "an account's details", steps: [...open("accounts"), press("Manage Acme Mill")], shown: ".account-details" },
  { name: "the choice of a page", steps: open("accounts?choose=messenger"), shown: ".page-choice input" },
  { name: "the endpoints", steps: open("webhooks"), shown: "ul[aria-label=Endpoints] li" },
  { name: "a new endpoint", steps: [...open("webhooks"), press("Add an endpoint")], shown: "dialog[open] form" },
  { name: "the event catalogue", steps: [...open("webhooks"), press("Event types")], shown: "dialog[open]" },
  { name: "an endpoint", steps: open("webhooks/end_1"), shown: "main table tbody tr" },
  {
    name: "the question before a rotation",
    steps: [...open("webhooks/end_1"), press("Rotate secret")],
    shown: "dialog[open] form",
  },
  { name: "a delivery", steps: open("webhooks/end_1/dlv_2"), shown: "main pre" },
  { name: "the API keys", steps: open("keys"), shown: "table[aria-label=Keys]" },
  { name: "a new API key", steps: [...open("keys"), press("Create a key")], shown: "dialog[open] form" },
  { name: "the team", steps: open("team"), shown: "ul[aria-label=Members]" },
  { name: "an invite", steps: [...open("team"), press("Invite someone")], shown: "dialog[open] form" },
  { name: "the language of mails", steps: [...open("team"), press("Change the language")], shown: "dialog[open] form" },
  { name: "the audit log", steps: open("audit"), shown: "table[aria-label='Audit log'] tbody tr" },
  { name: "no endpoint", steps: [(world) => world.open("/app/acme/webhooks")], shown: ".blank-page" },
  { name: "no API key", steps: [(world) => world.open("/app/acme/keys")], shown: ".blank-page" },
];
