import { CircleCheck, TriangleAlert } from "lucide-react";
import { Link } from "wouter";
import { Note } from "../admin/note.tsx";
import { accountName } from "../data/accounts.ts";
import { platformName } from "../data/names.ts";
import { useWorkspace } from "../data/workspace.tsx";
import { inboxPath } from "../paths.ts";
import type { Account } from "./account-health.ts";
import type { LoginEnd } from "./login-end.ts";
import { texts } from "./texts.ts";

/** Says how a login ended, and links to the inbox where messages now arrive. @param accounts those of the workspace; null while they are loaded */
export function LoginResult({ end, accounts }: { end: LoginEnd; accounts: readonly Account[] | null }) {
  const { tenant } = useWorkspace();
  if (end.kind === "error") {
    return (
      <div role="alert">
        <Note Icon={TriangleAlert} tone="bad" title={texts.loginError(end.code)} />
      </div>
    );
  }
  if (accounts === null) return null;
  return (
    <div role="status">
      <Note
        Icon={CircleCheck}
        tone="good"
        title={connectedText(end.keys, accounts)}
        action={
          <Link className="btn small" href={inboxPath(tenant)}>
            {texts.openInbox}
          </Link>
        }
      />
    </div>
  );
}

function connectedText(keys: readonly string[], accounts: readonly Account[]): string {
  const connected = accounts.filter(({ account_key }) => keys.includes(account_key));
  if (connected.length === 0) return texts.connected;
  const names = connected.map((account) => texts.nameOn(accountName(account), platformName(account.platform)));
  return texts.connectedNames(names.join(texts.andName), names.length === 1);
}
