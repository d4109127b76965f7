import { printableText } from "../../../../packages/client/src/printable.ts";
import { problemLine } from "../../common/problems.ts";
import { useAccounts } from "../../common/use-accounts.ts";
import { texts } from "./texts.ts";
import type { ListChoice } from "./view-state.ts";

interface FiltersProps {
  readonly choice: ListChoice;
  readonly onChange: (change: Partial<ListChoice>) => void;
}

/** Limits the list to a platform, an account and a state of the window. */
export function Filters({ choice, onChange }: FiltersProps) {
  const accounts = useAccounts();
  const { platform, accountKey, window } = choice;
  const all = accounts.data?.accounts ?? [];
  const words = texts.filters;
  return (
    <>
      <div className="filters">
        <select
          aria-label={words.account}
          data-on={accountKey !== null}
          value={accountKey ?? ""}
          onChange={(event) => onChange({ accountKey: event.currentTarget.value || null })}
        >
          <option value="">{words.allAccounts}</option>
          {all.map((account) => (
            <option key={account.account_key} value={account.account_key}>
              {printableText(account.handle ?? account.external_id)}
            </option>
          ))}
        </select>
        <select
          aria-label={words.platform}
          data-on={platform !== null}
          value={platform ?? ""}
          onChange={(event) => onChange({ platform: (event.currentTarget.value || null) as ListChoice["platform"] })}
        >
          <option value="">{words.allPlatforms}</option>
          <option value="instagram">Instagram</option>
          <option value="messenger">Messenger</option>
        </select>
        <select
          aria-label={words.window}
          data-on={window !== null}
          value={window ?? ""}
          onChange={(event) => onChange({ window: (event.currentTarget.value || null) as ListChoice["window"] })}
        >
          <option value="">{words.anyWindow}</option>
          {(["closing", "open", "person", "closed"] as const).map((state) => (
            <option key={state} value={state}>
              {words[state]}
            </option>
          ))}
        </select>
      </div>
      {accounts.error && !accounts.data ? (
        <p className="searched" role="alert">
          {words.accountsFailed} {problemLine(accounts.error)}{" "}
          <button type="button" className="link" onClick={() => void accounts.refetch()}>
            {texts.again}
          </button>
        </p>
      ) : null}
    </>
  );
}
