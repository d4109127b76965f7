// The API's responses as clients see them. They are declared here independently, so that a renamed field fails a test.

export interface ListedMessage {
  readonly id: string;
  readonly direction: string;
  readonly text: string;
  readonly sent_at: string;
  readonly sent_via: string;
  readonly attachments: readonly { readonly type: string; readonly url: string | null }[];
}

export interface ListedConversation {
  readonly id: string;
  readonly tenant_id: string;
  readonly platform: string;
  readonly participant_id: string;
  readonly participant_profile: string;
  readonly last_inbound_at: string | null;
  readonly last_outbound_at: string | null;
  readonly last_message_text: string;
  readonly window: { readonly state: string; readonly expires_at: string | null };
  readonly unanswered: boolean;
  readonly can_reply: boolean;
}

export interface ListedDelivery {
  readonly delivery_id: string;
  readonly event_id: string;
  readonly event_type: string;
  readonly status: string;
  readonly attempt_number: number;
  readonly next_retry_at: number | null;
  readonly last_response_status: number | null;
  readonly last_error: string | null;
  readonly created_at: number;
  readonly updated_at: number;
}

export interface ListedEndpoint {
  readonly id: string;
  readonly url: string;
  readonly status: string;
  readonly signing_secret_prefix: string;
  readonly secondary_active: boolean;
}

/** An upload; of the response that creates it, its grant. */
export interface ListedUpload {
  readonly id: string;
  readonly status: string;
  readonly filename: string;
  readonly content_type: string;
  readonly size: number;
  readonly type: string;
  readonly attachment?: { readonly id: string; readonly type: string };
  readonly error?: { readonly code: string; readonly detail: string };
  readonly url: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly max_size: number;
}

/** The data fields of all routes. A test reads the fields of the route it called. */
export interface ResponseData {
  readonly conversations: readonly ListedConversation[];
  readonly conversation: ListedConversation;
  readonly messages: readonly ListedMessage[];
  readonly message: ListedMessage;
  readonly next_cursor: string | null;
  readonly accounts: readonly { readonly account_key: string; readonly handle: string }[];
  readonly endpoints: readonly ListedEndpoint[];
  readonly endpoint: ListedEndpoint;
  readonly signing_secret: string;
  readonly deliveries: readonly ListedDelivery[];
  readonly delivery_id: string;
  readonly truncated: boolean;
  readonly matched: number;
  readonly enqueued: number;
  readonly skipped: number;
  readonly platform_message_id: string;
  readonly upload: ListedUpload;
}

export interface Envelope {
  readonly ok: boolean;
  readonly data: ResponseData;
  readonly error: { readonly code: string; readonly message: string; readonly detail: string };
}

/** One response of the gateway. */
export interface ApiResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON; null if it is not JSON. */
  readonly body: Envelope;
}

export async function readResponse(response: Response): Promise<ApiResponse> {
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: parseJsonOrNull(text) as Envelope };
}

export function parseJsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
