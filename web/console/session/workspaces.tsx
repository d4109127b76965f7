import { useState } from "react";
import { Link } from "wouter";
import { ParleyError } from "#client";
import { printableText } from "../../../packages/client/src/printable.ts";
import { problemLine } from "../common/problems.ts";
import { useOneAtATime } from "../common/use-one-at-a-time.ts";
import { inboxPath } from "../paths.ts";
import { account, type Me } from "./session.ts";
import { useSession } from "./session-provider.tsx";
import { texts } from "./texts.ts";

/** What a person sees who belongs to no workspace: their invites, and a form for a new workspace. */
export function NoWorkspace() {
  return (
    <>
      <h1>{texts.noWorkspace}</h1>
      <p>{texts.noWorkspaceText}</p>
      <Invites />
      <NewWorkspace />
    </>
  );
}

/** The workspaces of the person, where the address names none of them. @param reason why they choose */
export function ChooseWorkspace({ reason }: { reason: string }) {
  const { workspaces } = useSession();
  return (
    <>
      <h1>{texts.choose}</h1>
      <p role="status">{reason}</p>
      <ul className="choices">
        {workspaces.map(({ id, name }) => (
          <li key={id}>
            <Link className="btn" href={inboxPath(id)}>
              <bdi>{printableText(name)}</bdi>
            </Link>
          </li>
        ))}
      </ul>
      <Invites />
    </>
  );
}

/** A workspace that its operator suspended. */
export function SuspendedWorkspace() {
  const { workspaces } = useSession();
  return (
    <>
      <h1>{texts.suspended}</h1>
      <p>{texts.suspendedText}</p>
      {workspaces.length > 1 ? (
        <Link className="btn" href="/app">
          {texts.otherWorkspace}
        </Link>
      ) : null}
    </>
  );
}

/** The invites that wait for the person. */
export function Invites() {
  const { me, reload } = useSession();
  if (me.invites.length === 0) return null;
  return (
    <section className="invites" aria-label={texts.invites}>
      <h2>{texts.invites}</h2>
      <ul>
        {me.invites.map((invite) => (
          <Invite key={invite.id} invite={invite} onDone={reload} />
        ))}
      </ul>
    </section>
  );
}

function Invite({ invite, onDone }: { invite: Me["invites"][number]; onDone: () => Promise<void> }) {
  const [problem, setProblem] = useState("");
  const { isBusy, run } = useOneAtATime();
  const answer = (operation: "accept" | "decline") =>
    run(async () => {
      try {
        await account.invites[operation](invite.id);
        await onDone();
      } catch (error) {
        setProblem(problemLine(error));
      }
    });
  return (
    <li>
      <div>
        <b dir="auto">{texts.invite(printableText(invite.name), invite.role)}</b>
        {invite.invited_by_email === null ? null : (
          <p dir="auto">{texts.invitedBy(printableText(invite.invited_by_email))}</p>
        )}
        <p className="problem" role="alert">
          {problem}
        </p>
      </div>
      <button type="button" className="btn first" aria-disabled={isBusy} onClick={() => void answer("accept")}>
        {texts.accept}
      </button>
      <button type="button" className="btn" aria-disabled={isBusy} onClick={() => void answer("decline")}>
        {texts.decline}
      </button>
    </li>
  );
}

function NewWorkspace() {
  const { reload } = useSession();
  const [name, setName] = useState("");
  const [slug, setSlug] = useState("");
  const [problem, setProblem] = useState("");
  const { isBusy, run } = useOneAtATime();
  const create = async () => {
    try {
      await account.tenants.create({ id: slug, name: name.trim() });
      await reload();
      // Where the list has the workspace, this form is gone.
      setProblem(texts.createdUnlisted);
    } catch (error) {
      setProblem(creationProblem(error));
      // One whose answer was lost is in the list of workspaces, and the console goes on.
      await reload();
    }
  };
  return (
    <form
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        void run(create);
      }}
    >
      <h2>{texts.create}</h2>
      <label>
        <span>{texts.workspaceName}</span>
        <input required value={name} onChange={(event) => setName(event.currentTarget.value)} />
      </label>
      <label>
        <span>{texts.slug}</span>
        <input
          required
          value={slug}
          autoCapitalize="none"
          spellCheck={false}
          pattern="[a-z][a-z0-9\-]{1,38}[a-z0-9]"
          onChange={(event) => setSlug(event.currentTarget.value.toLowerCase())}
        />
        <small>{texts.slugText}</small>
      </label>
      <p className="problem" role="alert">
        {problem}
      </p>
      <div className="acts">
        <button type="submit" className="btn first" aria-disabled={isBusy}>
          {texts.createButton}
        </button>
      </div>
    </form>
  );
}

function creationProblem(error: unknown): string {
  const code = error instanceof ParleyError ? error.code : "";
  if (code === "tenant_exists") return texts.taken;
  if (code === "workspace_limit") return texts.limit;
  if (code === "forbidden") return texts.signUpClosed;
  if (error instanceof ParleyError && code === "invalid_request") return texts.slugText;
  return problemLine(error);
}
