import { printableText } from "../../../packages/client/src/printable.ts";
import { SecretDialog } from "../admin/secret-dialog.tsx";
import type { Endpoint } from "./endpoint-state.ts";
import { texts } from "./texts.ts";
import { verifierSnippets } from "./verifier.ts";

interface SigningSecretProps {
  readonly endpoint: Endpoint;
  readonly secret: string;
  readonly text: string;
  readonly onClose: () => void;
}

/** Shows the signing secret of an endpoint once, with the code that verifies what it signs. */
export function SigningSecret({ endpoint, secret, text, onClose }: SigningSecretProps) {
  const url = printableText(endpoint.url);
  return (
    <SecretDialog
      title={texts.secretTitle}
      secret={secret}
      note={texts.secretNote(url)}
      snippets={verifierSnippets(endpoint.url)}
      onClose={onClose}
    >
      <p>{text}</p>
    </SecretDialog>
  );
}
