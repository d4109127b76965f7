/** A mail, as `GET /_local/mail` returns it. */
export interface Mail {
  id: string;
  /** Milliseconds since 1970 by the stack's clock. */
  at: number;
  from: string;
  to: string[];
  cc: string[];
  bcc: string[];
  replyTo: string[];
  subject: string;
  text: string | null;
  html: string | null;
}
