import { useState } from "react";
import { Link } from "wouter";
import { ParleyError } from "#client";
import { printableText } from "../../../packages/client/src/printable.ts";
import { problemLine } from "../common/problems.ts";
import { useOneAtATime } from "../common/use-one-at-a-time.ts";
import { Gate } from "../frame/gate.tsx";
import { inboxPath } from "../paths.ts";
import { Invites } from "../session/invites.tsx";
import { account, type OwnWorkspace } from "../session/session.ts";
import { useSession } from "../session/session-provider.tsx";
import { texts } from "../session/texts.ts";

export type OutsideProps =
  | { readonly kind: "none" | "choose" | "invites" }
  | { readonly kind: "suspended"; readonly workspace: Pick<OwnWorkspace, "id" | "name"> };

/** The page of a person who is in no workspace: they belong to none, the address names none of theirs, or it is suspended. */
export function OutsideWorkspace(props: OutsideProps) {
  return (
    <Gate>
      {props.kind === "none" ? <NoWorkspace /> : null}
      {props.kind === "choose" ? <ChooseWorkspace reason={texts.notYours} /> : null}
      {props.kind === "invites" ? <ChooseWorkspace reason={texts.invitesWait} /> : null}
      {props.kind === "suspended" ? <SuspendedWorkspace {...props.workspace} /> : null}
    </Gate>
  );
}

/** What a person sees who belongs to no workspace: their invites, and a form for a new workspace. */
function NoWorkspace() {
  const { me } = useSession();
  return (
    <>
      <h1>{texts.noWorkspace}</h1>
      <p dir="auto">
        {me.invites.length > 0 ? texts.noWorkspaceInvites : texts.noWorkspaceText(printableText(me.email))}
      </p>
      <Invites opensWorkspace />
      <NewWorkspace />
    </>
  );
}

/** The workspaces of the person, where the address names none of them. @param reason why they choose */
function ChooseWorkspace({ reason }: { reason: string }) {
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
              <small className="slug">{id}</small>
            </Link>
          </li>
        ))}
      </ul>
      <Invites opensWorkspace />
    </>
  );
}

/** A workspace that its operator suspended. @param workspace its slug and its name */
function SuspendedWorkspace({ id, name }: { id: string; name: string }) {
  const { workspaces } = useSession();
  return (
    <>
      <h1>{texts.suspended}</h1>
      <p dir="auto">{texts.named(printableText(name), id)}</p>
      <p>{texts.suspendedText}</p>
      {workspaces.length > 1 ? (
        <Link className="btn" href="/app">
          {texts.otherWorkspace}
        </Link>
      ) : null}
    </>
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
