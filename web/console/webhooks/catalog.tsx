import { Loading, LoadProblem } from "../admin/load-problem.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Json } from "./json.tsx";
import { texts } from "./texts.ts";
import { useCatalog } from "./use-catalog.ts";

/** Every event type with its meaning and an example. */
export function Catalog({ onClose }: { onClose: () => void }) {
  const catalog = useCatalog();
  return (
    <Dialog title={texts.catalog} onClose={onClose}>
      <p className="soft">{texts.catalogText}</p>
      {catalog.isPending ? <Loading /> : null}
      {catalog.error ? <LoadProblem error={catalog.error} onAgain={() => void catalog.refetch()} /> : null}
      <ul className="catalog">
        {catalog.data?.event_types.map(({ type, description, example }) => (
          <li key={type}>
            <details>
              <summary>
                <span className="mono">{type}</span>
                <small>{description}</small>
              </summary>
              <Json value={example} label={`${texts.example}: ${type}`} />
            </details>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
