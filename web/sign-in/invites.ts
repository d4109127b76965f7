import { HttpClient, ParleyError } from "#client";
import { create, element, showText } from "../common/elements.ts";
import type { Session } from "../common/session.ts";

// The invites of the signed-in person, each with its two answers.

type Invite = Session["invites"][number];

const list = element("invites", HTMLElement);
const done = element("done", HTMLElement);
const problem = element("problem", HTMLElement);

const roleNames: Readonly<Record<Invite["role"], string>> = { agent: "an agent", admin: "an admin", owner: "an owner" };

export function showInvites(session: Session): void {
  list.replaceChildren(...session.invites.map((invite) => toItem(session, invite)));
  list.hidden = session.invites.length === 0;
}

function toItem(session: Session, invite: Invite): HTMLElement {
  const { name, tenant, role, invited_by_email: inviter } = invite;
  const text = create("p", {}, `Join ${name} (${tenant}) as ${roleNames[role]}?`);
  const from = create("p", { class: "soft" }, inviter === null ? "Invited by the operator." : `Invited by ${inviter}.`);
  const accept = create("button", { type: "button" }, "Accept");
  const decline = create("button", { type: "button", class: "second" }, "Decline");
  const item = create("li", { class: "invite" });
  item.append(text, from, accept, decline);
  const answer = (path: "accept" | "decline") => {
    if (item.getAttribute("aria-busy") === "true") return;
    item.setAttribute("aria-busy", "true");
    void send(session, invite, path).then((text) => {
      item.removeAttribute("aria-busy");
      if (text === null) return;
      item.remove();
      list.hidden = list.childElementCount === 0;
      showText(done, text);
    });
  };
  accept.addEventListener("click", () => answer("accept"));
  decline.addEventListener("click", () => answer("decline"));
  return item;
}

/** @returns what to say, or null where nothing is known to have changed: the page then says why */
async function send(
  { csrf_token }: Session,
  { id, name }: Invite,
  answer: "accept" | "decline",
): Promise<string | null> {
  problem.textContent = "";
  const client = new HttpClient({ csrfToken: csrf_token });
  try {
    if (answer === "accept") await client.request("POST /console/invites/{id}/accept", { path: { id } });
    else await client.request("POST /console/invites/{id}/decline", { path: { id } });
    return answer === "accept" ? `You are a member of ${name} now.` : `You declined the invite to ${name}.`;
  } catch (error) {
    if (error instanceof ParleyError && error.status === 404) return `The invite to ${name} has ended.`;
    problem.textContent = "Parley could not answer the invite. Try again.";
    return null;
  }
}
