// Generated from docs/openapi.json by `npm run client:types`.

export interface components {
    schemas: {
        Account: {
            account_key: string;
            platform: "instagram" | "messenger";
            external_id: string;
            handle: string;
            display_name: string;
            page_id: string | null;
            /**
             * @description How the account is connected: by a login of Instagram, as the Instagram account of a page, or as a page.
             * @enum {string}
             */
            connection: "instagram_login" | "instagram_page" | "messenger";
            status: "active" | "refresh_failing" | "needs_reauth" | "restricted";
            status_detail: string | null;
            refresh_error: string | null;
            last_refreshed_at: string | null;
            /** @description When the access token ends, unless it is refreshed before. Null for a token without an end. */
            token_expires_at: string | null;
            human_agent_blocked_at: string | null;
            /** @description When a check last saw that the platform sends every webhook of the account. Null before the first check did. */
            subscribed_at: string | null;
            /** @description Since when messages may be missing that no webhook brought. Null when nothing is missing, and again when they were fetched. */
            missing_since: string | null;
        };
        AccountConnectedEvent: {
            id: string;
            type: "account.connected";
            api_version: "1.0.0";
            created_at: string;
            tenant_id: string;
            data: {
                account: {
                    account_key: string;
                    platform: "instagram" | "messenger";
                    external_id: string;
                    handle: string;
                    display_name: string;
                    page_id: string | null;
                    status: "active" | "refresh_failing" | "needs_reauth" | "restricted";
                };
                reason: "user" | "platform_deauthorized" | "token_invalid" | "policy";
            };
        };
        AccountDisconnectedEvent: {
            id: string;
            type: "account.disconnected";
            api_version: "1.0.0";
            created_at: string;
            tenant_id: string;
            data: {
                account: {
                    account_key: string;
                    platform: "instagram" | "messenger";
                    external_id: string;
                    handle: string;
                    display_name: string;
                    page_id: string | null;
                    status: "active" | "refresh_failing" | "needs_reauth" | "restricted";
                };
                reason: "user" | "platform_deauthorized" | "token_invalid" | "policy";
            };
        };
        AccountNeeds_reauthEvent: {
            id: string;
            type: "account.needs_reauth";
            api_version: "1.0.0";
            created_at: string;
            tenant_id: string;
            data: {
                account: {
                    account_key: string;
                    platform: "instagram" | "messenger";
                    external_id: string;
                    handle: string;
                    display_name: string;
                    page_id: string | null;
                    status: "active" | "refresh_failing" | "needs_reauth" | "restricted";
                };
                reason: "user" | "platform_deauthorized" | "token_invalid" | "policy";
            };
        };
        AccountReconnectedEvent: {
            id: string;
            type: "account.reconnected";
            api_version: "1.0.0";
            created_at: string;
            tenant_id: string;
            data: {
                account: {
                    account_key: string;
                    platform: "instagram" | "messenger";
                    external_id: string;
                    handle: string;
                    display_name: string;
                    page_id: string | null;
                    status: "active" | "refresh_failing" | "needs_reauth" | "restricted";
                };
                reason: "user" | "platform_deauthorized" | "token_invalid" | "policy";
            };
        };
        AccountRecoveredEvent: {
            id: string;
            type: "account.recovered";
            api_version: "1.0.0";
            created_at: string;
            tenant_id: string;
            data: {
                account: {
                    account_key: string;
                    platform: "instagram" | "messenger";
                    external_id: string;
                    handle: string;
                    display_name: string;
                    page_id: string | null;
                    status: "active" | "refresh_failing" | "needs_reauth" | "restricted";
                };
                reason: "user" | "platform_deauthorized" | "token_invalid" | "policy";
            };
        };
        AccountRefresh_failingEvent: {
            id: string;
            type: "account.refresh_failing";
            api_version: "1.0.0";
            created_at: string;
            tenant_id: string;
            data: {
                account: {
                    account_key: string;
                    platform: "instagram" | "messenger";
                    external_id: string;
                    handle: string;
                    display_name: string;
                    page_id: string | null;
                    status: "active" | "refresh_failing" | "needs_reauth" | "restricted";
                };
                reason: "user" | "platform_deauthorized" | "token_invalid" | "policy";
            };
        };
        AccountRestrictedEvent: {
            id: string;
            type: "account.restricted";
            api_version: "1.0.0";
            created_at: string;
            tenant_id: string;
            data: {
                account: {
                    account_key: string;
                    platform: "instagram" | "messenger";
                    external_id: string;
                    handle: string;
                    display_name: string;
                    page_id: string | null;
                    status: "active" | "refresh_failing" | "needs_reauth" | "restricted";
                };
                reason: "user" | "platform_deauthorized" | "token_invalid" | "policy";
            };
        };
        AuditEntry: {
            id: string;
            action: "tenant.create" | "tenant.update" | "account.connect" | "account.reconnect" | "account.disconnect" | "conversation.erase" | "key.create" | "key.revoke" | "operator_key.create" | "operator_key.revoke" | "webhook.create" | "webhook.update" | "webhook.delete" | "webhook.rotate" | "webhook.test" | "webhook.replay" | "webhook.bulk_replay" | "webhook.auto_pause" | "hold.create" | "hold.verify" | "invite.create" | "invite.revoke" | "invite.accept" | "invite.decline" | "member.role_change" | "member.remove" | "session.create_link" | "session.sign_in" | "session.sign_out" | "platform.deauthorize" | "platform.data_deletion";
            resource: string;
            actor: string;
            ip: string | null;
            at: string;
            detail: {
                [key: string]: string | number | boolean;
            };
        };
        Conversation: {
            id: string;
            tenant_id: string;
            account_key: string;
            account_handle: string;
            platform: "instagram" | "messenger";
            participant_id: string;
            participant_handle: string | null;
            participant_username: string | null;
            participant_name: string | null;
            participant_picture: string | null;
            participant_profile: "pending" | "partial" | "complete" | "unavailable";
            last_inbound_at: string | null;
            last_outbound_at: string | null;
            /** @description When the newest message in either direction was sent */
            last_message_at: string;
            last_message_text: string;
            last_message: {
                direction: "inbound" | "outbound" | "echo";
                /**
                 * @description `text`, or the type of the first attachment. An unsent message is a `text` that is empty.
                 * @enum {string}
                 */
                kind: "text" | "image" | "video" | "audio" | "file" | "share" | "story_mention" | "sticker" | "location" | "unsupported";
            };
            /** @description When the first message was sent that waits for an answer. Null when the last message is not inbound. */
            waiting_since: string | null;
            /** @description When the last inbound message was marked as done. Any newer message ends it. */
            done_at: string | null;
            /** @description The last message is inbound and not marked as done. */
            needs_reply: boolean;
            window: {
                state: "open_24h" | "human_agent_7d" | "closed" | "no_inbound";
                expires_at: string | null;
            };
            unanswered: boolean;
            can_reply: boolean;
            can_send_as_human_agent: boolean;
        };
        ConversationUpdatedFrame: {
            id: string;
            type: "conversation.updated";
            api_version: "1.0.0";
            created_at: string;
            tenant_id: string;
            data: {
                conversation: components["schemas"]["Conversation"] | {
                    id: string;
                    erased: true;
                };
            };
        };
        Delivery: {
            delivery_id: string;
            event_id: string;
            event_type: "message.received" | "message.sent" | "message.failed" | "message.deleted" | "message.edited" | "message.reaction" | "referral.received" | "account.connected" | "account.reconnected" | "account.disconnected" | "account.refresh_failing" | "account.needs_reauth" | "account.restricted" | "account.recovered" | "webhook.paused" | "test.event";
            status: "pending" | "attempting" | "retrying" | "delivered" | "failed" | "blocked" | "dlq";
            attempt_number: number;
            next_retry_at: number | null;
            last_response_status: number | null;
            last_error: ("timeout" | "connect" | "tls" | "dns" | "status" | "too_large" | "gate") | null;
            last_duration_ms: number | null;
            created_at: number;
            updated_at: number;
        };
        DeliveryDetail: {
            delivery_id: string;
            event_id: string;
            event_type: "message.received" | "message.sent" | "message.failed" | "message.deleted" | "message.edited" | "message.reaction" | "referral.received" | "account.connected" | "account.reconnected" | "account.disconnected" | "account.refresh_failing" | "account.needs_reauth" | "account.restricted" | "account.recovered" | "webhook.paused" | "test.event";
            status: "pending" | "attempting" | "retrying" | "delivered" | "failed" | "blocked" | "dlq";
            attempt_number: number;
            next_retry_at: number | null;
            last_response_status: number | null;
            last_error: ("timeout" | "connect" | "tls" | "dns" | "status" | "too_large" | "gate") | null;
            last_duration_ms: number | null;
            created_at: number;
            updated_at: number;
            /** @description The body as each attempt sends it. Null when it is erased, unsent or older than 7 days. */
            event: {
                [key: string]: unknown;
            } | null;
            /** @description The last ten, newest first */
            attempts: {
                attempt: number;
                /** @description When it started, in epoch milliseconds */
                at: number;
                status: number | null;
                error: ("timeout" | "connect" | "tls" | "dns" | "status" | "too_large" | "gate") | null;
                duration_ms: number | null;
                /** @description Of the newest attempt, the first 256 bytes of the response if they are text, without secrets; else null. Null as soon as `event` is. */
                response: string | null;
            }[];
        };
        Endpoint: {
            id: string;
            url: string;
            events: ("message.received" | "message.sent" | "message.failed" | "message.deleted" | "message.edited" | "message.reaction" | "referral.received" | "account.connected" | "account.reconnected" | "account.disconnected" | "account.refresh_failing" | "account.needs_reauth" | "account.restricted" | "account.recovered" | "webhook.paused" | "test.event")[];
            status: "active" | "paused" | "deleted";
            /** @description Who paused the endpoint, in the form of an audit entry's `actor`: `system` is Parley itself, after a 410 or days of failures. Null unless it is paused, and where an earlier release paused it. */
            paused_by: string | null;
            /** @description The first failed attempt since the last success. Null without one, and again when `url` or `status` is changed. */
            failing_since: string | null;
            /** @description The circuit breaker. While it is `open`, the endpoint is not called until `next_probe_at`. `probing`: that time has come. Both times are null while it is `closed`. */
            circuit: {
                state: "closed" | "open" | "probing";
                opened_at: string | null;
                next_probe_at: string | null;
            };
            signing_secret_prefix: string;
            secondary_active: boolean;
            secondary_expires_at: string | null;
            created_at: string;
            updated_at: string;
        };
        ErrorCode: "account_in_use" | "account_limit" | "account_not_found" | "attachment_too_large" | "conversation_not_found" | "csrf_failed" | "delivery_not_found" | "endpoint_limit" | "endpoint_not_found" | "forbidden" | "hold_expired" | "hold_not_found" | "human_agent_unavailable" | "idempotency_conflict" | "internal_error" | "invalid_request" | "invite_exists" | "invite_limit" | "invite_not_found" | "key_limit" | "key_not_found" | "last_owner" | "member_not_found" | "message_not_found" | "missing_actor" | "oauth_denied" | "oauth_failed" | "oauth_state_invalid" | "payload_too_large" | "rate_limited" | "replay_conflict" | "replay_expired" | "send_failed" | "tenant_exists" | "tenant_not_found" | "tenant_required" | "unauthorized" | "unsupported_media_type" | "upload_not_found" | "window_closed" | "workspace_limit";
        Events: {
            "message.received": components["schemas"]["MessageReceivedEvent"];
            "message.sent": components["schemas"]["MessageSentEvent"];
            "message.failed": components["schemas"]["MessageFailedEvent"];
            "message.deleted": components["schemas"]["MessageDeletedEvent"];
            "message.edited": components["schemas"]["MessageEditedEvent"];
            "message.reaction": components["schemas"]["MessageReactionEvent"];
            "referral.received": components["schemas"]["ReferralReceivedEvent"];
            "account.connected": components["schemas"]["AccountConnectedEvent"];
            "account.reconnected": components["schemas"]["AccountReconnectedEvent"];
            "account.disconnected": components["schemas"]["AccountDisconnectedEvent"];
            "account.refresh_failing": components["schemas"]["AccountRefresh_failingEvent"];
            "account.needs_reauth": components["schemas"]["AccountNeeds_reauthEvent"];
            "account.restricted": components["schemas"]["AccountRestrictedEvent"];
            "account.recovered": components["schemas"]["AccountRecoveredEvent"];
            "webhook.paused": components["schemas"]["WebhookPausedEvent"];
            "test.event": components["schemas"]["TestEvent"];
        };
        GatewayFailureFrame: {
            message: string;
            connectionId: string;
            requestId: string;
        };
        HeldMessage: {
            id: string;
            status: "awaiting_verification" | "sending" | "sent" | "failed" | "expired";
            platform: "instagram" | "messenger";
            test?: boolean;
            error?: {
                code: string;
                message: string;
                detail: string | null;
            };
            expires_at: string;
            display_name: string;
            participant_username: string | null;
            account_handle: string | null;
            actor_id: string;
            actor_name: string | null;
            text: string;
            attachments: number;
            attachment_list: {
                type: "image" | "video" | "audio" | "file";
                url: string | null;
            }[];
        };
        HelloFrame: {
            type: "hello";
            connection_id: string;
            server_time: number;
            expires_at: number;
        };
        Hold: {
            id: string;
            status: "awaiting_verification" | "sending" | "sent" | "failed" | "expired";
            conversation_id: string;
            created_at: string;
            expires_at: string;
            verify_url?: string;
            platform_message_id?: string;
            error?: {
                code: string;
                message: string;
                detail: string | null;
            };
        };
        HoldUpdatedFrame: {
            id: string;
            type: "hold.updated";
            api_version: "1.0.0";
            created_at: string;
            tenant_id: string;
            data: {
                hold: {
                    id: string;
                    status: "awaiting_verification" | "sending" | "sent" | "failed" | "expired";
                    conversation_id: string;
                    created_at: string;
                    expires_at: string;
                    platform_message_id?: string;
                    error?: {
                        code: string;
                        message: string;
                        detail: string | null;
                    };
                };
            };
        };
        Invite: {
            id: string;
            tenant: string;
            email: string;
            role: "agent" | "admin" | "owner";
            status: "pending" | "accepted" | "declined" | "revoked" | "expired";
            invited_by: string;
            created_at: string;
            expires_at: string | null;
            accepted_at: string | null;
        };
        Key: {
            id: string;
            prefix: string;
            scope: "live" | "test";
            label: string;
            status: "active" | "revoked";
            created_at: string;
            last_used_at: string | null;
        };
        LoginPage: {
            page_id: string;
            name: string;
            messenger: {
                account_key: string;
                connected: boolean;
            };
            instagram: {
                account_key: string;
                connected: boolean;
                username: string;
            } | null;
        };
        Member: {
            tenant: string;
            user_id: string;
            email: string;
            name: string | null;
            role: "agent" | "admin" | "owner";
            created_at: string;
            invited_by: string | null;
        };
        Message: {
            id: string;
            conversation_id: string;
            account_key: string;
            platform: "instagram" | "messenger";
            direction: "inbound" | "outbound" | "echo";
            text: string;
            attachments: {
                type: "image" | "video" | "audio" | "file" | "share" | "story_mention" | "sticker" | "location" | "unsupported";
                /** @description The platform's URL, which expires. Null where the platform has none. A sent upload has it from its echo on, a moment after the send; its event has null unless the echo came first. */
                url: string | null;
                title: string | null;
                coordinates: {
                    lat: number;
                    long: number;
                } | null;
            }[];
            sent_at: string;
            sent_via: "participant" | "api_in_window" | "api_human_agent" | "native_app" | "other_app";
            actor_id: string | null;
            reply_to: string | null;
            story: {
                id: string | null;
                url: string | null;
                kind: "reply" | "mention";
            } | null;
            quick_reply: {
                payload: string;
            } | null;
            postback: {
                title: string | null;
                payload: string | null;
            } | null;
            referral: {
                ref: string | null;
                source: string | null;
                type: string | null;
                ad_id: string | null;
            } | null;
            edited_at: string | null;
            deleted_at: string | null;
            reactions: {
                by: "participant" | "account";
                reaction: string | null;
                emoji: string | null;
                at: string;
            }[];
        };
        MessageDeletedEvent: {
            id: string;
            type: "message.deleted";
            api_version: "1.0.0";
            created_at: string;
            tenant_id: string;
            data: {
                message: {
                    id: string;
                    conversation_id: string;
                    account_key: string;
                    platform: "instagram" | "messenger";
                    deleted_at: string;
                };
                by: "participant" | "account";
            };
        };
        MessageEditedEvent: {
            id: string;
            type: "message.edited";
            api_version: "1.0.0";
            created_at: string;
            tenant_id: string;
            data: {
                message: {
                    id: string;
                    conversation_id: string;
                    account_key: string;
                    platform: "instagram" | "messenger";
                    text: string;
                    edit_count: number;
                    edited_at: string;
                };
                by: "participant" | "account";
            };
        };
        MessageFailedEvent: {
            id: string;
            type: "message.failed";
            api_version: "1.0.0";
            created_at: string;
            tenant_id: string;
            data: {
                message: {
                    id: null;
                    conversation_id: string;
                    account_key: string;
                    platform: "instagram" | "messenger";
                    direction: "inbound" | "outbound" | "echo";
                    text: string;
                    attachments: {
                        type: "image" | "video" | "audio" | "file" | "share" | "story_mention" | "sticker" | "location" | "unsupported";
                        /** @description The platform's URL, which expires. Null where the platform has none. A sent upload has it from its echo on, a moment after the send; its event has null unless the echo came first. */
                        url: string | null;
                        title: string | null;
                        coordinates: {
                            lat: number;
                            long: number;
                        } | null;
                    }[];
                    sent_at: string;
                    sent_via: "participant" | "api_in_window" | "api_human_agent" | "native_app" | "other_app";
                    actor_id: string | null;
                    reply_to: string | null;
                    story: {
                        id: string | null;
                        url: string | null;
                        kind: "reply" | "mention";
                    } | null;
                    quick_reply: {
                        payload: string;
                    } | null;
                    postback: {
                        title: string | null;
                        payload: string | null;
                    } | null;
                    referral: {
                        ref: string | null;
                        source: string | null;
                        type: string | null;
                        ad_id: string | null;
                    } | null;
                    edited_at: string | null;
                    deleted_at: string | null;
                    reactions: {
                        by: "participant" | "account";
                        reaction: string | null;
                        emoji: string | null;
                        at: string;
                    }[];
                    participant: {
                        id: string;
                        handle: string | null;
                        username: string | null;
                        name: string | null;
                    };
                    hold_id?: string;
                    test?: boolean;
                };
                error: {
                    code: string;
                    message: string;
                    detail: string;
                };
            };
        };
        MessageReactionEvent: {
            id: string;
            type: "message.reaction";
            api_version: "1.0.0";
            created_at: string;
            tenant_id: string;
            data: {
                message: {
                    id: string;
                    conversation_id: string;
                    account_key: string;
                    platform: "instagram" | "messenger";
                };
                reaction: {
                    action: "react" | "unreact";
                    reaction: string | null;
                    emoji: string | null;
                    at: string;
                };
                by: "participant" | "account";
            };
        };
        MessageReceivedEvent: {
            id: string;
            type: "message.received";
            api_version: "1.0.0";
            created_at: string;
            tenant_id: string;
            data: {
                message: {
                    id: string;
                    conversation_id: string;
                    account_key: string;
                    platform: "instagram" | "messenger";
                    direction: "inbound" | "outbound" | "echo";
                    text: string;
                    attachments: {
                        type: "image" | "video" | "audio" | "file" | "share" | "story_mention" | "sticker" | "location" | "unsupported";
                        /** @description The platform's URL, which expires. Null where the platform has none. A sent upload has it from its echo on, a moment after the send; its event has null unless the echo came first. */
                        url: string | null;
                        title: string | null;
                        coordinates: {
                            lat: number;
                            long: number;
                        } | null;
                    }[];
                    sent_at: string;
                    sent_via: "participant" | "api_in_window" | "api_human_agent" | "native_app" | "other_app";
                    actor_id: string | null;
                    reply_to: string | null;
                    story: {
                        id: string | null;
                        url: string | null;
                        kind: "reply" | "mention";
                    } | null;
                    quick_reply: {
                        payload: string;
                    } | null;
                    postback: {
                        title: string | null;
                        payload: string | null;
                    } | null;
                    referral: {
                        ref: string | null;
                        source: string | null;
                        type: string | null;
                        ad_id: string | null;
                    } | null;
                    edited_at: string | null;
                    deleted_at: string | null;
                    reactions: {
                        by: "participant" | "account";
                        reaction: string | null;
                        emoji: string | null;
                        at: string;
                    }[];
                    participant: {
                        id: string;
                        handle: string | null;
                        username: string | null;
                        name: string | null;
                    };
                    hold_id?: string;
                    test?: boolean;
                };
            };
        };
        MessageReceivedFrame: {
            id: string;
            type: "message.received";
            api_version: "1.0.0";
            created_at: string;
            tenant_id: string;
            data: {
                message: {
                    id: string;
                    conversation_id: string;
                    account_key: string;
                    platform: "instagram" | "messenger";
                    direction: "inbound" | "outbound" | "echo";
                    text: string;
                    attachments: {
                        type: "image" | "video" | "audio" | "file" | "share" | "story_mention" | "sticker" | "location" | "unsupported";
                        /** @description The platform's URL, which expires. Null where the platform has none. A sent upload has it from its echo on, a moment after the send; its event has null unless the echo came first. */
                        url: string | null;
                        title: string | null;
                        coordinates: {
                            lat: number;
                            long: number;
                        } | null;
                    }[];
                    sent_at: string;
                    sent_via: "participant" | "api_in_window" | "api_human_agent" | "native_app" | "other_app";
                    actor_id: string | null;
                    reply_to: string | null;
                    story: {
                        id: string | null;
                        url: string | null;
                        kind: "reply" | "mention";
                    } | null;
                    quick_reply: {
                        payload: string;
                    } | null;
                    postback: {
                        title: string | null;
                        payload: string | null;
                    } | null;
                    referral: {
                        ref: string | null;
                        source: string | null;
                        type: string | null;
                        ad_id: string | null;
                    } | null;
                    edited_at: string | null;
                    deleted_at: string | null;
                    reactions: {
                        by: "participant" | "account";
                        reaction: string | null;
                        emoji: string | null;
                        at: string;
                    }[];
                    participant: {
                        id: string;
                        handle: string | null;
                        username: string | null;
                        name: string | null;
                    };
                    hold_id?: string;
                    test?: boolean;
                };
                conversation?: components["schemas"]["Conversation"];
            };
        };
        MessageSentEvent: {
            id: string;
            type: "message.sent";
            api_version: "1.0.0";
            created_at: string;
            tenant_id: string;
            data: {
                message: {
                    id: string;
                    conversation_id: string;
                    account_key: string;
                    platform: "instagram" | "messenger";
                    direction: "inbound" | "outbound" | "echo";
                    text: string;
                    attachments: {
                        type: "image" | "video" | "audio" | "file" | "share" | "story_mention" | "sticker" | "location" | "unsupported";
                        /** @description The platform's URL, which expires. Null where the platform has none. A sent upload has it from its echo on, a moment after the send; its event has null unless the echo came first. */
                        url: string | null;
                        title: string | null;
                        coordinates: {
                            lat: number;
                            long: number;
                        } | null;
                    }[];
                    sent_at: string;
                    sent_via: "participant" | "api_in_window" | "api_human_agent" | "native_app" | "other_app";
                    actor_id: string | null;
                    reply_to: string | null;
                    story: {
                        id: string | null;
                        url: string | null;
                        kind: "reply" | "mention";
                    } | null;
                    quick_reply: {
                        payload: string;
                    } | null;
                    postback: {
                        title: string | null;
                        payload: string | null;
                    } | null;
                    referral: {
                        ref: string | null;
                        source: string | null;
                        type: string | null;
                        ad_id: string | null;
                    } | null;
                    edited_at: string | null;
                    deleted_at: string | null;
                    reactions: {
                        by: "participant" | "account";
                        reaction: string | null;
                        emoji: string | null;
                        at: string;
                    }[];
                    participant: {
                        id: string;
                        handle: string | null;
                        username: string | null;
                        name: string | null;
                    };
                    hold_id?: string;
                    test?: boolean;
                };
            };
        };
        MessageSentFrame: {
            id: string;
            type: "message.sent";
            api_version: "1.0.0";
            created_at: string;
            tenant_id: string;
            data: {
                message: {
                    id: string;
                    conversation_id: string;
                    account_key: string;
                    platform: "instagram" | "messenger";
                    direction: "inbound" | "outbound" | "echo";
                    text: string;
                    attachments: {
                        type: "image" | "video" | "audio" | "file" | "share" | "story_mention" | "sticker" | "location" | "unsupported";
                        /** @description The platform's URL, which expires. Null where the platform has none. A sent upload has it from its echo on, a moment after the send; its event has null unless the echo came first. */
                        url: string | null;
                        title: string | null;
                        coordinates: {
                            lat: number;
                            long: number;
                        } | null;
                    }[];
                    sent_at: string;
                    sent_via: "participant" | "api_in_window" | "api_human_agent" | "native_app" | "other_app";
                    actor_id: string | null;
                    reply_to: string | null;
                    story: {
                        id: string | null;
                        url: string | null;
                        kind: "reply" | "mention";
                    } | null;
                    quick_reply: {
                        payload: string;
                    } | null;
                    postback: {
                        title: string | null;
                        payload: string | null;
                    } | null;
                    referral: {
                        ref: string | null;
                        source: string | null;
                        type: string | null;
                        ad_id: string | null;
                    } | null;
                    edited_at: string | null;
                    deleted_at: string | null;
                    reactions: {
                        by: "participant" | "account";
                        reaction: string | null;
                        emoji: string | null;
                        at: string;
                    }[];
                    participant: {
                        id: string;
                        handle: string | null;
                        username: string | null;
                        name: string | null;
                    };
                    hold_id?: string;
                    test?: boolean;
                };
                conversation?: components["schemas"]["Conversation"];
            };
        };
        Operations: {
            /** @description Sign out (ends every session of the user) */
            "POST /console/auth/logout": {
                data: {
                    signed_out: true;
                };
            };
            /** @description Request a sign-in link by mail */
            "POST /console/auth/request": {
                body: {
                    email: string;
                    redirect?: unknown;
                    invite?: unknown;
                };
                data: {
                    sent: true;
                };
            };
            /** @description List the invites of a tenant, oldest first */
            "GET /console/invites": {
                query?: {
                    /** @description The slug of the tenant. Required for an operator key and for a member of several tenants, else optional. */
                    tenant?: string;
                };
                data: {
                    invites: components["schemas"]["Invite"][];
                };
            };
            /** @description Invite an email address to a tenant */
            "POST /console/invites": {
                query?: {
                    /** @description The slug of the tenant. Required for an operator key and for a member of several tenants, else optional. */
                    tenant?: string;
                };
                body: {
                    email: string;
                    role: "agent" | "admin" | "owner";
                };
                data: {
                    invite: components["schemas"]["Invite"];
                };
            };
            /** @description Revoke an invite */
            "DELETE /console/invites/{id}": {
                path: {
                    id: string;
                };
                query?: {
                    /** @description The slug of the tenant. Required for an operator key and for a member of several tenants, else optional. */
                    tenant?: string;
                };
                data: {
                    revoked: true;
                };
            };
            /** @description Accept one of your invites */
            "POST /console/invites/{id}/accept": {
                path: {
                    id: string;
                };
                data: {
                    membership: components["schemas"]["Member"];
                };
            };
            /** @description Decline one of your invites */
            "POST /console/invites/{id}/decline": {
                path: {
                    id: string;
                };
                data: {
                    declined: true;
                };
            };
            /** @description Send an invite again */
            "POST /console/invites/{id}/resend": {
                path: {
                    id: string;
                };
                query?: {
                    /** @description The slug of the tenant. Required for an operator key and for a member of several tenants, else optional. */
                    tenant?: string;
                };
                data: {
                    invite: components["schemas"]["Invite"];
                };
            };
            /** @description Get the signed-in user */
            "GET /console/me": {
                data: {
                    user_id: string;
                    actor_id: string;
                    email: string;
                    name: string | null;
                    session_expires_at: string;
                    tenant: string | null;
                    tenants: string[];
                    csrf_token: string;
                    invites: components["schemas"]["OwnInvite"][];
                };
            };
            /** @description Give the signed-in user a name */
            "PATCH /console/me": {
                body: {
                    name: string;
                };
                data: {
                    name: string;
                };
            };
            /** @description Create a ticket for the console's realtime stream (returned once) */
            "POST /console/session/ws-ticket": {
                query?: {
                    /** @description The slug of the tenant. Required for an operator key and for a member of several tenants, else optional. */
                    tenant?: string;
                };
                data: {
                    ticket: string;
                    expires_at: number;
                    expires_in_ms: 60000;
                    url: string;
                };
            };
            /** @description List the members of a tenant */
            "GET /console/team": {
                query?: {
                    /** @description The slug of the tenant. Required for an operator key and for a member of several tenants, else optional. */
                    tenant?: string;
                };
                data: {
                    members: components["schemas"]["Member"][];
                };
            };
            /** @description Change the role of a member */
            "PATCH /console/team/{user_id}": {
                path: {
                    user_id: string;
                };
                query?: {
                    /** @description The slug of the tenant. Required for an operator key and for a member of several tenants, else optional. */
                    tenant?: string;
                };
                body: {
                    role: "agent" | "admin" | "owner";
                };
                data: {
                    member: components["schemas"]["Member"];
                };
            };
            /** @description Remove a member, or leave the tenant */
            "DELETE /console/team/{user_id}": {
                path: {
                    user_id: string;
                };
                query?: {
                    /** @description The slug of the tenant. Required for an operator key and for a member of several tenants, else optional. */
                    tenant?: string;
                };
                data: {
                    removed: true;
                };
            };
            /** @description List your tenants with your role */
            "GET /console/tenants": {
                data: {
                    tenants: components["schemas"]["OwnTenant"][];
                };
            };
            /** @description Create a tenant, with you as its owner */
            "POST /console/tenants": {
                body: {
                    id: string;
                    name: string;
                };
                data: {
                    tenant: components["schemas"]["Tenant"];
                };
            };
            /** @description Get one of your tenants */
            "GET /console/tenants/{slug}": {
                path: {
                    slug: string;
                };
                data: {
                    tenant: components["schemas"]["Tenant"];
                };
            };
            /** @description Change the name of a tenant */
            "PATCH /console/tenants/{slug}": {
                path: {
                    slug: string;
                };
                body: {
                    name: string;
                };
                data: {
                    tenant: components["schemas"]["Tenant"];
                };
            };
            /** @description Finish a login of Instagram */
            "GET /oauth/instagram/callback": {
                query?: {
                    code?: string;
                    state?: string;
                    error?: string;
                };
                data: {
                    connected: string;
                };
            };
            /** @description Start a login of Instagram from a page of a console on another origin */
            "POST /oauth/instagram/start": {
                query?: {
                    /** @description The slug of the tenant. Required for an operator key and for a member of several tenants, else optional. */
                    tenant?: string;
                    redirect?: string;
                };
                data: {
                    url: string;
                };
            };
            /** @description Finish a login of Facebook */
            "GET /oauth/messenger/callback": {
                query?: {
                    code?: string;
                    state?: string;
                    error?: string;
                };
                data: {
                    choose: "messenger";
                };
            };
            /** @description List the pages of your login of Facebook */
            "GET /oauth/messenger/pages": {
                query?: {
                    /** @description The slug of the tenant. Required for an operator key and for a member of several tenants, else optional. */
                    tenant?: string;
                };
                data: {
                    pages: components["schemas"]["LoginPage"][];
                };
            };
            /** @description Connect a page of your login of Facebook */
            "POST /oauth/messenger/select": {
                query?: {
                    /** @description The slug of the tenant. Required for an operator key and for a member of several tenants, else optional. */
                    tenant?: string;
                };
                body: {
                    page_id: string;
                    connect: ("instagram" | "messenger")[];
                };
                data: {
                    accounts: components["schemas"]["Account"][];
                };
            };
            /** @description Start a login of Facebook from a page of a console on another origin */
            "POST /oauth/messenger/start": {
                query?: {
                    /** @description The slug of the tenant. Required for an operator key and for a member of several tenants, else optional. */
                    tenant?: string;
                    redirect?: string;
                };
                data: {
                    url: string;
                };
            };
            /** @description List the connected accounts and their status */
            "GET /v1/accounts": {
                query?: {
                    /** @description The slug of the tenant. Required for an operator key and for a member of several tenants, else optional. */
                    tenant?: string;
                };
                data: {
                    accounts: components["schemas"]["Account"][];
                };
            };
            /** @description Disconnect an account (its conversations are retained) */
            "DELETE /v1/accounts/{account_key}": {
                path: {
                    account_key: string;
                };
                query?: {
                    /** @description The slug of the tenant. Required for an operator key and for a member of several tenants, else optional. */
                    tenant?: string;
                };
                data: {
                    disconnected: true;
                };
            };
            /** @description Finish an upload whose file was posted (the file is handed over to the platform afterwards) */
            "POST /v1/attachments": {
                body: {
                    upload_id: string;
                };
                data: {
                    upload: components["schemas"]["Upload"];
                };
            };
            /** @description Create an upload, with a form to post the file to */
            "POST /v1/attachments/uploads": {
                body: {
                    conversation_id: string;
                    /** @description The name of the file, of at most 255 bytes */
                    filename: string | unknown | unknown;
                    /** @description A media type. Parameters after a semicolon are ignored. */
                    content_type: string;
                    /** @description Bytes */
                    size: number;
                    /** @description Follows from content_type if absent. On Messenger, any type is possible as a file */
                    type?: ("image" | "video" | "audio" | "file") | null;
                };
                data: {
                    upload: components["schemas"]["UploadGrant"];
                };
            };
            /** @description Get the status of an upload (available for a day) */
            "GET /v1/attachments/uploads/{upload_id}": {
                path: {
                    upload_id: string;
                };
                data: {
                    upload: components["schemas"]["Upload"];
                };
            };
            /** @description List the audit entries of the last 400 days, newest first */
            "GET /v1/audit": {
                query?: {
                    /** @description The slug of the tenant. Required for an operator key and for a member of several tenants, else optional. */
                    tenant?: string;
                    /**
                     * @description The page size. Values above 100 are clamped to 100.
                     * @default 50
                     */
                    limit?: number;
                    /** @description The `next_cursor` of an earlier response to the same query. */
                    cursor?: string;
                    /** @description One or more of tenant.create, tenant.update, account.connect, account.reconnect, account.disconnect, conversation.erase, key.create, key.revoke, operator_key.create, operator_key.revoke, webhook.create, webhook.update, webhook.delete, webhook.rotate, webhook.test, webhook.replay, webhook.bulk_replay, webhook.auto_pause, hold.create, hold.verify, invite.create, invite.revoke, invite.accept, invite.decline, member.role_change, member.remove, session.create_link, session.sign_in, session.sign_out, platform.deauthorize, platform.data_deletion, separated by commas */
                    action?: string;
                    /** @description Exactly this actor, such as `console:<user_id>` or `system`. An unknown one matches nothing. */
                    actor?: string;
                    /** @description ISO 8601 or epoch milliseconds */
                    from?: string | number;
                    /** @description ISO 8601 or epoch milliseconds */
                    to?: string | number;
                };
                data: {
                    audit: components["schemas"]["AuditEntry"][];
                    next_cursor: string | null;
                };
            };
            /** @description List conversations, newest message in either direction first */
            "GET /v1/conversations": {
                query?: {
                    /** @description The slug of the tenant. Required for an operator key and for a member of several tenants, else optional. */
                    tenant?: string;
                    /**
                     * @description The page size. Values above 100 are clamped to 100.
                     * @default 50
                     */
                    limit?: number;
                    /** @description The `next_cursor` of an earlier response to the same query. */
                    cursor?: string;
                    /**
                     * @description true: only conversations whose last message is inbound. false (default): all conversations.
                     * @default false
                     * @enum {string}
                     */
                    unanswered?: "true" | "false";
                    /**
                     * @description true: only conversations whose last message is inbound and not marked as done. false (default): all conversations.
                     * @default false
                     * @enum {string}
                     */
                    needs_reply?: "true" | "false";
                    /**
                     * @description With `needs_reply=true`: whose window for replies closes first, first; then those to whom only a person may write. Default: newest message first.
                     * @enum {string}
                     */
                    order?: "closing";
                    platform?: "instagram" | "messenger";
                    /** @description Percent-encoded: # is %23. An unknown account matches nothing. */
                    account_key?: string;
                };
                data: {
                    conversations: components["schemas"]["Conversation"][];
                    next_cursor: string | null;
                };
            };
            /** @description Get a conversation with its messages, newest first */
            "GET /v1/conversations/{id}": {
                path: {
                    id: string;
                };
                query?: {
                    /** @description The slug of the tenant. Required for an operator key and for a member of several tenants, else optional. */
                    tenant?: string;
                    /**
                     * @description The page size. Values above 100 are clamped to 100.
                     * @default 50
                     */
                    limit?: number;
                    /** @description The `next_cursor` of an earlier response to the same query. */
                    cursor?: string;
                    /**
                     * @default false
                     * @enum {string}
                     */
                    include_test?: "true" | "false";
                };
                data: {
                    conversation: components["schemas"]["Conversation"];
                    messages: components["schemas"]["Message"][];
                    next_cursor: string | null;
                };
            };
            /** @description Mark a conversation as done, or as one that needs a reply again */
            "PATCH /v1/conversations/{id}": {
                path: {
                    id: string;
                };
                query?: {
                    /** @description The slug of the tenant. Required for an operator key and for a member of several tenants, else optional. */
                    tenant?: string;
                };
                body: {
                    done: boolean;
                };
                data: {
                    conversation: components["schemas"]["Conversation"];
                };
            };
            /** @description Erase a conversation with its profile, messages and delivered copies */
            "DELETE /v1/conversations/{id}": {
                path: {
                    id: string;
                };
                query?: {
                    /** @description The slug of the tenant. Required for an operator key and for a member of several tenants, else optional. */
                    tenant?: string;
                };
                data: {
                    done: boolean;
                    removed: {
                        conversation: number;
                        profile: number;
                        messages: number;
                        markers: number;
                        deliveries: number;
                        send_records: number;
                        uploads: number;
                        holds: number;
                    };
                };
            };
            /** @description List the event types, each with its JSON Schema and an example */
            "GET /v1/event-types": {
                data: {
                    event_types: {
                        type: "message.received" | "message.sent" | "message.failed" | "message.deleted" | "message.edited" | "message.reaction" | "referral.received" | "account.connected" | "account.reconnected" | "account.disconnected" | "account.refresh_failing" | "account.needs_reauth" | "account.restricted" | "account.recovered" | "webhook.paused" | "test.event";
                        description: string;
                        schema: {
                            [key: string]: unknown;
                        };
                        example: {
                            [key: string]: unknown;
                        };
                    }[];
                };
            };
            /** @description List the API keys, oldest first */
            "GET /v1/keys": {
                query?: {
                    /** @description The slug of the tenant. Required for an operator key and for a member of several tenants, else optional. */
                    tenant?: string;
                };
                data: {
                    keys: components["schemas"]["Key"][];
                };
            };
            /** @description Create an API key (its secret is returned once) */
            "POST /v1/keys": {
                query?: {
                    /** @description The slug of the tenant. Required for an operator key and for a member of several tenants, else optional. */
                    tenant?: string;
                };
                body?: {
                    scope?: "live" | "test";
                    label?: string;
                };
                data: {
                    id: string;
                    prefix: string;
                    secret: string;
                    scope: "live" | "test";
                    label: string;
                    created_at: string;
                };
            };
            /** @description Revoke an API key */
            "DELETE /v1/keys/{id}": {
                path: {
                    id: string;
                };
                query?: {
                    /** @description The slug of the tenant. Required for an operator key and for a member of several tenants, else optional. */
                    tenant?: string;
                };
                data: {
                    revoked: true;
                };
            };
            /** @description List messages, newest first */
            "GET /v1/messages": {
                query?: {
                    /** @description The slug of the tenant. Required for an operator key and for a member of several tenants, else optional. */
                    tenant?: string;
                    /**
                     * @description The page size. Values above 100 are clamped to 100.
                     * @default 50
                     */
                    limit?: number;
                    /** @description The `next_cursor` of an earlier response to the same query. */
                    cursor?: string;
                    conversation_id?: string;
                    direction?: "inbound" | "outbound" | "echo";
                    /**
                     * @default false
                     * @enum {string}
                     */
                    include_test?: "true" | "false";
                };
                data: {
                    messages: components["schemas"]["Message"][];
                    next_cursor: string | null;
                };
            };
            /** @description Get the status of a held message (available for 30 minutes) */
            "GET /v1/messages/holds/{hold_id}": {
                path: {
                    hold_id: string;
                };
                data: {
                    hold: components["schemas"]["Hold"];
                };
            };
            /** @description Hold a message from a named person until that person passes a check */
            "POST /v1/messages/human-agent": {
                headers?: {
                    /** @description A unique key that you choose for this request. Repeating the key with the same body within 24 hours returns the first response and does nothing again. */
                    "Idempotency-Key"?: string;
                };
                body: {
                    conversation_id: string;
                    text?: string | null;
                    attachments?: components["schemas"]["OutgoingAttachment"][] | null;
                    reply_to?: string | null;
                    actor_id?: string | null;
                };
                data: {
                    hold: components["schemas"]["Hold"];
                };
            };
            /** @description Send a reply within 24 hours of the participant's last message */
            "POST /v1/messages/reply": {
                headers?: {
                    /** @description A unique key that you choose for this request. Repeating the key with the same body within 24 hours returns the first response and does nothing again. */
                    "Idempotency-Key"?: string;
                };
                body: {
                    conversation_id: string;
                    text?: string | null;
                    attachments?: components["schemas"]["OutgoingAttachment"][] | null;
                    reply_to?: string | null;
                };
                data: {
                    platform_message_id: string;
                };
            };
            /** @description Get a message by its platform message id */
            "GET /v1/messages/{id}": {
                path: {
                    id: string;
                };
                query?: {
                    /** @description The slug of the tenant. Required for an operator key and for a member of several tenants, else optional. */
                    tenant?: string;
                    /**
                     * @default false
                     * @enum {string}
                     */
                    include_test?: "true" | "false";
                };
                data: {
                    message: components["schemas"]["Message"];
                };
            };
            /** @description Get the service's name, version and time */
            "GET /v1/ping": {
                data: {
                    name: string;
                    version: string;
                    time: string;
                };
            };
            /** @description Create a ticket for the realtime stream (returned once) */
            "POST /v1/realtime/ticket": {
                query?: {
                    /** @description The slug of the tenant. Required for an operator key and for a member of several tenants, else optional. */
                    tenant?: string;
                };
                data: {
                    ticket: string;
                    expires_at: number;
                    expires_in_ms: 60000;
                    url: string;
                };
            };
            /** @description Get counts for the current hour and the 24 hours before it */
            "GET /v1/stats": {
                query?: {
                    /** @description The slug of the tenant. Required for an operator key and for a member of several tenants, else optional. */
                    tenant?: string;
                    series?: "hour";
                };
                data: {
                    messages_24h: number;
                    dlq_total: number;
                    window_hours: number;
                    endpoints: {
                        endpoint_id: string;
                        delivered: number;
                        failed: number;
                        dlq: number;
                    }[];
                    series?: components["schemas"]["StatsHour"][];
                };
            };
            /** @description List webhook endpoints */
            "GET /v1/webhooks": {
                query?: {
                    /** @description The slug of the tenant. Required for an operator key and for a member of several tenants, else optional. */
                    tenant?: string;
                };
                data: {
                    endpoints: components["schemas"]["Endpoint"][];
                };
            };
            /** @description Create a webhook endpoint (its signing secret is returned once) */
            "POST /v1/webhooks": {
                query?: {
                    /** @description The slug of the tenant. Required for an operator key and for a member of several tenants, else optional. */
                    tenant?: string;
                };
                body: {
                    url: string;
                    events?: ("message.received" | "message.sent" | "message.failed" | "message.deleted" | "message.edited" | "message.reaction" | "referral.received" | "account.connected" | "account.reconnected" | "account.disconnected" | "account.refresh_failing" | "account.needs_reauth" | "account.restricted" | "account.recovered" | "webhook.paused" | "test.event")[];
                };
                data: {
                    endpoint: components["schemas"]["Endpoint"];
                    signing_secret: string;
                };
            };
            /** @description Get a webhook endpoint */
            "GET /v1/webhooks/{id}": {
                path: {
                    id: string;
                };
                query?: {
                    /** @description The slug of the tenant. Required for an operator key and for a member of several tenants, else optional. */
                    tenant?: string;
                };
                data: {
                    endpoint: components["schemas"]["Endpoint"];
                };
            };
            /** @description Update the URL, events or status of a webhook endpoint */
            "PATCH /v1/webhooks/{id}": {
                path: {
                    id: string;
                };
                query?: {
                    /** @description The slug of the tenant. Required for an operator key and for a member of several tenants, else optional. */
                    tenant?: string;
                };
                body: {
                    url?: string;
                    events?: ("message.received" | "message.sent" | "message.failed" | "message.deleted" | "message.edited" | "message.reaction" | "referral.received" | "account.connected" | "account.reconnected" | "account.disconnected" | "account.refresh_failing" | "account.needs_reauth" | "account.restricted" | "account.recovered" | "webhook.paused" | "test.event")[];
                    status?: "active" | "paused";
                };
                data: {
                    endpoint: components["schemas"]["Endpoint"];
                };
            };
            /** @description Delete a webhook endpoint (its secrets are erased, its delivery history is retained) */
            "DELETE /v1/webhooks/{id}": {
                path: {
                    id: string;
                };
                query?: {
                    /** @description The slug of the tenant. Required for an operator key and for a member of several tenants, else optional. */
                    tenant?: string;
                };
                data: {
                    deleted: true;
                };
            };
            /** @description List the deliveries of an endpoint, newest first */
            "GET /v1/webhooks/{id}/deliveries": {
                path: {
                    id: string;
                };
                query?: {
                    /** @description The slug of the tenant. Required for an operator key and for a member of several tenants, else optional. */
                    tenant?: string;
                    /**
                     * @description The page size. Values above 100 are clamped to 100.
                     * @default 50
                     */
                    limit?: number;
                    /** @description The `next_cursor` of an earlier response to the same query. */
                    cursor?: string;
                    /** @description One or more of pending, attempting, retrying, delivered, failed, blocked, dlq, separated by commas */
                    status?: string;
                    /** @description One or more of message.received, message.sent, message.failed, message.deleted, message.edited, message.reaction, referral.received, account.connected, account.reconnected, account.disconnected, account.refresh_failing, account.needs_reauth, account.restricted, account.recovered, webhook.paused, test.event, separated by commas */
                    event_type?: string;
                    /** @description ISO 8601 or epoch milliseconds */
                    from?: string | number;
                    /** @description ISO 8601 or epoch milliseconds */
                    to?: string | number;
                };
                data: {
                    deliveries: components["schemas"]["Delivery"][];
                    next_cursor: string | null;
                };
            };
            /** @description Replay the deliveries of a time window, oldest first */
            "POST /v1/webhooks/{id}/deliveries/replay": {
                path: {
                    id: string;
                };
                query?: {
                    /** @description The slug of the tenant. Required for an operator key and for a member of several tenants, else optional. */
                    tenant?: string;
                    /**
                     * @description The page size. Values above 100 are clamped to 100.
                     * @default 50
                     */
                    limit?: number;
                    /** @description The `next_cursor` of an earlier response to the same query. */
                    cursor?: string;
                    /** @description ISO 8601 or epoch milliseconds */
                    from?: string | number;
                    /** @description ISO 8601 or epoch milliseconds */
                    to?: string | number;
                    /** @description One or more of dlq, failed, blocked, delivered, separated by commas */
                    status?: string;
                    force?: string;
                };
                body?: {
                    /** @description ISO 8601 or epoch milliseconds */
                    from?: string | number;
                    /** @description ISO 8601 or epoch milliseconds */
                    to?: string | number;
                    /** @description One or more of dlq, failed, blocked, delivered, separated by commas */
                    status?: string;
                    force?: unknown;
                };
                data: {
                    matched: number;
                    enqueued: number;
                    skipped: number;
                    next_cursor: string | null;
                };
            };
            /** @description List the undelivered events of an endpoint, newest first */
            "GET /v1/webhooks/{id}/deliveries/summary": {
                path: {
                    id: string;
                };
                query?: {
                    /** @description The slug of the tenant. Required for an operator key and for a member of several tenants, else optional. */
                    tenant?: string;
                    /** @description ISO 8601 or epoch milliseconds */
                    since?: string | number;
                    /** @description One or more of dlq, failed, blocked, retrying, separated by commas */
                    status?: string;
                };
                data: {
                    deliveries: components["schemas"]["Delivery"][];
                    truncated: boolean;
                };
            };
            /** @description Get a delivery with its event and its last attempts */
            "GET /v1/webhooks/{id}/deliveries/{deliveryId}": {
                path: {
                    id: string;
                    deliveryId: string;
                };
                query?: {
                    /** @description The slug of the tenant. Required for an operator key and for a member of several tenants, else optional. */
                    tenant?: string;
                };
                data: {
                    delivery: components["schemas"]["DeliveryDetail"];
                };
            };
            /** @description Replay a delivery with a new set of attempts */
            "POST /v1/webhooks/{id}/deliveries/{deliveryId}/replay": {
                path: {
                    id: string;
                    deliveryId: string;
                };
                query?: {
                    /** @description The slug of the tenant. Required for an operator key and for a member of several tenants, else optional. */
                    tenant?: string;
                    force?: string;
                };
                data: {
                    delivery_id: string;
                    status: "pending";
                };
            };
            /** @description Rotate the signing secret (returned once) */
            "POST /v1/webhooks/{id}/rotate": {
                path: {
                    id: string;
                };
                query?: {
                    /** @description The slug of the tenant. Required for an operator key and for a member of several tenants, else optional. */
                    tenant?: string;
                };
                data: {
                    endpoint: components["schemas"]["Endpoint"];
                    signing_secret: string;
                };
            };
            /** @description Send a test.event to a webhook endpoint, regardless of its subscriptions */
            "POST /v1/webhooks/{id}/test": {
                path: {
                    id: string;
                };
                query?: {
                    /** @description The slug of the tenant. Required for an operator key and for a member of several tenants, else optional. */
                    tenant?: string;
                };
                data: {
                    delivery_id: string;
                };
            };
            /** @description Get a held message by its secret */
            "POST /verify/holds/{hold_id}": {
                path: {
                    hold_id: string;
                };
                body: {
                    secret: string;
                };
                data: {
                    hold: components["schemas"]["HeldMessage"];
                };
            };
            /** @description Create a proof-of-work challenge for a held message */
            "POST /verify/holds/{hold_id}/challenge": {
                path: {
                    hold_id: string;
                };
                body: {
                    secret: string;
                };
                data: {
                    challenge: {
                        c: number;
                        s: number;
                        d: number;
                    };
                    token: string;
                    expires: number;
                };
            };
            /** @description Complete a challenge and send the held message */
            "POST /verify/holds/{hold_id}/complete": {
                path: {
                    hold_id: string;
                };
                body: {
                    secret: string;
                    token: string;
                    solutions: number[];
                };
                data: {
                    hold: components["schemas"]["HeldMessage"];
                };
            };
        };
        OutgoingAttachment: {
            type: "image" | "video" | "audio" | "file";
            url?: string | null;
            attachment_id?: string | null;
        };
        OwnInvite: {
            id: string;
            tenant: string;
            name: string;
            role: "agent" | "admin" | "owner";
            invited_by: string;
            invited_by_email: string | null;
            expires_at: string | null;
        };
        OwnTenant: {
            id: string;
            name: string;
            status: "active" | "suspended";
            created_at: string;
            updated_at: string;
            role: "agent" | "admin" | "owner";
            invited_by: string | null;
            invited_by_email: string | null;
        };
        PingFrame: {
            type: "ping";
        };
        PongFrame: {
            type: "pong";
        };
        PresenceFrame: {
            type: "presence";
            conversation_id: string;
            state: "reading" | "writing" | "left";
        };
        PresenceUpdatedFrame: {
            id: string;
            type: "presence.updated";
            api_version: "1.0.0";
            created_at: string;
            tenant_id: string;
            data: {
                conversation_id: string;
                user_id: string;
                state: "reading" | "writing" | "left";
            };
        };
        ReferralReceivedEvent: {
            id: string;
            type: "referral.received";
            api_version: "1.0.0";
            created_at: string;
            tenant_id: string;
            data: {
                referral: {
                    conversation_id: string;
                    account_key: string;
                    platform: "instagram" | "messenger";
                    participant: {
                        id: string;
                        handle: string | null;
                        username: string | null;
                        name: string | null;
                    };
                    ref: string | null;
                    source: string | null;
                    type: string | null;
                    ad_id: string | null;
                    at: string;
                };
            };
        };
        StatsHour: {
            starts_at: string;
            received: number;
            sent: number;
            /** @description The answers of the hour by the time from the first message that waited. Each answer counts once, in the first of these that it fits. */
            answers: {
                within_5_minutes: number;
                within_15_minutes: number;
                within_1_hour: number;
                within_4_hours: number;
                within_24_hours: number;
                later: number;
            };
            endpoints: {
                endpoint_id: string;
                delivered: number;
                failed: number;
                dlq: number;
            }[];
        };
        Tenant: {
            id: string;
            name: string;
            status: "active" | "suspended";
            created_at: string;
            updated_at: string;
        };
        TestEvent: {
            id: string;
            type: "test.event";
            api_version: "1.0.0";
            created_at: string;
            tenant_id: string;
            data: {
                endpoint_id: string;
                note: string;
                requested_by: string;
            };
        };
        Upload: {
            id: string;
            status: "waiting" | "processing" | "ready" | "failed";
            conversation_id: string;
            filename: string;
            content_type: string;
            size: number;
            type: "image" | "video" | "audio" | "file";
            attachment?: {
                id: string;
                type: "image" | "video" | "audio" | "file";
            };
            error?: {
                code: string;
                message: string;
                detail: string | null;
            };
        };
        UploadGrant: {
            id: string;
            /** @description Where to post the form */
            url: string;
            /** @description The fields of the form. The file follows them, as the field `file` */
            fields: {
                [key: string]: string;
            };
            method: "POST";
            expires_at: string;
            /** @description Bytes. Storage refuses a larger file */
            max_size: number;
        };
        UploadUpdatedFrame: {
            id: string;
            type: "upload.updated";
            api_version: "1.0.0";
            created_at: string;
            tenant_id: string;
            data: {
                upload: components["schemas"]["Upload"];
            };
        };
        WebhookPausedEvent: {
            id: string;
            type: "webhook.paused";
            api_version: "1.0.0";
            created_at: string;
            tenant_id: string;
            data: {
                endpoint_id: string;
                reason: string;
            };
        };
    };
}
