// Generated from docs/openapi.json by `npm run client:types`.

export interface components {
    schemas: {
        /** @description The data that `acceptInvite` returns. */
        AcceptInviteData: {
            membership: components["schemas"]["Member"];
        };
        /** @description A business account on a platform that a tenant connected. */
        Account: {
            /** @description The key of the connected account: `<platform>#<external_id>`. */
            account_key: string;
            platform: components["schemas"]["Platform"];
            /** @description The platform's id of the account. */
            external_id: string;
            /** @description The user name on Instagram; on Messenger that of the page, or the page's name. Without `@`. */
            handle: string;
            /** @description The name that the platform shows for the account. */
            display_name: string;
            /** @description The address of the account's profile picture on the platform's servers, which ends after some days. Null when the platform shows none, or before it was read: by the login, or by the check that runs once a day. */
            picture: string | null;
            /** @description The id of the Facebook page: the Messenger account itself, or the page that the Instagram account is linked to. Null without a page. */
            page_id: string | null;
            /**
             * @description How the account is connected.
             *
             *     - `instagram_login`: By a login of Instagram.
             *     - `instagram_page`: As the Instagram account that is linked to a Facebook page.
             *     - `messenger`: As a Facebook page.
             * @enum {string}
             */
            connection: "instagram_login" | "instagram_page" | "messenger";
            status: components["schemas"]["AccountStatus"];
            /** @description Why the account has its status, mostly in the platform's words. Null when there is nothing to say. */
            status_detail: string | null;
            /** @description The last failure of a refresh of the access token, in the platform's words. Null after a success. */
            refresh_error: string | null;
            /**
             * Format: date-time
             * @description When the access token was last refreshed, in ISO 8601. Null if it never was.
             */
            last_refreshed_at: string | null;
            /**
             * Format: date-time
             * @description When the access token ends, unless it is refreshed before, in ISO 8601. Null for a token without an end.
             */
            token_expires_at: string | null;
            /**
             * Format: date-time
             * @description When the platform last refused a human-agent message because the app lacks the permission, in ISO 8601. Null if it did not.
             */
            human_agent_blocked_at: string | null;
            /**
             * Format: date-time
             * @description When a check last saw that the platform sends every webhook of the account, in ISO 8601. Null before the first check did.
             */
            subscribed_at: string | null;
            /** @description Whether the platform sends the webhooks of the account. */
            subscription: {
                /**
                 * @description What the checks of the subscription saw.
                 *
                 *     - `complete`: A check of the last two days saw that the platform sends every webhook of the account.
                 *     - `stale`: The last such check is older, because checks fail or the access has ended.
                 *     - `unchecked`: No check did yet.
                 * @enum {string}
                 */
                state: "complete" | "stale" | "unchecked";
                /**
                 * Format: date-time
                 * @description When a check last saw the subscription complete, in ISO 8601. Null before the first one did.
                 */
                checked_at: string | null;
            };
            /**
             * Format: date-time
             * @description Since when messages may be missing that no webhook brought, in ISO 8601. Null when nothing is missing, and again when they were fetched.
             */
            missing_since: string | null;
        };
        /** @description An account was connected. */
        AccountConnectedEvent: {
            /** @description The id of the event: `evt_` and a ULID. It is the same in every delivery and replay: de-duplicate by it. */
            id: string;
            /**
             * @description The type, by which to choose what to do. Ignore events of a type that you do not know.
             * @constant
             */
            type: "account.connected";
            /**
             * @description The version of the body. Within a version, bodies only gain fields.
             * @constant
             */
            api_version: "1.0.0";
            /**
             * Format: date-time
             * @description When Parley first learned of it, in ISO 8601 and UTC.
             */
            created_at: string;
            /** @description The slug of the tenant. */
            tenant_id: string;
            data: components["schemas"]["AccountEventData"];
        };
        /** @description An account was disconnected. */
        AccountDisconnectedEvent: {
            /** @description The id of the event: `evt_` and a ULID. It is the same in every delivery and replay: de-duplicate by it. */
            id: string;
            /**
             * @description The type, by which to choose what to do. Ignore events of a type that you do not know.
             * @constant
             */
            type: "account.disconnected";
            /**
             * @description The version of the body. Within a version, bodies only gain fields.
             * @constant
             */
            api_version: "1.0.0";
            /**
             * Format: date-time
             * @description When Parley first learned of it, in ISO 8601 and UTC.
             */
            created_at: string;
            /** @description The slug of the tenant. */
            tenant_id: string;
            data: components["schemas"]["AccountEventData"];
        };
        /** @description What the events of an account say. */
        AccountEventData: {
            account: components["schemas"]["EventAccount"];
            /**
             * @description Why the account changed.
             *
             *     - `user`: Somebody connected or disconnected it.
             *     - `platform_deauthorized`: The person who connected it removed the app on the platform.
             *     - `token_invalid`: The platform no longer accepts the access token.
             *     - `policy`: The platform restricted it, or ended the restriction.
             * @enum {string}
             */
            reason: "user" | "platform_deauthorized" | "token_invalid" | "policy";
        };
        /** @description Parley can no longer access an account. Connect the account again. */
        AccountNeedsReauthEvent: {
            /** @description The id of the event: `evt_` and a ULID. It is the same in every delivery and replay: de-duplicate by it. */
            id: string;
            /**
             * @description The type, by which to choose what to do. Ignore events of a type that you do not know.
             * @constant
             */
            type: "account.needs_reauth";
            /**
             * @description The version of the body. Within a version, bodies only gain fields.
             * @constant
             */
            api_version: "1.0.0";
            /**
             * Format: date-time
             * @description When Parley first learned of it, in ISO 8601 and UTC.
             */
            created_at: string;
            /** @description The slug of the tenant. */
            tenant_id: string;
            data: components["schemas"]["AccountEventData"];
        };
        /** @description A previously connected account was connected again. */
        AccountReconnectedEvent: {
            /** @description The id of the event: `evt_` and a ULID. It is the same in every delivery and replay: de-duplicate by it. */
            id: string;
            /**
             * @description The type, by which to choose what to do. Ignore events of a type that you do not know.
             * @constant
             */
            type: "account.reconnected";
            /**
             * @description The version of the body. Within a version, bodies only gain fields.
             * @constant
             */
            api_version: "1.0.0";
            /**
             * Format: date-time
             * @description When Parley first learned of it, in ISO 8601 and UTC.
             */
            created_at: string;
            /** @description The slug of the tenant. */
            tenant_id: string;
            data: components["schemas"]["AccountEventData"];
        };
        /** @description An account is active again. */
        AccountRecoveredEvent: {
            /** @description The id of the event: `evt_` and a ULID. It is the same in every delivery and replay: de-duplicate by it. */
            id: string;
            /**
             * @description The type, by which to choose what to do. Ignore events of a type that you do not know.
             * @constant
             */
            type: "account.recovered";
            /**
             * @description The version of the body. Within a version, bodies only gain fields.
             * @constant
             */
            api_version: "1.0.0";
            /**
             * Format: date-time
             * @description When Parley first learned of it, in ISO 8601 and UTC.
             */
            created_at: string;
            /** @description The slug of the tenant. */
            tenant_id: string;
            data: components["schemas"]["AccountEventData"];
        };
        /** @description The access token of an account could not be refreshed. The account works until the token expires. */
        AccountRefreshFailingEvent: {
            /** @description The id of the event: `evt_` and a ULID. It is the same in every delivery and replay: de-duplicate by it. */
            id: string;
            /**
             * @description The type, by which to choose what to do. Ignore events of a type that you do not know.
             * @constant
             */
            type: "account.refresh_failing";
            /**
             * @description The version of the body. Within a version, bodies only gain fields.
             * @constant
             */
            api_version: "1.0.0";
            /**
             * Format: date-time
             * @description When Parley first learned of it, in ISO 8601 and UTC.
             */
            created_at: string;
            /** @description The slug of the tenant. */
            tenant_id: string;
            data: components["schemas"]["AccountEventData"];
        };
        /** @description The platform restricted an account. */
        AccountRestrictedEvent: {
            /** @description The id of the event: `evt_` and a ULID. It is the same in every delivery and replay: de-duplicate by it. */
            id: string;
            /**
             * @description The type, by which to choose what to do. Ignore events of a type that you do not know.
             * @constant
             */
            type: "account.restricted";
            /**
             * @description The version of the body. Within a version, bodies only gain fields.
             * @constant
             */
            api_version: "1.0.0";
            /**
             * Format: date-time
             * @description When Parley first learned of it, in ISO 8601 and UTC.
             */
            created_at: string;
            /** @description The slug of the tenant. */
            tenant_id: string;
            data: components["schemas"]["AccountEventData"];
        };
        /**
         * @description Whether the account works. Inbound messages are stored and delivered in every status.
         *
         *     - `active`: It sends and receives.
         *     - `refresh_failing`: The last refresh of its access token failed. The token is still valid.
         *     - `needs_reauth`: Its access token ended or lost a permission. Connect the account again.
         *     - `restricted`: The platform restricts the account. `status_detail` says why.
         * @enum {string}
         */
        AccountStatus: "active" | "refresh_failing" | "needs_reauth" | "restricted";
        /**
         * @description What a person does with a conversation.
         *
         *     - `reading`: They have it open. Forget it after 90 seconds without a repetition.
         *     - `writing`: They type an answer. Forget it after 12 seconds without a repetition.
         *     - `left`: They closed it.
         * @enum {string}
         */
        Activity: "reading" | "writing" | "left";
        /** @description A file or another part of a message. */
        Attachment: {
            type: components["schemas"]["AttachmentType"];
            /** @description The platform's URL, which expires. Null where the platform has none. A sent upload has it from its echo on, a moment after the send; its event has null unless the echo came first. */
            url: string | null;
            /** @description The title of a share or a file, where the platform gives one. Else null. */
            title: string | null;
            /** @description Where a `location` is. Null for any other type. */
            coordinates: components["schemas"]["Coordinates"] | null;
        };
        /**
         * @description The kind of an attachment.
         *
         *     - `image`: A picture.
         *     - `video`: A video, also one that was shared from a reel.
         *     - `audio`: A voice message or another recording.
         *     - `file`: Any other file.
         *     - `share`: A shared post or link.
         *     - `story_mention`: A mention of the account in the participant's story.
         *     - `sticker`: A sticker. A like has the text `❤` on Instagram and `👍` on Messenger.
         *     - `location`: A place, with its `coordinates`.
         *     - `unsupported`: Content that the platform shows only in its own app, such as media to view once.
         * @enum {string}
         */
        AttachmentType: "image" | "video" | "audio" | "file" | "share" | "story_mention" | "sticker" | "location" | "unsupported";
        /**
         * @description Why an attempt failed.
         *
         *     - `timeout`: No complete response within 15 seconds, or no connection within 5.
         *     - `connect`: The connection was refused or lost.
         *     - `tls`: The certificate or the TLS handshake failed, also because the receiver speaks HTTP/2 alone: it needs HTTP/1.1.
         *     - `dns`: The host name did not resolve.
         *     - `status`: The response had a status outside 200 to 299.
         *     - `too_large`: The response was longer than 64 KiB.
         *     - `gate`: The address is not a public one, so it was not called.
         * @enum {string}
         */
        AttemptError: "timeout" | "connect" | "tls" | "dns" | "status" | "too_large" | "gate";
        /**
         * @description What was done.
         *
         *     - `tenant.create`: A tenant was created.
         *     - `tenant.update`: The settings of the tenant were changed.
         *     - `account.connect`: An account was connected.
         *     - `account.reconnect`: An account was connected again.
         *     - `account.disconnect`: An account was disconnected.
         *     - `conversation.erase`: A conversation was erased. `detail` has the counts.
         *     - `key.create`: An API key was created.
         *     - `key.revoke`: An API key was revoked.
         *     - `operator_key.create`: The operator created a key for several tenants.
         *     - `operator_key.revoke`: The operator revoked such a key.
         *     - `webhook.create`: An endpoint was created.
         *     - `webhook.update`: The URL, the events or the status of an endpoint was changed.
         *     - `webhook.delete`: An endpoint was deleted.
         *     - `webhook.rotate`: The signing secret of an endpoint was rotated.
         *     - `webhook.test`: A test event was sent.
         *     - `webhook.replay`: One delivery was replayed.
         *     - `webhook.bulk_replay`: The deliveries of a time window were replayed. `detail` has the window and the counts.
         *     - `webhook.auto_pause`: Parley paused an endpoint, after a 410 or days of failures.
         *     - `hold.create`: A message of a named person was held.
         *     - `hold.verify`: The author of a held message passed the check.
         *     - `invite.create`: A person was invited.
         *     - `invite.revoke`: An invite was revoked.
         *     - `invite.accept`: An invite was accepted.
         *     - `invite.decline`: An invite was declined.
         *     - `member.role_change`: The role of a member was changed.
         *     - `member.remove`: A member was removed, or left.
         *     - `session.create_link`: The operator created a sign-in link by the command line.
         *     - `session.sign_in`: A member signed in.
         *     - `session.sign_out`: A member signed out.
         *     - `platform.deauthorize`: A person removed the app on the platform.
         *     - `platform.data_deletion`: A person requested the deletion of their data from the platform.
         * @enum {string}
         */
        AuditAction: "tenant.create" | "tenant.update" | "account.connect" | "account.reconnect" | "account.disconnect" | "conversation.erase" | "key.create" | "key.revoke" | "operator_key.create" | "operator_key.revoke" | "webhook.create" | "webhook.update" | "webhook.delete" | "webhook.rotate" | "webhook.test" | "webhook.replay" | "webhook.bulk_replay" | "webhook.auto_pause" | "hold.create" | "hold.verify" | "invite.create" | "invite.revoke" | "invite.accept" | "invite.decline" | "member.role_change" | "member.remove" | "session.create_link" | "session.sign_in" | "session.sign_out" | "platform.deauthorize" | "platform.data_deletion";
        /** @description A change that somebody made. It never has content of messages, tokens or secrets. */
        AuditEntry: {
            /** @description The id of the entry: `aud_` and a ULID. */
            id: string;
            action: components["schemas"]["AuditAction"];
            /** @description What was changed, as `<type>:<id>`. A conversation is named by a part of the hash of its id. */
            resource: string;
            /** @description Who did it: `console:<user_id>`, `key:<key_id>`, `operator:<key_id>`, `cli` or `system`. */
            actor: string;
            /** @description The address from which it was requested. Null for Parley itself and the command line. */
            ip: string | null;
            /**
             * Format: date-time
             * @description When it was done, in ISO 8601 and UTC.
             */
            at: string;
            /** @description More about the change, such as counts, statuses or a time window. Empty when there is nothing more. */
            detail: {
                [key: string]: string | number | boolean;
            };
        };
        /**
         * @description Who made the change.
         *
         *     - `participant`: The person who writes with the account.
         *     - `account`: The business account itself.
         * @enum {string}
         */
        ChangeAuthor: "participant" | "account";
        /** @description The data that `completeCheck` returns. */
        CompleteCheckData: {
            hold: components["schemas"]["HeldMessage"];
        };
        /** @description The body of `completeCheck`: the secret of the hold, a challenge and its solutions. */
        CompleteCheckRequest: {
            /** @description The part of `verify_url` after `#t=`. */
            secret: string;
            /** @description The `token` of the challenge that was solved. */
            token: string;
            /** @description The solution of each puzzle, in their order. */
            solutions: number[];
        };
        /** @description Everything that one person and one connected account wrote to each other in the last 7 days, with what may be sent now. */
        Conversation: {
            /** @description The id, of the form `CONV#<tenant>#<platform>#<external_id>#<participant_id>`. In a path, `#` is `%23`. */
            id: string;
            /** @description The slug of the tenant. */
            tenant_id: string;
            /** @description The key of the connected account: `<platform>#<external_id>`. */
            account_key: string;
            /** @description The handle of the connected account, without `@`: the user name on Instagram, that of the page or its name on Messenger. */
            account_handle: string;
            platform: components["schemas"]["Platform"];
            /** @description The platform's id of the person. It differs for each account that the person writes to. */
            participant_id: string;
            /** @description What to call the person: the user name, or the full name on a platform without user names. Null until the profile is known. */
            participant_handle: string | null;
            /** @description The person's user name on Instagram. Null on Messenger and until the profile is known. */
            participant_username: string | null;
            /** @description The person's display name. Null until the profile is known, and for a person without one. */
            participant_name: string | null;
            /** @description The URL of the profile picture at the platform, which expires after a while. Null without one. */
            participant_picture: string | null;
            participant_profile: components["schemas"]["ProfileState"];
            /**
             * Format: date-time
             * @description When the participant last wrote, in ISO 8601. The windows are counted from it. Null if they have not written.
             */
            last_inbound_at: string | null;
            /**
             * Format: date-time
             * @description When the account last wrote, through the API or another app, in ISO 8601. Null if it has not.
             */
            last_outbound_at: string | null;
            /**
             * Format: date-time
             * @description When the newest message in either direction was sent, in ISO 8601.
             */
            last_message_at: string;
            /** @description The first 200 characters of the newest message. Empty for media alone and for an unsent message. */
            last_message_text: string;
            /** @description What the newest message is, for a preview. */
            last_message: {
                direction: components["schemas"]["MessageDirection"];
                /**
                 * @description What the message is: `text`, or the type of its first attachment. An unsent message is an empty `text`.
                 *
                 *     - `text`: A text without an attachment.
                 *     - `image`: A picture.
                 *     - `video`: A video.
                 *     - `audio`: A voice message or another recording.
                 *     - `file`: Any other file.
                 *     - `share`: A shared post or link.
                 *     - `story_mention`: A mention in the participant's story.
                 *     - `sticker`: A sticker or a like.
                 *     - `location`: A place.
                 *     - `unsupported`: Content that only the platform's own app shows.
                 * @enum {string}
                 */
                kind: "text" | "image" | "video" | "audio" | "file" | "share" | "story_mention" | "sticker" | "location" | "unsupported";
            };
            /** @description When the first message was sent that waits for an answer. Null when the last message is not inbound. */
            waiting_since: string | null;
            /** @description When the last inbound message was marked as done. Null without the mark, which any newer message ends. */
            done_at: string | null;
            /** @description The last message is inbound and not marked as done. */
            needs_reply: boolean;
            /** @description What may be sent now. It follows from `last_inbound_at` and the time of the request, and is computed on each read. */
            window: {
                state: components["schemas"]["WindowState"];
                /**
                 * Format: date-time
                 * @description When the current state ends, in ISO 8601: 24 hours or 7 days after the last inbound message. Of `closed`, when it closed. Null for `no_inbound`.
                 */
                expires_at: string | null;
            };
            /** @description Whether the newest message is inbound. */
            unanswered: boolean;
            /** @description Whether `POST /v1/messages/reply` is allowed now: `true` exactly while the state of the window is `open_24h`. */
            can_reply: boolean;
            /** @description Whether `POST /v1/messages/human-agent` is allowed now: `true` exactly while the state of the window is `human_agent_7d`. */
            can_send_as_human_agent: boolean;
        };
        /** @description The profile of a new person arrived after the event of their first message, or a conversation was marked as done or no longer is. Only endpoints that name this type in `events` receive it. */
        ConversationUpdatedEvent: {
            /** @description The id of the event: `evt_` and a ULID. It is the same in every delivery and replay: de-duplicate by it. */
            id: string;
            /**
             * @description The type, by which to choose what to do. Ignore events of a type that you do not know.
             * @constant
             */
            type: "conversation.updated";
            /**
             * @description The version of the body. Within a version, bodies only gain fields.
             * @constant
             */
            api_version: "1.0.0";
            /**
             * Format: date-time
             * @description When Parley first learned of it, in ISO 8601 and UTC.
             */
            created_at: string;
            /** @description The slug of the tenant. */
            tenant_id: string;
            /** @description What happened. Its fields depend on `type`. */
            data: {
                conversation: components["schemas"]["Conversation"];
            };
        };
        /** @description A conversation changed, or was erased. */
        ConversationUpdatedFrame: {
            /** @description The id of the event: `evt_` and a ULID. It is the same in every delivery and replay: de-duplicate by it. */
            id: string;
            /**
             * @description The type, by which to choose what to do. Ignore events of a type that you do not know.
             * @constant
             */
            type: "conversation.updated";
            /**
             * @description The version of the body. Within a version, bodies only gain fields.
             * @constant
             */
            api_version: "1.0.0";
            /**
             * Format: date-time
             * @description When Parley first learned of it, in ISO 8601 and UTC.
             */
            created_at: string;
            /** @description The slug of the tenant. */
            tenant_id: string;
            /** @description What happened. Its fields depend on `type`. */
            data: {
                /** @description The conversation as it is now, or only its id when it was erased. */
                conversation: components["schemas"]["Conversation"] | {
                    /** @description The id of the conversation that was erased. */
                    id: string;
                    /**
                     * @description Always `true`: forget everything about the conversation.
                     * @constant
                     */
                    erased: true;
                };
            };
        };
        /** @description A place on the map, in decimal degrees. */
        Coordinates: {
            /** @description The latitude in degrees, -90 to 90. */
            lat: number;
            /** @description The longitude in degrees, -180 to 180. */
            long: number;
        };
        /** @description The data that `createChallenge` returns. */
        CreateChallengeData: {
            /** @description The size of the challenge, from which the browser derives its puzzles. */
            challenge: {
                /** @description How many puzzles there are to solve. */
                c: number;
                /** @description The length of the salt of each puzzle, in characters. */
                s: number;
                /** @description The difficulty: how many hexadecimal digits of each hash are given. */
                d: number;
            };
            /** @description What identifies the challenge. Send it back with the solutions. */
            token: string;
            /** @description When the challenge ends, in epoch milliseconds. */
            expires: number;
        };
        /** @description The body that `createChallenge` takes. */
        CreateChallengeRequest: {
            /** @description The part of `verify_url` after `#t=`. */
            secret: string;
        };
        /** @description The data that `createInstagramLogin` returns. */
        CreateInstagramLoginData: {
            /** @description The URL of the platform's login. Navigate to it in the same browser. */
            url: string;
        };
        /** @description The data that `createInvite` returns. */
        CreateInviteData: {
            invite: components["schemas"]["Invite"];
        };
        /** @description The body that `createInvite` takes. */
        CreateInviteRequest: {
            /**
             * Format: email
             * @description The address to invite, of at most 254 characters.
             */
            email: string;
            role: components["schemas"]["Role"];
        };
        /** @description The data that `createKey` returns. */
        CreateKeyData: {
            /** @description The id of the key, a ULID. */
            id: string;
            /** @description The first characters of the secret, by which keys are distinguished. */
            prefix: string;
            /** @description The key itself: `svc_live_…` or `svc_test_…`. Store it now: no later response has it. */
            secret: string;
            scope: components["schemas"]["KeyScope"];
            /** @description Whether a request of the key with a query parameter or a body field that its route does not know is a 400 that names the nearest one. Without it, they are ignored and named in the header `parley-ignored`. */
            strict: boolean;
            /** @description The name that its creator gave it. Empty without one. */
            label: string;
            /**
             * Format: date-time
             * @description When it was created, in ISO 8601 and UTC.
             */
            created_at: string;
        };
        /** @description The body of `createKey`. It may be absent. */
        CreateKeyRequest: {
            scope?: components["schemas"]["KeyScope"];
            /** @description A name for people, on one line. Absent: empty. */
            label?: string;
            /** @description Whether a request of the key with a query parameter or a body field that its route does not know is a 400 that names the nearest one. Without it, they are ignored and named in the header `parley-ignored`. */
            strict?: boolean;
        };
        /** @description The data that `createMessengerLogin` returns. */
        CreateMessengerLoginData: {
            /** @description The URL of the platform's login. Navigate to it in the same browser. */
            url: string;
        };
        CreateRealtimeTicketData: components["schemas"]["RealtimeTicket"];
        CreateSessionTicketData: components["schemas"]["RealtimeTicket"];
        /** @description The data that `createTenant` returns. */
        CreateTenantData: {
            tenant: components["schemas"]["Tenant"];
        };
        /** @description The body of `createTenant`: a slug and a name. */
        CreateTenantRequest: {
            /** @description The slug: 3 to 40 lowercase letters, digits and dashes, from a letter to a letter or digit. It cannot be changed. */
            id: string;
            /** @description The name for people, on one line. */
            name: string;
        };
        /** @description The data that `createUpload` returns. */
        CreateUploadData: {
            upload: components["schemas"]["UploadGrant"];
        };
        /** @description The body of `createUpload`: the conversation, and what the file is. */
        CreateUploadRequest: {
            /** @description The conversation in which the file will be sent. It decides which files the platform takes. */
            conversation_id: string;
            /** @description The name of the file, of at most 255 bytes. */
            filename: string;
            /** @description A media type. Parameters after a semicolon are ignored. */
            content_type: string;
            /** @description The size of the file in bytes. */
            size: number;
            /** @description The kind of the file. Null or absent: it follows from `content_type`. On Messenger any file is possible as a `file`. */
            type?: components["schemas"]["MediaType"] | null;
        };
        CreateWebhookData: components["schemas"]["IssuedEndpoint"];
        /** @description The body of `createWebhook`: where events are sent, and which. */
        CreateWebhookRequest: {
            /**
             * Format: uri
             * @description The public https URL that receives events by `POST`. Redirects are not followed.
             */
            url: string;
            /** @description The types that it receives. Absent: all but `conversation.updated`, which an endpoint receives only if it names it. Duplicates count once; an unknown type or an empty list is 400. */
            events?: components["schemas"]["EventType"][];
        };
        /** @description The data that `declineInvite` returns. */
        DeclineInviteData: {
            /**
             * @description Always `true`: the invite has ended.
             * @constant
             */
            declined: true;
        };
        /** @description The data that `deleteWebhook` returns. */
        DeleteWebhookData: {
            /**
             * @description Always `true`: the endpoint is deleted.
             * @constant
             */
            deleted: true;
        };
        /** @description One event for one endpoint. Its times are epoch milliseconds, unlike all others. */
        Delivery: {
            /** @description The id of the delivery. It follows from the event and the endpoint, and a replay keeps it. */
            delivery_id: string;
            /** @description The id of the event, by which receivers de-duplicate. */
            event_id: string;
            event_type: components["schemas"]["EventType"];
            status: components["schemas"]["DeliveryStatus"];
            /** @description How many attempts of the ten were made. 0 before the first and after a replay. */
            attempt_number: number;
            /** @description When the next attempt is due, in epoch milliseconds. Null if none is planned. */
            next_retry_at: number | null;
            /**
             * @description What the delivery waits for. Null while an attempt is made, and when it has ended.
             *
             *     - `endpoint`: The circuit of its endpoint is open.
             *     - `retry`: The time of the next attempt has not come.
             *     - `slot`: A free worker, or a free slot of a slow endpoint.
             */
            waiting_for: ("endpoint" | "retry" | "slot") | null;
            /** @description Until when it waits at least, in epoch milliseconds: the next probe of the endpoint, or the next attempt. Null where no time is known. */
            waiting_until: number | null;
            /** @description The HTTP status of the last response. Null if there was none. */
            last_response_status: number | null;
            /** @description Why the last attempt failed. `tls`: the certificate is not valid for the name, or the receiver does not speak HTTP/1.1, with which Parley calls: one that speaks HTTP/2 alone refuses the connection. Null after a success and before the first attempt. */
            last_error: components["schemas"]["AttemptError"] | null;
            /** @description How long the last attempt waited for its response, in milliseconds: from the last byte of the request, without delays of Parley's own process. From the start of the attempt, if the request was not sent. Null before the first attempt. */
            last_duration_ms: number | null;
            /** @description When the event happened, in epoch milliseconds. Windows of a replay select by it. */
            created_at: number;
            /** @description When the status last changed, in epoch milliseconds. */
            updated_at: number;
        };
        /** @description A delivery with its event and its last attempts. */
        DeliveryDetail: {
            /** @description The id of the delivery. It follows from the event and the endpoint, and a replay keeps it. */
            delivery_id: string;
            /** @description The id of the event, by which receivers de-duplicate. */
            event_id: string;
            event_type: components["schemas"]["EventType"];
            status: components["schemas"]["DeliveryStatus"];
            /** @description How many attempts of the ten were made. 0 before the first and after a replay. */
            attempt_number: number;
            /** @description When the next attempt is due, in epoch milliseconds. Null if none is planned. */
            next_retry_at: number | null;
            /**
             * @description What the delivery waits for. Null while an attempt is made, and when it has ended.
             *
             *     - `endpoint`: The circuit of its endpoint is open.
             *     - `retry`: The time of the next attempt has not come.
             *     - `slot`: A free worker, or a free slot of a slow endpoint.
             */
            waiting_for: ("endpoint" | "retry" | "slot") | null;
            /** @description Until when it waits at least, in epoch milliseconds: the next probe of the endpoint, or the next attempt. Null where no time is known. */
            waiting_until: number | null;
            /** @description The HTTP status of the last response. Null if there was none. */
            last_response_status: number | null;
            /** @description Why the last attempt failed. `tls`: the certificate is not valid for the name, or the receiver does not speak HTTP/1.1, with which Parley calls: one that speaks HTTP/2 alone refuses the connection. Null after a success and before the first attempt. */
            last_error: components["schemas"]["AttemptError"] | null;
            /** @description How long the last attempt waited for its response, in milliseconds: from the last byte of the request, without delays of Parley's own process. From the start of the attempt, if the request was not sent. Null before the first attempt. */
            last_duration_ms: number | null;
            /** @description When the event happened, in epoch milliseconds. Windows of a replay select by it. */
            created_at: number;
            /** @description When the status last changed, in epoch milliseconds. */
            updated_at: number;
            /** @description The body as each attempt sends it. Null when it is erased, unsent or older than 7 days. */
            event: {
                [key: string]: unknown;
            } | null;
            /** @description The last ten attempts, newest first. */
            attempts: {
                /** @description The number of the attempt, from 1. */
                attempt: number;
                /** @description When it started, in epoch milliseconds. */
                at: number;
                /** @description The HTTP status of the response. Null without one. */
                status: number | null;
                /** @description Why the attempt failed. Null for a success. */
                error: components["schemas"]["AttemptError"] | null;
                /** @description How long the attempt waited for its response, in milliseconds, as in `last_duration_ms`. Null for one that did not end. */
                duration_ms: number | null;
                /** @description Of the newest attempt, the first 256 bytes of the response if they are text, without secrets; else null. Null as soon as `event` is. */
                response: string | null;
            }[];
        };
        /**
         * @description The state of a delivery.
         *
         *     - `pending`: It waits for its first attempt.
         *     - `attempting`: An attempt is in progress.
         *     - `retrying`: The last attempt failed, or the circuit of the endpoint is open. It is tried again.
         *     - `delivered`: The endpoint responded with 200 to 299.
         *     - `failed`: It will not be tried again: the endpoint responded with 410, was deleted, or the body is gone.
         *     - `blocked`: It was not attempted: the endpoint is paused, or its address is refused.
         *     - `dlq`: All ten attempts failed. Replay it when the endpoint works again.
         * @enum {string}
         */
        DeliveryStatus: "pending" | "attempting" | "retrying" | "delivered" | "failed" | "blocked" | "dlq";
        /** @description The data that `disconnectAccount` returns. */
        DisconnectAccountData: {
            /**
             * @description Always `true`: the account is disconnected.
             * @constant
             */
            disconnected: true;
        };
        /** @description A URL of a tenant that receives events. */
        Endpoint: {
            /** @description The id of the endpoint, a ULID. */
            id: string;
            /** @description The https URL that receives events. */
            url: string;
            /** @description The event types that the endpoint receives. */
            events: components["schemas"]["EventType"][];
            status: components["schemas"]["EndpointStatus"];
            /** @description Who paused the endpoint, in the form of an audit entry's `actor`: `system` is Parley itself, after a 410 or days of failures. Null unless it is paused, and where an earlier release paused it. */
            paused_by: string | null;
            /**
             * Format: date-time
             * @description The first failed attempt since the last success, in ISO 8601. Null without one, and again when `url` or `status` is changed.
             */
            failing_since: string | null;
            /** @description The circuit breaker. Both times are null while it is `closed`. */
            circuit: {
                /**
                 * @description Whether the endpoint is called.
                 *
                 *     - `closed`: It is called.
                 *     - `open`: It is not called after 10 failed attempts in a row. Its deliveries wait without losing attempts.
                 *     - `probing`: One delivery is sent to find out whether it works again.
                 * @enum {string}
                 */
                state: "closed" | "open" | "probing";
                /**
                 * Format: date-time
                 * @description When the circuit opened, in ISO 8601. Null while it is closed.
                 */
                opened_at: string | null;
                /**
                 * Format: date-time
                 * @description When the next probe is sent, in ISO 8601: 1 to 30 minutes after the last. Null while the circuit is closed.
                 */
                next_probe_at: string | null;
            };
            /** @description How the endpoint is, and how its deliveries of a day ended. */
            health: {
                /**
                 * @description The first of these that applies.
                 *
                 *     - `paused`: It is not called.
                 *     - `circuit_open`: It is not called but for a probe at `next_try_at`.
                 *     - `failing`: Its newest attempt failed.
                 *     - `slow`: It answers late, so that its attempts wait for a free slot.
                 *     - `ok`: None of the others.
                 * @enum {string}
                 */
                state: "ok" | "slow" | "failing" | "circuit_open" | "paused";
                /**
                 * Format: date-time
                 * @description Since when it is in that state, in ISO 8601; of a paused endpoint, its last update. Null for `ok` and `slow`.
                 */
                since: string | null;
                /**
                 * Format: date-time
                 * @description The first failed attempt since the last success, in ISO 8601. Null without one.
                 */
                failing_since: string | null;
                /**
                 * Format: date-time
                 * @description The next probe of an open circuit, in ISO 8601. Null in any other state.
                 */
                next_try_at: string | null;
                /** @description The class of the newest failure since the last success, as `last_error` of a delivery names it. Null without one, and while only an earlier release saw it. */
                last_error: components["schemas"]["AttemptError"] | null;
                /** @description The deliveries that succeeded in the current hour and the 24 hours before it. */
                delivered_24h: number;
                /** @description The deliveries that ended as `failed`, `blocked` or `dlq` in the same time. A replay reduces no count. */
                failed_24h: number;
            };
            /** @description The first 12 characters of the current signing secret, by which secrets are distinguished. */
            signing_secret_prefix: string;
            /** @description Whether the previous secret still signs: `true` for 24 hours after a rotation. */
            secondary_active: boolean;
            /**
             * Format: date-time
             * @description When the previous secret ends, in ISO 8601. Null if none is active.
             */
            secondary_expires_at: string | null;
            /**
             * Format: date-time
             * @description When it was created, in ISO 8601 and UTC.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When the URL, the events, the status or the secret was last changed, in ISO 8601.
             */
            updated_at: string;
        };
        /**
         * @description Whether events are delivered to the endpoint.
         *
         *     - `active`: They are delivered.
         *     - `paused`: They are stored as `blocked` deliveries, which a replay delivers later.
         *     - `deleted`: It is deleted. Its secrets are erased and its deliveries stay readable.
         * @enum {string}
         */
        EndpointStatus: "active" | "paused" | "deleted";
        /** @description The data that `eraseConversation` returns. */
        EraseConversationData: {
            /** @description Whether nothing of the conversation is left. `false`, with the status 202: the erasure continues in the background. */
            done: boolean;
            removed: components["schemas"]["RemovedCounts"];
        };
        ErrorCode: "account_in_use" | "account_limit" | "account_not_found" | "attachment_too_large" | "conversation_not_found" | "csrf_failed" | "delivery_not_found" | "endpoint_limit" | "endpoint_not_found" | "forbidden" | "hold_expired" | "hold_not_found" | "human_agent_unavailable" | "idempotency_conflict" | "internal_error" | "invalid_request" | "invite_exists" | "invite_limit" | "invite_not_found" | "key_limit" | "key_not_found" | "last_owner" | "member_not_found" | "message_not_found" | "missing_actor" | "oauth_denied" | "oauth_failed" | "oauth_state_invalid" | "payload_too_large" | "rate_limited" | "replay_conflict" | "replay_expired" | "send_failed" | "tenant_exists" | "tenant_not_found" | "tenant_required" | "unauthorized" | "unsupported_media_type" | "upload_not_found" | "window_closed" | "workspace_limit";
        /** @description The account as it was when the event happened. */
        EventAccount: {
            /** @description The key of the connected account: `<platform>#<external_id>`. */
            account_key: string;
            platform: components["schemas"]["Platform"];
            /** @description The platform's id of the account. */
            external_id: string;
            /** @description The user name on Instagram; on Messenger that of the page, or the page's name. Without `@`. */
            handle: string;
            /** @description The name that the platform shows for the account. */
            display_name: string;
            /** @description The id of the Facebook page: the Messenger account itself, or the page that the Instagram account is linked to. Null without a page. */
            page_id: string | null;
            status: components["schemas"]["AccountStatus"];
        };
        /** @description A message as it was when the event happened, with its person. Later changes have events of their own. */
        EventMessage: {
            /** @description The platform's own id of the message. */
            id: string;
            /** @description The conversation to which it belongs. */
            conversation_id: string;
            /** @description The key of the connected account: `<platform>#<external_id>`. */
            account_key: string;
            platform: components["schemas"]["Platform"];
            direction: components["schemas"]["MessageDirection"];
            /** @description The text, after edits. Empty for media alone and for an unsent message. An inbound text is cut at 20,000 units of UTF-16. */
            text: string;
            /** @description Whether the platform sent a longer text. The rest is not stored: the conversation in the platform's app has it. */
            text_truncated: boolean;
            /** @description The media of the message, in order. Empty when there is none. */
            attachments: components["schemas"]["Attachment"][];
            /**
             * Format: date-time
             * @description When it was sent, by the platform's clock, in ISO 8601 and UTC.
             */
            sent_at: string;
            sent_via: components["schemas"]["SentVia"];
            /** @description The person who sent it, as given with the send. Null for any other message. */
            actor_id: string | null;
            /** @description The id of the message that it answers. Null if it answers none. */
            reply_to: string | null;
            /** @description The story that the participant replied to or mentioned the account in. Null without one. */
            story: components["schemas"]["Story"] | null;
            /** @description The quick reply that the participant pressed. Null without one. */
            quick_reply: components["schemas"]["QuickReply"] | null;
            /** @description The button that the participant pressed. Null without one. */
            postback: components["schemas"]["Postback"] | null;
            /** @description The link, ad or plugin by which the participant came. Null without one. */
            referral: components["schemas"]["Referral"] | null;
            /**
             * Format: date-time
             * @description When it was last edited, in ISO 8601. Null if it was not.
             */
            edited_at: string | null;
            /**
             * Format: date-time
             * @description When it was unsent, in ISO 8601. Its content is then gone. Null if it was not.
             */
            deleted_at: string | null;
            /** @description The current reactions, at most one of the participant and one of the account. */
            reactions: components["schemas"]["Reaction"][];
            participant: components["schemas"]["Participant"];
            /** @description The held message that this was. Absent for any other message. */
            hold_id?: string;
            /** @description `true` for a message sent with a test key. Absent for any other message. */
            test?: boolean;
        };
        /**
         * @description What an event reports.
         *
         *     - `message.received`: A person sent a message or pressed a button.
         *     - `message.sent`: The account sent a message: through the API (`outbound`) or from another app (`echo`).
         *     - `message.failed`: A message sent through the API failed, or its outcome is unknown.
         *     - `message.deleted`: A message was unsent, by the participant or by the account. Remove its content.
         *     - `message.edited`: A message was edited, by the participant or by the account. `text` is the new text.
         *     - `message.reaction`: The participant or the account reacted to a message, or removed the reaction.
         *     - `referral.received`: A person came to the conversation by a link, ad or plugin without a message. It opens no messaging window.
         *     - `conversation.updated`: The profile of a new person arrived after the event of their first message, or a conversation was marked as done or no longer is. Only endpoints that name this type in `events` receive it.
         *     - `account.connected`: An account was connected.
         *     - `account.reconnected`: A previously connected account was connected again.
         *     - `account.disconnected`: An account was disconnected.
         *     - `account.refresh_failing`: The access token of an account could not be refreshed. The account works until the token expires.
         *     - `account.needs_reauth`: Parley can no longer access an account. Connect the account again.
         *     - `account.restricted`: The platform restricted an account.
         *     - `account.recovered`: An account is active again.
         *     - `webhook.paused`: Parley paused a webhook endpoint of the tenant. The paused endpoint does not receive this event.
         *     - `test.event`: A test event was requested for this endpoint.
         * @enum {string}
         */
        EventType: "message.received" | "message.sent" | "message.failed" | "message.deleted" | "message.edited" | "message.reaction" | "referral.received" | "conversation.updated" | "account.connected" | "account.reconnected" | "account.disconnected" | "account.refresh_failing" | "account.needs_reauth" | "account.restricted" | "account.recovered" | "webhook.paused" | "test.event";
        Events: {
            "message.received": components["schemas"]["MessageReceivedEvent"];
            "message.sent": components["schemas"]["MessageSentEvent"];
            "message.failed": components["schemas"]["MessageFailedEvent"];
            "message.deleted": components["schemas"]["MessageDeletedEvent"];
            "message.edited": components["schemas"]["MessageEditedEvent"];
            "message.reaction": components["schemas"]["MessageReactionEvent"];
            "referral.received": components["schemas"]["ReferralReceivedEvent"];
            "conversation.updated": components["schemas"]["ConversationUpdatedEvent"];
            "account.connected": components["schemas"]["AccountConnectedEvent"];
            "account.reconnected": components["schemas"]["AccountReconnectedEvent"];
            "account.disconnected": components["schemas"]["AccountDisconnectedEvent"];
            "account.refresh_failing": components["schemas"]["AccountRefreshFailingEvent"];
            "account.needs_reauth": components["schemas"]["AccountNeedsReauthEvent"];
            "account.restricted": components["schemas"]["AccountRestrictedEvent"];
            "account.recovered": components["schemas"]["AccountRecoveredEvent"];
            "webhook.paused": components["schemas"]["WebhookPausedEvent"];
            "test.event": components["schemas"]["TestEvent"];
        };
        /** @description The message that was not sent, as it would have been. */
        FailedMessage: {
            /** @description Always null: a message that was not sent has no id. */
            id: null;
            /** @description The conversation to which it belongs. */
            conversation_id: string;
            /** @description The key of the connected account: `<platform>#<external_id>`. */
            account_key: string;
            platform: components["schemas"]["Platform"];
            direction: components["schemas"]["MessageDirection"];
            /** @description The text, after edits. Empty for media alone and for an unsent message. An inbound text is cut at 20,000 units of UTF-16. */
            text: string;
            /** @description Whether the platform sent a longer text. The rest is not stored: the conversation in the platform's app has it. */
            text_truncated: boolean;
            /** @description The media of the message, in order. Empty when there is none. */
            attachments: components["schemas"]["Attachment"][];
            /**
             * Format: date-time
             * @description When it was sent, by the platform's clock, in ISO 8601 and UTC.
             */
            sent_at: string;
            sent_via: components["schemas"]["SentVia"];
            /** @description The person who sent it, as given with the send. Null for any other message. */
            actor_id: string | null;
            /** @description The id of the message that it answers. Null if it answers none. */
            reply_to: string | null;
            /** @description The story that the participant replied to or mentioned the account in. Null without one. */
            story: components["schemas"]["Story"] | null;
            /** @description The quick reply that the participant pressed. Null without one. */
            quick_reply: components["schemas"]["QuickReply"] | null;
            /** @description The button that the participant pressed. Null without one. */
            postback: components["schemas"]["Postback"] | null;
            /** @description The link, ad or plugin by which the participant came. Null without one. */
            referral: components["schemas"]["Referral"] | null;
            /**
             * Format: date-time
             * @description When it was last edited, in ISO 8601. Null if it was not.
             */
            edited_at: string | null;
            /**
             * Format: date-time
             * @description When it was unsent, in ISO 8601. Its content is then gone. Null if it was not.
             */
            deleted_at: string | null;
            /** @description The current reactions, at most one of the participant and one of the account. */
            reactions: components["schemas"]["Reaction"][];
            participant: components["schemas"]["Participant"];
            /** @description The held message that this was. Absent for any other message. */
            hold_id?: string;
            /** @description `true` for a message sent with a test key. Absent for any other message. */
            test?: boolean;
        };
        /** @description The data that `finishInstagramLogin` returns. */
        FinishInstagramLoginData: {
            /** @description The key of the account that was connected. */
            connected: string;
        };
        /** @description The data that `finishMessengerLogin` returns. */
        FinishMessengerLoginData: {
            /**
             * @description Always `messenger`: list the pages of the login, and connect one.
             * @constant
             */
            choose: "messenger";
        };
        /** @description The data that `finishUpload` returns. */
        FinishUploadData: {
            upload: components["schemas"]["Upload"];
        };
        /** @description The body that `finishUpload` takes. */
        FinishUploadRequest: {
            /** @description The id of the upload whose file was posted. */
            upload_id: string;
        };
        /** @description What the gateway sends when a frame of the client was not processed. */
        GatewayFailureFrame: {
            /** @description What the gateway says, such as `Internal server error`. */
            message: string;
            /** @description The gateway's id of the connection. */
            connectionId: string;
            /** @description The gateway's id of the frame, for a report of a problem. */
            requestId: string;
        };
        /** @description The data that `getConversation` returns. */
        GetConversationData: {
            conversation: components["schemas"]["Conversation"];
            /** @description The messages of this page, newest first. It may be empty while `next_cursor` is not null. */
            messages: components["schemas"]["Message"][];
            /** @description The `cursor` of the next page. Null on the last page. */
            next_cursor: string | null;
        };
        /** @description The data that `getDelivery` returns. */
        GetDeliveryData: {
            delivery: components["schemas"]["DeliveryDetail"];
        };
        /** @description The data that `getHeldMessage` returns. */
        GetHeldMessageData: {
            hold: components["schemas"]["HeldMessage"];
        };
        /** @description The body that `getHeldMessage` takes. */
        GetHeldMessageRequest: {
            /** @description The part of `verify_url` after `#t=`. */
            secret: string;
        };
        /** @description The data that `getHold` returns. */
        GetHoldData: {
            hold: components["schemas"]["Hold"];
        };
        /** @description The data that `getMessage` returns. */
        GetMessageData: {
            message: components["schemas"]["Message"];
        };
        /** @description The data that `getSession` returns. */
        GetSessionData: {
            /** @description The id of the person: `usr_` and a ULID. */
            user_id: string;
            /** @description The person as the author of messages and changes: `console:<user_id>`. */
            actor_id: string;
            /** @description The address with which the person signed in. */
            email: string;
            /** @description The name that the person gave. Null until they do. */
            name: string | null;
            /**
             * Format: date-time
             * @description When the session ends, in ISO 8601: 12 hours after the sign-in.
             */
            session_expires_at: string;
            /** @description The slug of the person's only tenant. Null for a person with none or several. */
            tenant: string | null;
            /** @description The slugs of all their tenants, which `tenant` takes. */
            tenants: string[];
            /** @description What each write with the session repeats in the header `x-csrf-token`. */
            csrf_token: string;
            /** @description The invites that the person may accept or decline. The last sign-in found them. */
            invites: components["schemas"]["OwnInvite"][];
        };
        /** @description The data that `getStats` returns. */
        GetStatsData: {
            /** @description How many live messages were stored, in every direction. */
            messages_24h: number;
            /** @description The sum of `dlq` over the endpoints. */
            dlq_total: number;
            /** @description How many full hours the counts cover, beside the current one. */
            window_hours: number;
            /** @description A row for every endpoint that is not deleted. */
            endpoints: components["schemas"]["StatsEndpoint"][];
            /** @description The counts of each of the 25 hours, the earliest first. Only with `series=hour`. */
            series?: components["schemas"]["StatsHour"][];
        };
        /** @description The data that `getTenant` returns. */
        GetTenantData: {
            tenant: components["schemas"]["Tenant"];
        };
        /** @description The data that `getUpload` returns. */
        GetUploadData: {
            upload: components["schemas"]["Upload"];
        };
        /** @description The data that `getWebhook` returns. */
        GetWebhookData: {
            endpoint: components["schemas"]["Endpoint"];
        };
        /** @description A held message as its check page shows it. */
        HeldMessage: {
            /** @description The id of the held message: `hold_` and a ULID. */
            id: string;
            status: components["schemas"]["HoldStatus"];
            platform: components["schemas"]["Platform"];
            /** @description `true` for a message that a test key created. Absent for any other. */
            test?: boolean;
            error?: components["schemas"]["OutcomeError"];
            /**
             * Format: date-time
             * @description Until when the check can be passed, in ISO 8601.
             */
            expires_at: string;
            /** @description The name of the person to whom the message goes. */
            display_name: string;
            /** @description The user name of that person on Instagram. Null on Messenger and until it is known. */
            participant_username: string | null;
            /** @description The handle of the account that sends. Null once it is disconnected. */
            account_handle: string | null;
            /** @description Who typed the message, as given with it. */
            actor_id: string;
            /** @description The name of the member who typed it. Null for any other author. */
            actor_name: string | null;
            /** @description The text that will be sent. Empty for attachments, and once the hold has ended. */
            text: string;
            /** @description How many attachments will be sent. */
            attachments: number;
            /** @description The attachments that will be sent, in order. */
            attachment_list: {
                type: components["schemas"]["MediaType"];
                /** @description The URL of the file. Null for one that was uploaded, which only the platform has. */
                url: string | null;
            }[];
        };
        /** @description The first frame of a connection. */
        HelloFrame: {
            /**
             * @description Always `hello`, of the first frame alone.
             * @constant
             */
            type: "hello";
            /** @description The id of the connection, for a report of a problem. */
            connection_id: string;
            /** @description The time of the server, in epoch milliseconds. */
            server_time: number;
            /** @description When the connection is closed at the latest, in epoch milliseconds. */
            expires_at: number;
        };
        /** @description A message of a named person that waits for the author's check. Its text is not readable with an API key. */
        Hold: {
            /** @description The id of the held message: `hold_` and a ULID. */
            id: string;
            status: components["schemas"]["HoldStatus"];
            /** @description The conversation to which it belongs. */
            conversation_id: string;
            /**
             * Format: date-time
             * @description When the message was held, in ISO 8601 and UTC.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Until when the check can be passed, in ISO 8601: 15 minutes, and never beyond the 7-day window.
             */
            expires_at: string;
            /** @description The URL of the check page, with a secret after `#t=`. Only the response that created the hold has it. Show it to the author alone. */
            verify_url?: string;
            /** @description The platform's id of the sent message. Present once the status is `sent`. */
            platform_message_id?: string;
            error?: components["schemas"]["OutcomeError"];
        };
        /**
         * @description The state of a held message.
         *
         *     - `awaiting_verification`: Its author has not passed the check yet. Nothing was sent.
         *     - `sending`: The check was passed, and the platform has not answered yet.
         *     - `sent`: The platform accepted the message.
         *     - `failed`: It was not sent, or its outcome is unknown. `error` says why.
         *     - `expired`: The check was not passed in time. Nothing was sent.
         * @enum {string}
         */
        HoldStatus: "awaiting_verification" | "sending" | "sent" | "failed" | "expired";
        /** @description A held message changed its status. */
        HoldUpdatedFrame: {
            /** @description The id of the event: `evt_` and a ULID. It is the same in every delivery and replay: de-duplicate by it. */
            id: string;
            /**
             * @description The type, by which to choose what to do. Ignore events of a type that you do not know.
             * @constant
             */
            type: "hold.updated";
            /**
             * @description The version of the body. Within a version, bodies only gain fields.
             * @constant
             */
            api_version: "1.0.0";
            /**
             * Format: date-time
             * @description When Parley first learned of it, in ISO 8601 and UTC.
             */
            created_at: string;
            /** @description The slug of the tenant. */
            tenant_id: string;
            /** @description What happened. Its fields depend on `type`. */
            data: {
                /** @description The held message as it is now. */
                hold: {
                    /** @description The id of the held message: `hold_` and a ULID. */
                    id: string;
                    status: components["schemas"]["HoldStatus"];
                    /** @description The conversation to which it belongs. */
                    conversation_id: string;
                    /**
                     * Format: date-time
                     * @description When the message was held, in ISO 8601 and UTC.
                     */
                    created_at: string;
                    /**
                     * Format: date-time
                     * @description Until when the check can be passed, in ISO 8601: 15 minutes, and never beyond the 7-day window.
                     */
                    expires_at: string;
                    /** @description The platform's id of the sent message. Present once the status is `sent`. */
                    platform_message_id?: string;
                    error?: components["schemas"]["OutcomeError"];
                };
            };
        };
        /** @description An invite of a person to a tenant. */
        Invite: {
            /** @description The id of the invite: `inv_` and a ULID. */
            id: string;
            /** @description The slug of the tenant. */
            tenant: string;
            /** @description The address that was invited. */
            email: string;
            role: components["schemas"]["Role"];
            /**
             * @description The state of the invite.
             *
             *     - `pending`: It waits for the person.
             *     - `accepted`: The person is a member.
             *     - `declined`: The person declined it.
             *     - `revoked`: It was revoked.
             *     - `expired`: It was not accepted within 7 days. It can be sent again.
             * @enum {string}
             */
            status: "pending" | "accepted" | "declined" | "revoked" | "expired";
            /** @description Who sent it: the id of a person, or the operator's command line. */
            invited_by: string;
            /**
             * Format: date-time
             * @description When it was created, in ISO 8601 and UTC.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it expires, in ISO 8601. Null for the owner whom the operator named.
             */
            expires_at: string | null;
            /**
             * Format: date-time
             * @description When it was accepted, in ISO 8601. Null if it was not.
             */
            accepted_at: string | null;
        };
        /** @description An endpoint with a signing secret that was created by this request. */
        IssuedEndpoint: {
            endpoint: components["schemas"]["Endpoint"];
            /** @description The signing secret: `whs_` and base64. Store it now: no later response has it. */
            signing_secret: string;
        };
        /** @description An API key, without its secret. */
        Key: {
            /** @description The id of the key, a ULID. */
            id: string;
            /** @description The first characters of the secret, by which keys are distinguished. */
            prefix: string;
            scope: components["schemas"]["KeyScope"];
            /** @description Whether a request of the key with a query parameter or a body field that its route does not know is a 400 that names the nearest one. Without it, they are ignored and named in the header `parley-ignored`. */
            strict: boolean;
            /** @description The name that its creator gave it. Empty without one. */
            label: string;
            /**
             * @description Whether the key works.
             *
             *     - `active`: It works.
             *     - `revoked`: It was revoked. It is listed for 90 days.
             * @enum {string}
             */
            status: "active" | "revoked";
            /**
             * Format: date-time
             * @description When it was created, in ISO 8601 and UTC.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was last used, in ISO 8601, up to an hour old. Null if it never was.
             */
            last_used_at: string | null;
        };
        /**
         * @description What a key acts on.
         *
         *     - `live`: Real messages.
         *     - `test`: A simulated connection: nothing reaches a platform, and nothing real is erased or disconnected.
         * @enum {string}
         */
        KeyScope: "live" | "test";
        /**
         * @description A language of mails and of pages outside the console.
         *
         *     - `en`: English.
         *     - `de`: German.
         *     - `es`: Spanish.
         *     - `fr`: French.
         *     - `it`: Italian.
         *     - `pt`: Portuguese of Brazil.
         * @enum {string}
         */
        Language: "en" | "de" | "es" | "fr" | "it" | "pt";
        /** @description The data that `listAccounts` returns. */
        ListAccountsData: {
            /** @description The connected accounts of the tenant. */
            accounts: components["schemas"]["Account"][];
        };
        /** @description The data that `listAuditEntries` returns. */
        ListAuditEntriesData: {
            /** @description The entries of this page. It may be empty while `next_cursor` is not null. */
            audit: components["schemas"]["AuditEntry"][];
            /** @description The `cursor` of the next page. Null on the last page. */
            next_cursor: string | null;
        };
        /** @description The data that `listConversations` returns. */
        ListConversationsData: {
            /** @description The conversations of this page. It may be empty while `next_cursor` is not null. */
            conversations: components["schemas"]["Conversation"][];
            /** @description The `cursor` of the next page. Null on the last page. */
            next_cursor: string | null;
        };
        /** @description The data that `listDeliveries` returns. */
        ListDeliveriesData: {
            /** @description The deliveries of this page. It may be empty while `next_cursor` is not null. */
            deliveries: components["schemas"]["Delivery"][];
            /** @description The `cursor` of the next page. Null on the last page. */
            next_cursor: string | null;
        };
        /** @description The data that `listEventTypes` returns. */
        ListEventTypesData: {
            /** @description The event types, in the order of the documentation. */
            event_types: {
                type: components["schemas"]["EventType"];
                /** @description When an event of this type is sent. */
                description: string;
                /** @description Whether an endpoint that was created without `events` receives it. The others are for endpoints that name them. */
                default: boolean;
                /** @description The JSON Schema of the whole body that an endpoint gets. */
                schema: {
                    [key: string]: unknown;
                };
                /** @description A whole body, as an endpoint gets it. */
                example: {
                    [key: string]: unknown;
                };
            }[];
        };
        /** @description The data that `listInvites` returns. */
        ListInvitesData: {
            /** @description The invites of the tenant, also those that ended in the last 90 days. */
            invites: components["schemas"]["Invite"][];
        };
        /** @description The data that `listKeys` returns. */
        ListKeysData: {
            /** @description The keys of the tenant, also those that were revoked in the last 90 days. */
            keys: components["schemas"]["Key"][];
        };
        /** @description The data that `listLoginPages` returns. */
        ListLoginPagesData: {
            /** @description The pages of the login. Empty if you may act for none. */
            pages: components["schemas"]["LoginPage"][];
        };
        /** @description The data that `listMembers` returns. */
        ListMembersData: {
            /** @description The members of the tenant. */
            members: components["schemas"]["Member"][];
        };
        /** @description The data that `listMessages` returns. */
        ListMessagesData: {
            /** @description The messages of this page, newest first. It may be empty while `next_cursor` is not null. */
            messages: components["schemas"]["Message"][];
            /** @description The `cursor` of the next page. Null on the last page. */
            next_cursor: string | null;
        };
        /** @description The data that `listTenants` returns. */
        ListTenantsData: {
            /** @description Your tenants. Empty if you belong to none. */
            tenants: components["schemas"]["OwnTenant"][];
        };
        /** @description The data that `listWebhooks` returns. */
        ListWebhooksData: {
            /** @description The endpoints that are not deleted. */
            endpoints: components["schemas"]["Endpoint"][];
        };
        /** @description A Facebook page that a login gave access to. */
        LoginPage: {
            /** @description The platform's id of the page. */
            page_id: string;
            /** @description The name of the page at the platform. */
            name: string;
            /** @description The page as a Messenger account. */
            messenger: {
                /** @description The key of the connected account: `<platform>#<external_id>`. */
                account_key: string;
                /** @description Whether this tenant already has the account. */
                connected: boolean;
                /** @description The address of the page's profile picture on the platform's servers. Null when the platform shows none. */
                picture: string | null;
            };
            /** @description The Instagram account that is linked to the page. Null without one. */
            instagram: {
                /** @description The key of the connected account: `<platform>#<external_id>`. */
                account_key: string;
                /** @description Whether this tenant already has the account. */
                connected: boolean;
                /** @description The address of the account's profile picture on the platform's servers. Null when the platform shows none. */
                picture: string | null;
                /** @description The user name of the Instagram account. */
                username: string;
            } | null;
        };
        /**
         * @description The kind of a file.
         *
         *     - `image`: A PNG, JPEG or GIF of at most 8 MB.
         *     - `video`: An MP4, MOV, WebM, Ogg or AVI of at most 25 MB.
         *     - `audio`: An AAC, M4A, WAV or MP4 of at most 25 MB.
         *     - `file`: A PDF on Instagram, and any file but a program on Messenger, of at most 25 MB.
         * @enum {string}
         */
        MediaType: "image" | "video" | "audio" | "file";
        /** @description A person with a role in a tenant. */
        Member: {
            /** @description The slug of the tenant. */
            tenant: string;
            /** @description The id of the person: `usr_` and a ULID. It is the same in every tenant. */
            user_id: string;
            /** @description The address with which the person signs in. */
            email: string;
            /** @description The name that the person gave. Null until they do. */
            name: string | null;
            role: components["schemas"]["Role"];
            /**
             * Format: date-time
             * @description When the person became a member, in ISO 8601 and UTC.
             */
            created_at: string;
            /** @description The id of the person who invited them. Null for the one who created the tenant. */
            invited_by: string | null;
        };
        /** @description A message as it is now: with its newest text, and without content once it was unsent. */
        Message: {
            /** @description The platform's own id of the message. */
            id: string;
            /** @description The conversation to which it belongs. */
            conversation_id: string;
            /** @description The key of the connected account: `<platform>#<external_id>`. */
            account_key: string;
            platform: components["schemas"]["Platform"];
            direction: components["schemas"]["MessageDirection"];
            /** @description The text, after edits. Empty for media alone and for an unsent message. An inbound text is cut at 20,000 units of UTF-16. */
            text: string;
            /** @description Whether the platform sent a longer text. The rest is not stored: the conversation in the platform's app has it. */
            text_truncated: boolean;
            /** @description The media of the message, in order. Empty when there is none. */
            attachments: components["schemas"]["Attachment"][];
            /**
             * Format: date-time
             * @description When it was sent, by the platform's clock, in ISO 8601 and UTC.
             */
            sent_at: string;
            sent_via: components["schemas"]["SentVia"];
            /** @description The person who sent it, as given with the send. Null for any other message. */
            actor_id: string | null;
            /** @description The id of the message that it answers. Null if it answers none. */
            reply_to: string | null;
            /** @description The story that the participant replied to or mentioned the account in. Null without one. */
            story: components["schemas"]["Story"] | null;
            /** @description The quick reply that the participant pressed. Null without one. */
            quick_reply: components["schemas"]["QuickReply"] | null;
            /** @description The button that the participant pressed. Null without one. */
            postback: components["schemas"]["Postback"] | null;
            /** @description The link, ad or plugin by which the participant came. Null without one. */
            referral: components["schemas"]["Referral"] | null;
            /**
             * Format: date-time
             * @description When it was last edited, in ISO 8601. Null if it was not.
             */
            edited_at: string | null;
            /**
             * Format: date-time
             * @description When it was unsent, in ISO 8601. Its content is then gone. Null if it was not.
             */
            deleted_at: string | null;
            /** @description The current reactions, at most one of the participant and one of the account. */
            reactions: components["schemas"]["Reaction"][];
        };
        /** @description A message was unsent, by the participant or by the account. Remove its content. */
        MessageDeletedEvent: {
            /** @description The id of the event: `evt_` and a ULID. It is the same in every delivery and replay: de-duplicate by it. */
            id: string;
            /**
             * @description The type, by which to choose what to do. Ignore events of a type that you do not know.
             * @constant
             */
            type: "message.deleted";
            /**
             * @description The version of the body. Within a version, bodies only gain fields.
             * @constant
             */
            api_version: "1.0.0";
            /**
             * Format: date-time
             * @description When Parley first learned of it, in ISO 8601 and UTC.
             */
            created_at: string;
            /** @description The slug of the tenant. */
            tenant_id: string;
            /** @description What happened. Its fields depend on `type`. */
            data: {
                /** @description The message that was unsent, without its content. */
                message: {
                    /** @description The platform's own id of the message. */
                    id: string;
                    /** @description The conversation to which it belongs. */
                    conversation_id: string;
                    /** @description The key of the connected account: `<platform>#<external_id>`. */
                    account_key: string;
                    platform: components["schemas"]["Platform"];
                    /**
                     * Format: date-time
                     * @description When it was unsent, in ISO 8601. Its content is then gone. Null if it was not.
                     */
                    deleted_at: string;
                };
                by: components["schemas"]["ChangeAuthor"];
            };
        };
        /**
         * @description Who sent the message, and from where.
         *
         *     - `inbound`: The participant sent it.
         *     - `outbound`: It was sent through the API.
         *     - `echo`: The account sent it from the platform's own app or from another app.
         * @enum {string}
         */
        MessageDirection: "inbound" | "outbound" | "echo";
        /** @description A message was edited, by the participant or by the account. `text` is the new text. */
        MessageEditedEvent: {
            /** @description The id of the event: `evt_` and a ULID. It is the same in every delivery and replay: de-duplicate by it. */
            id: string;
            /**
             * @description The type, by which to choose what to do. Ignore events of a type that you do not know.
             * @constant
             */
            type: "message.edited";
            /**
             * @description The version of the body. Within a version, bodies only gain fields.
             * @constant
             */
            api_version: "1.0.0";
            /**
             * Format: date-time
             * @description When Parley first learned of it, in ISO 8601 and UTC.
             */
            created_at: string;
            /** @description The slug of the tenant. */
            tenant_id: string;
            /** @description What happened. Its fields depend on `type`. */
            data: {
                /** @description The message that was edited, with its new text. */
                message: {
                    /** @description The platform's own id of the message. */
                    id: string;
                    /** @description The conversation to which it belongs. */
                    conversation_id: string;
                    /** @description The key of the connected account: `<platform>#<external_id>`. */
                    account_key: string;
                    platform: components["schemas"]["Platform"];
                    /** @description The text, after edits. Empty for media alone and for an unsent message. An inbound text is cut at 20,000 units of UTF-16. */
                    text: string;
                    /** @description Whether the platform sent a longer text. The rest is not stored: the conversation in the platform's app has it. */
                    text_truncated: boolean;
                    /** @description How often it was edited, this time included. */
                    edit_count: number;
                    /**
                     * Format: date-time
                     * @description When it was last edited, in ISO 8601. Null if it was not.
                     */
                    edited_at: string;
                };
                by: components["schemas"]["ChangeAuthor"];
            };
        };
        /** @description What `message.received` and `message.sent` say. */
        MessageEventData: {
            message: components["schemas"]["EventMessage"];
        };
        /** @description A message sent through the API failed, or its outcome is unknown. */
        MessageFailedEvent: {
            /** @description The id of the event: `evt_` and a ULID. It is the same in every delivery and replay: de-duplicate by it. */
            id: string;
            /**
             * @description The type, by which to choose what to do. Ignore events of a type that you do not know.
             * @constant
             */
            type: "message.failed";
            /**
             * @description The version of the body. Within a version, bodies only gain fields.
             * @constant
             */
            api_version: "1.0.0";
            /**
             * Format: date-time
             * @description When Parley first learned of it, in ISO 8601 and UTC.
             */
            created_at: string;
            /** @description The slug of the tenant. */
            tenant_id: string;
            /** @description What happened. Its fields depend on `type`. */
            data: {
                message: components["schemas"]["FailedMessage"];
                /** @description Why the message failed. */
                error: {
                    /** @description What went wrong, for programs, such as `send_failed`. */
                    code: string;
                    /** @description What is wrong and how to fix it, for people. */
                    message: string;
                    /** @description More about the cause, mostly in the platform's words. Null or empty when there is nothing more. */
                    detail: string;
                };
            };
        };
        /** @description The participant or the account reacted to a message, or removed the reaction. */
        MessageReactionEvent: {
            /** @description The id of the event: `evt_` and a ULID. It is the same in every delivery and replay: de-duplicate by it. */
            id: string;
            /**
             * @description The type, by which to choose what to do. Ignore events of a type that you do not know.
             * @constant
             */
            type: "message.reaction";
            /**
             * @description The version of the body. Within a version, bodies only gain fields.
             * @constant
             */
            api_version: "1.0.0";
            /**
             * Format: date-time
             * @description When Parley first learned of it, in ISO 8601 and UTC.
             */
            created_at: string;
            /** @description The slug of the tenant. */
            tenant_id: string;
            /** @description What happened. Its fields depend on `type`. */
            data: {
                /** @description The message that the reaction is about. */
                message: {
                    /** @description The platform's own id of the message. */
                    id: string;
                    /** @description The conversation to which it belongs. */
                    conversation_id: string;
                    /** @description The key of the connected account: `<platform>#<external_id>`. */
                    account_key: string;
                    platform: components["schemas"]["Platform"];
                };
                /** @description The reaction that was added or removed. */
                reaction: {
                    /**
                     * @description What was done.
                     *
                     *     - `react`: The reaction was added, or replaced an earlier one.
                     *     - `unreact`: The reaction was removed.
                     * @enum {string}
                     */
                    action: "react" | "unreact";
                    /** @description The platform's word for it, such as `love` or `other`. Null when the platform gives none. */
                    reaction: string | null;
                    /** @description The emoji itself. Null when the platform gives none. */
                    emoji: string | null;
                    /**
                     * Format: date-time
                     * @description When somebody reacted, in ISO 8601 and UTC.
                     */
                    at: string;
                };
                by: components["schemas"]["ChangeAuthor"];
            };
        };
        /** @description A person sent a message or pressed a button. */
        MessageReceivedEvent: {
            /** @description The id of the event: `evt_` and a ULID. It is the same in every delivery and replay: de-duplicate by it. */
            id: string;
            /**
             * @description The type, by which to choose what to do. Ignore events of a type that you do not know.
             * @constant
             */
            type: "message.received";
            /**
             * @description The version of the body. Within a version, bodies only gain fields.
             * @constant
             */
            api_version: "1.0.0";
            /**
             * Format: date-time
             * @description When Parley first learned of it, in ISO 8601 and UTC.
             */
            created_at: string;
            /** @description The slug of the tenant. */
            tenant_id: string;
            data: components["schemas"]["MessageEventData"];
        };
        /** @description The event `message.received`, on a connection that also asks for conversations. */
        MessageReceivedFrame: {
            /** @description The id of the event: `evt_` and a ULID. It is the same in every delivery and replay: de-duplicate by it. */
            id: string;
            /**
             * @description The type, by which to choose what to do. Ignore events of a type that you do not know.
             * @constant
             */
            type: "message.received";
            /**
             * @description The version of the body. Within a version, bodies only gain fields.
             * @constant
             */
            api_version: "1.0.0";
            /**
             * Format: date-time
             * @description When Parley first learned of it, in ISO 8601 and UTC.
             */
            created_at: string;
            /** @description The slug of the tenant. */
            tenant_id: string;
            /** @description What happened. Its fields depend on `type`. */
            data: {
                message: components["schemas"]["EventMessage"];
                conversation?: components["schemas"]["Conversation"];
            };
        };
        /** @description The account sent a message: through the API (`outbound`) or from another app (`echo`). */
        MessageSentEvent: {
            /** @description The id of the event: `evt_` and a ULID. It is the same in every delivery and replay: de-duplicate by it. */
            id: string;
            /**
             * @description The type, by which to choose what to do. Ignore events of a type that you do not know.
             * @constant
             */
            type: "message.sent";
            /**
             * @description The version of the body. Within a version, bodies only gain fields.
             * @constant
             */
            api_version: "1.0.0";
            /**
             * Format: date-time
             * @description When Parley first learned of it, in ISO 8601 and UTC.
             */
            created_at: string;
            /** @description The slug of the tenant. */
            tenant_id: string;
            data: components["schemas"]["MessageEventData"];
        };
        /** @description The event `message.sent`, on a connection that also asks for conversations. */
        MessageSentFrame: {
            /** @description The id of the event: `evt_` and a ULID. It is the same in every delivery and replay: de-duplicate by it. */
            id: string;
            /**
             * @description The type, by which to choose what to do. Ignore events of a type that you do not know.
             * @constant
             */
            type: "message.sent";
            /**
             * @description The version of the body. Within a version, bodies only gain fields.
             * @constant
             */
            api_version: "1.0.0";
            /**
             * Format: date-time
             * @description When Parley first learned of it, in ISO 8601 and UTC.
             */
            created_at: string;
            /** @description The slug of the tenant. */
            tenant_id: string;
            /** @description What happened. Its fields depend on `type`. */
            data: {
                message: components["schemas"]["EventMessage"];
                conversation?: components["schemas"]["Conversation"];
            };
        };
        Operations: {
            /** @description Sign out everywhere. Ends every session of the person on all their devices, and removes the cookies of this one. */
            "POST /console/auth/logout": {
                data: components["schemas"]["SignOutData"];
            };
            /** @description Request a sign-in link. Mails a link that signs a person in. The response is the same for every address, so that it does not reveal who has an account. The link works once, for 15 minutes: at once in the browser that requested it, and by one press in any other. The mail is in the language of `Accept-Language`, if Parley has it, else in English. At most 5 requests for an address and 20 from a network address in 15 minutes: 429 with `Retry-After`. */
            "POST /console/auth/request": {
                body: components["schemas"]["RequestSignInLinkRequest"];
                data: components["schemas"]["RequestSignInLinkData"];
            };
            /** @description List invites. Returns the invites of the tenant, oldest first, without pages. An invite that has ended is listed for 90 days. A signed-in person needs the role `admin` or `owner`. */
            "GET /console/invites": {
                query?: {
                    /** @description The slug of the tenant. Required for an operator key and for a member of several tenants, else optional. */
                    tenant?: string;
                };
                data: components["schemas"]["ListInvitesData"];
            };
            /** @description Invite a person. Sends a mail that invites a person. They become a member when they accept within 7 days: by a sign-in from the mail, or by a press once they are signed in. A person who belongs to no tenant accepts their only invite by any sign-in. The mail contains no token. Only owners invite an owner. A second invite of the address is 409 `invite_exists`, and the 51st that waits is 409 `invite_limit`. The mails of a tenant and of a person are limited to 100 a day: 429. A signed-in person needs the role `admin` or `owner`. */
            "POST /console/invites": {
                query?: {
                    /** @description The slug of the tenant. Required for an operator key and for a member of several tenants, else optional. */
                    tenant?: string;
                };
                body: components["schemas"]["CreateInviteRequest"];
                data: components["schemas"]["CreateInviteData"];
            };
            /** @description Revoke an invite. Ends an invite that waits. Safe to repeat. One that was accepted or declined is final: remove the member, or invite the person again. A signed-in person needs the role `admin` or `owner`. */
            "DELETE /console/invites/{id}": {
                path: {
                    /** @description The id of the invite. */
                    id: string;
                };
                query?: {
                    /** @description The slug of the tenant. Required for an operator key and for a member of several tenants, else optional. */
                    tenant?: string;
                };
                data: components["schemas"]["RevokeInviteData"];
            };
            /** @description Accept an invite. Makes you a member of the invite's tenant. Safe to repeat. An invite of another person, one that has ended, and one that no sign-in of yours has found are 404 `invite_not_found`. */
            "POST /console/invites/{id}/accept": {
                path: {
                    /** @description The id of the invite. */
                    id: string;
                };
                data: components["schemas"]["AcceptInviteData"];
            };
            /** @description Decline an invite. Ends the invite. You can be invited again. An invite of another person and one that has ended are 404 `invite_not_found`. */
            "POST /console/invites/{id}/decline": {
                path: {
                    /** @description The id of the invite. */
                    id: string;
                };
                data: components["schemas"]["DeclineInviteData"];
            };
            /** @description Send an invite again. Sends the mail again. The invite expires 7 days from now, also if it had expired. The mail counts toward the same limits as the first. A signed-in person needs the role `admin` or `owner`. */
            "POST /console/invites/{id}/resend": {
                path: {
                    /** @description The id of the invite. */
                    id: string;
                };
                query?: {
                    /** @description The slug of the tenant. Required for an operator key and for a member of several tenants, else optional. */
                    tenant?: string;
                };
                data: components["schemas"]["ResendInviteData"];
            };
            /** @description Get the signed-in user. Returns who is signed in, with the CSRF token and the invites that wait. 401 without a session, and once it has ended. */
            "GET /console/me": {
                data: components["schemas"]["GetSessionData"];
            };
            /** @description Set your name. Sets the name that colleagues read in the team and beside messages, and that everyone who opens a check page of the person reads. */
            "PATCH /console/me": {
                body: components["schemas"]["UpdateSessionRequest"];
                data: components["schemas"]["UpdateSessionData"];
            };
            /** @description Create a ticket for the console's stream. Creates a ticket that opens one WebSocket within a minute: connect to `url` with `?ticket=<ticket>`, from the console's origin. A ticket is returned once and works once. The person's tenant is named in `tenant`, unless they have only one. A signed-in person needs the role `agent`, `admin` or `owner`. */
            "POST /console/session/ws-ticket": {
                query?: {
                    /** @description The slug of the tenant. Required for an operator key and for a member of several tenants, else optional. */
                    tenant?: string;
                };
                data: components["schemas"]["CreateSessionTicketData"];
            };
            /** @description List members. Returns the people with a role in the tenant, without pages. A signed-in person needs the role `agent`, `admin` or `owner`. */
            "GET /console/team": {
                query?: {
                    /** @description The slug of the tenant. Required for an operator key and for a member of several tenants, else optional. */
                    tenant?: string;
                };
                data: components["schemas"]["ListMembersData"];
            };
            /** @description Change a member's role. Gives a member another role, from their next request on. A tenant keeps at least one owner: 409 `last_owner`. A signed-in person needs the role `owner`. */
            "PATCH /console/team/{user_id}": {
                path: {
                    /** @description The id of the person. */
                    user_id: string;
                };
                query?: {
                    /** @description The slug of the tenant. Required for an operator key and for a member of several tenants, else optional. */
                    tenant?: string;
                };
                body: components["schemas"]["UpdateMemberRequest"];
                data: components["schemas"]["UpdateMemberData"];
            };
            /** @description Remove a member. Removes a person from the tenant. Owners remove anyone, and each member themselves; anyone else gets 403. A tenant keeps at least one owner: 409 `last_owner`. A signed-in person needs the role `agent`, `admin` or `owner`. */
            "DELETE /console/team/{user_id}": {
                path: {
                    /** @description The id of the person. */
                    user_id: string;
                };
                query?: {
                    /** @description The slug of the tenant. Required for an operator key and for a member of several tenants, else optional. */
                    tenant?: string;
                };
                data: components["schemas"]["RemoveMemberData"];
            };
            /** @description List your tenants. Returns the tenants of which you are a member, with your role in each, without pages. */
            "GET /console/tenants": {
                data: components["schemas"]["ListTenantsData"];
            };
            /** @description Create a tenant. Creates a tenant of which you are the owner. Only in a deployment with open sign-up: elsewhere it is 403. A slug that exists is 409 `tenant_exists`. A person owns at most 5 tenants and creates at most 2 in a day of UTC, unless the operator sets other numbers: 409 `workspace_limit`. */
            "POST /console/tenants": {
                body: components["schemas"]["CreateTenantRequest"];
                data: components["schemas"]["CreateTenantData"];
            };
            /** @description Get a tenant. Returns a tenant of which you are a member. Any other slug is 404 `tenant_not_found`. A signed-in person needs the role `agent`, `admin` or `owner`. */
            "GET /console/tenants/{slug}": {
                path: {
                    /** @description The slug of the tenant, which is its id. */
                    slug: string;
                };
                data: components["schemas"]["GetTenantData"];
            };
            /** @description Change a tenant. Changes the name of the tenant, the language of its mails, or both: a field that is absent stays as it is. Its slug stays. A slug of which you are no member is 404 `tenant_not_found`. A signed-in person needs the role `owner`. */
            "PATCH /console/tenants/{slug}": {
                path: {
                    /** @description The slug of the tenant, which is its id. */
                    slug: string;
                };
                body: components["schemas"]["UpdateTenantRequest"];
                data: components["schemas"]["UpdateTenantData"];
            };
            /** @description Finish a login of Instagram. The platform redirects the browser here after the login. A browser is redirected to the console, with the connected account or the code of the error in the query. A caller whose `Accept` header does not name `text/html` gets the envelope. A login works once, in the browser and the session that started it. A signed-in person needs the role `admin` or `owner`. */
            "GET /oauth/instagram/callback": {
                query?: {
                    /** @description The platform's code, which Parley exchanges for an access token. Absent if the login was refused. */
                    code?: string;
                    /** @description The state that the start of the login created. It works once. */
                    state?: string;
                    /** @description Why the person did not grant the login, in the platform's words. Absent on success. */
                    error?: string;
                };
                data: components["schemas"]["FinishInstagramLoginData"];
            };
            /** @description Start a login of Instagram by a script. For the script of a console on another origin: returns the platform's URL, to which the page navigates, and sets the cookie for this login. The rest is as of the GET request. A signed-in person needs the role `admin` or `owner`. */
            "POST /oauth/instagram/start": {
                query?: {
                    /** @description The slug of the tenant. Required for an operator key and for a member of several tenants, else optional. */
                    tenant?: string;
                    /** @description The path of the console at which the login ends. Any other text counts as `/`. */
                    redirect?: string;
                };
                data: components["schemas"]["CreateInstagramLoginData"];
            };
            /** @description Finish a login of Facebook. The platform redirects the browser here after the login. A browser is redirected to the console, where the person chooses a page, or gets the code of the error in the query. A caller whose `Accept` header does not name `text/html` gets the envelope. A login works once, in the browser and the session that started it. A signed-in person needs the role `admin` or `owner`. */
            "GET /oauth/messenger/callback": {
                query?: {
                    /** @description The platform's code, which Parley exchanges for an access token. Absent if the login was refused. */
                    code?: string;
                    /** @description The state that the start of the login created. It works once. */
                    state?: string;
                    /** @description Why the person did not grant the login, in the platform's words. Absent on success. */
                    error?: string;
                };
                data: components["schemas"]["FinishMessengerLoginData"];
            };
            /** @description List the pages of a login. Returns the pages for whose messages you may act, for 10 minutes after the login. Pages that you may not act for are not listed. A signed-in person needs the role `admin` or `owner`. */
            "GET /oauth/messenger/pages": {
                query?: {
                    /** @description The slug of the tenant. Required for an operator key and for a member of several tenants, else optional. */
                    tenant?: string;
                };
                data: components["schemas"]["ListLoginPagesData"];
            };
            /** @description Connect a page of a login. Connects the page's own account, the Instagram account that is linked to it, or both, in the order of the request. One that is connected stays so when the next is refused: an account of another tenant is 409 `account_in_use`. An account that is already connected is connected again. A signed-in person needs the role `admin` or `owner`. */
            "POST /oauth/messenger/select": {
                query?: {
                    /** @description The slug of the tenant. Required for an operator key and for a member of several tenants, else optional. */
                    tenant?: string;
                };
                body: components["schemas"]["SelectLoginPageRequest"];
                data: components["schemas"]["SelectLoginPageData"];
            };
            /** @description Start a login of Facebook by a script. For the script of a console on another origin: returns the platform's URL, to which the page navigates, and sets the cookie for this login. The rest is as of the GET request. A signed-in person needs the role `admin` or `owner`. */
            "POST /oauth/messenger/start": {
                query?: {
                    /** @description The slug of the tenant. Required for an operator key and for a member of several tenants, else optional. */
                    tenant?: string;
                    /** @description The path of the console at which the login ends. Any other text counts as `/`. */
                    redirect?: string;
                };
                data: components["schemas"]["CreateMessengerLoginData"];
            };
            /** @description List accounts. Returns every connected account with its status, without pages. A disconnected account is not listed. Access tokens are never returned. A signed-in person needs the role `agent`, `admin` or `owner`. */
            "GET /v1/accounts": {
                query?: {
                    /** @description The slug of the tenant. Required for an operator key and for a member of several tenants, else optional. */
                    tenant?: string;
                };
                data: components["schemas"]["ListAccountsData"];
            };
            /** @description Disconnect an account. Ends the account's webhooks at the platform and deletes its access token. From then on sends for the account are 404 `account_not_found`. Conversations and messages remain readable until they expire, and connecting the same account again brings it back. `account.disconnected` is published. To connect the account again, a person logs in again; another tenant can connect it after two minutes. A test key gets 403. A signed-in person needs the role `admin` or `owner`. */
            "DELETE /v1/accounts/{account_key}": {
                path: {
                    /** @description The key of the account: `<platform>#<external_id>`. */
                    account_key: string;
                };
                query?: {
                    /** @description The slug of the tenant. Required for an operator key and for a member of several tenants, else optional. */
                    tenant?: string;
                };
                data: components["schemas"]["DisconnectAccountData"];
            };
            /** @description Finish an upload. Checks the posted file and hands it over to the platform in the background: poll the upload until it is `ready`. An upload that is finished before its file is posted is 404 `upload_not_found`, and can be finished again. After 413 and 415 the file is deleted: create another upload. A signed-in person needs the role `agent`, `admin` or `owner`. */
            "POST /v1/attachments": {
                body: components["schemas"]["FinishUploadRequest"];
                data: components["schemas"]["FinishUploadData"];
            };
            /** @description Create an upload. Checks the conversation, the kind and the size of a file, and returns a form by which it is posted within 15 minutes. Post each of `fields`, then the file as the field `file`, in one multipart form to `url`. Then finish the upload. A file that is too large is 413 `attachment_too_large`, and one of a kind that the platform does not take 415 `unsupported_media_type`. A signed-in person needs the role `agent`, `admin` or `owner`. */
            "POST /v1/attachments/uploads": {
                body: components["schemas"]["CreateUploadRequest"];
                data: components["schemas"]["CreateUploadData"];
            };
            /** @description Get an upload. Returns the state of an upload, for a day from its creation. Poll it every second or two until the status is `ready` or `failed`. An unknown id and one of another tenant are 404 `upload_not_found`. A signed-in person needs the role `agent`, `admin` or `owner`. */
            "GET /v1/attachments/uploads/{upload_id}": {
                path: {
                    /** @description The id of the upload: `upl_` and a ULID. */
                    upload_id: string;
                };
                data: components["schemas"]["GetUploadData"];
            };
            /** @description List audit entries. Returns who changed what in the last 400 days, newest first. `from` and `to` select by time, both included. With `action` or `actor` a page examines at most 200 entries: it may be short or empty and still return a `next_cursor`. A signed-in person needs the role `admin` or `owner`. */
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
                    /** @description One or more of tenant.create, tenant.update, account.connect, account.reconnect, account.disconnect, conversation.erase, key.create, key.revoke, operator_key.create, operator_key.revoke, webhook.create, webhook.update, webhook.delete, webhook.rotate, webhook.test, webhook.replay, webhook.bulk_replay, webhook.auto_pause, hold.create, hold.verify, invite.create, invite.revoke, invite.accept, invite.decline, member.role_change, member.remove, session.create_link, session.sign_in, session.sign_out, platform.deauthorize, platform.data_deletion, separated by commas. */
                    action?: string;
                    /** @description Exactly this actor, such as `console:<user_id>` or `system`. An unknown one matches nothing. */
                    actor?: string;
                    /** @description The earliest time, included: ISO 8601, in UTC when it names no zone, or epoch milliseconds. */
                    from?: string | number;
                    /** @description The latest time, included: ISO 8601, in UTC when it names no zone, or epoch milliseconds. */
                    to?: string | number;
                };
                data: components["schemas"]["ListAuditEntriesData"];
            };
            /** @description List conversations. Returns conversations by their newest message in either direction, newest first. A participant's message, a send through the API and a message from another app each move a conversation to the top. The filters combine. A filtered page examines at most 200 conversations: it may be short or empty and still return a `next_cursor`. A signed-in person needs the role `agent`, `admin` or `owner`. */
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
                     * @description Which conversations are listed.
                     *
                     *     - `true`: Those whose newest message is inbound.
                     *     - `false`: All of them. This is the default.
                     * @default false
                     * @enum {string}
                     */
                    unanswered?: "true" | "false";
                    /**
                     * @description Which conversations are listed.
                     *
                     *     - `true`: Those whose newest message is inbound and not marked as done.
                     *     - `false`: All of them. This is the default.
                     * @default false
                     * @enum {string}
                     */
                    needs_reply?: "true" | "false";
                    /**
                     * @description The order of a list with `needs_reply=true`. Without it the newest message is first.
                     *
                     *     - `closing`: The conversation whose window for replies closes first is first; then those to whom only a person may write.
                     * @enum {string}
                     */
                    order?: "closing";
                    /** @description Only conversations on this platform. */
                    platform?: components["schemas"]["Platform"];
                    /** @description Percent-encoded: # is %23. An unknown account matches nothing. */
                    account_key?: string;
                };
                data: components["schemas"]["ListConversationsData"];
            };
            /** @description Get a conversation and its messages. Returns the conversation and a page of its messages, newest first. `limit` and `cursor` are those of the messages. Messages are stored for 7 days after they were sent, so a conversation is 404 `conversation_not_found` 7 days after its last one. An id of another tenant is the same 404. A signed-in person needs the role `agent`, `admin` or `owner`. */
            "GET /v1/conversations/{id}": {
                path: {
                    /** @description The id of the conversation, as a list or an event has it. */
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
                     * @description Whether messages sent with test keys are included.
                     *
                     *     - `true`: They are included.
                     *     - `false`: They are left out. This is the default.
                     * @default false
                     * @enum {string}
                     */
                    include_test?: "true" | "false";
                };
                data: components["schemas"]["GetConversationData"];
            };
            /** @description Mark a conversation as done. Marks the last inbound message as one that needs no reply, such as “Thanks!”, or takes that back. The participant's next message ends the mark. A conversation whose last message is not inbound stays as it is. Nothing is sent to the platform. A test key gets 403. A signed-in person needs the role `agent`, `admin` or `owner`. */
            "PATCH /v1/conversations/{id}": {
                path: {
                    /** @description The id of the conversation, as a list or an event has it. */
                    id: string;
                };
                query?: {
                    /** @description The slug of the tenant. Required for an operator key and for a member of several tenants, else optional. */
                    tenant?: string;
                };
                body: components["schemas"]["UpdateConversationRequest"];
                data: components["schemas"]["UpdateConversationData"];
            };
            /** @description Erase a conversation. Erases the conversation with its messages, the participant's profile, the delivered copies of its events, its send records, uploads and holds. An erasure cannot be undone. 202 with `done: false` means that it took longer than 15 seconds and continues in the background: repeat the call until it returns 200. For 7 days and 1 hour after the last call a repeated call returns 200 with zeros, then 404. A test key gets 403. No event is sent. A new message from the participant starts a new conversation. Raw platform webhooks are not erased; they expire 7 days after arrival. A signed-in person needs the role `admin` or `owner`. */
            "DELETE /v1/conversations/{id}": {
                path: {
                    /** @description The id of the conversation, as a list or an event has it. */
                    id: string;
                };
                query?: {
                    /** @description The slug of the tenant. Required for an operator key and for a member of several tenants, else optional. */
                    tenant?: string;
                };
                data: components["schemas"]["EraseConversationData"];
            };
            /** @description List event types. Returns every event type that an endpoint can receive, with the JSON Schema of its body and an example. It is the same for every tenant. */
            "GET /v1/event-types": {
                data: components["schemas"]["ListEventTypesData"];
            };
            /** @description List API keys. Returns the keys of the tenant, oldest first, without pages. A revoked key is listed for 90 days. Secrets are not returned. A signed-in person needs the role `admin` or `owner`. */
            "GET /v1/keys": {
                query?: {
                    /** @description The slug of the tenant. Required for an operator key and for a member of several tenants, else optional. */
                    tenant?: string;
                };
                data: components["schemas"]["ListKeysData"];
            };
            /** @description Create an API key. Creates a key of this tenant and returns its secret, which is never returned again. A test key creates only test keys: anything else is 403. A tenant has at most 50 active keys: 409 `key_limit`. A signed-in person needs the role `admin` or `owner`. */
            "POST /v1/keys": {
                query?: {
                    /** @description The slug of the tenant. Required for an operator key and for a member of several tenants, else optional. */
                    tenant?: string;
                };
                body?: components["schemas"]["CreateKeyRequest"];
                data: components["schemas"]["CreateKeyData"];
            };
            /** @description Revoke an API key. Revokes the key: the next request with it is 401. Safe to repeat. A test key revokes only test keys. A key may revoke itself. A signed-in person needs the role `admin` or `owner`. */
            "DELETE /v1/keys/{id}": {
                path: {
                    /** @description The id of the key, which is not its secret. */
                    id: string;
                };
                query?: {
                    /** @description The slug of the tenant. Required for an operator key and for a member of several tenants, else optional. */
                    tenant?: string;
                };
                data: components["schemas"]["RevokeKeyData"];
            };
            /** @description List messages. Returns messages of the whole tenant or of one conversation, newest first. Each is listed for 7 days after it was sent. A `conversation_id` of another tenant is 404 `conversation_not_found`. A signed-in person needs the role `agent`, `admin` or `owner`. */
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
                    /** @description Only messages of this conversation. */
                    conversation_id?: string;
                    /** @description Only messages of this direction. */
                    direction?: components["schemas"]["MessageDirection"];
                    /**
                     * @description Whether messages sent with test keys are included.
                     *
                     *     - `true`: They are included.
                     *     - `false`: They are left out. This is the default.
                     * @default false
                     * @enum {string}
                     */
                    include_test?: "true" | "false";
                };
                data: components["schemas"]["ListMessagesData"];
            };
            /** @description Get a held message. Returns the state of a held message, for 30 minutes from its creation. Then, and for an id of another tenant, it is 404 `hold_not_found`. A signed-in person needs the role `agent`, `admin` or `owner`. */
            "GET /v1/messages/holds/{hold_id}": {
                path: {
                    /** @description The id of the held message: `hold_` and a ULID. */
                    hold_id: string;
                };
                data: components["schemas"]["GetHoldData"];
            };
            /** @description Hold a message of a named person. Holds a message that a person typed, from 24 hours to 7 days after the participant's last message. Nothing is sent until the author opens `verify_url` within 15 minutes and passes the check. The message is then sent once, under the policy at that time: as a reply if the participant wrote after the hold was created. Earlier, later, or without an inbound message it is 409 `human_agent_unavailable`, and without `actor_id` 409 `missing_actor`. A conversation has 20 such messages in 24 hours, beside the limits of a reply; a hold checks them when it is created and spends them when it is sent. `GET /v1/messages/holds/{hold_id}` and the message events report the result. A signed-in person needs the role `agent`, `admin` or `owner`. */
            "POST /v1/messages/human-agent": {
                headers?: {
                    /** @description A unique key that you choose for this request. Repeating the key with the same body within 24 hours returns the first response and does nothing again. */
                    "Idempotency-Key"?: string;
                };
                body: components["schemas"]["SendHumanAgentMessageRequest"];
                data: components["schemas"]["SendHumanAgentMessageData"];
            };
            /** @description Send a reply. Sends a text, up to 10 images, or one video, audio or file, within 24 hours of the participant's last message. Later it is 409 `window_closed`: use the human-agent route. A text has at most 1,000 bytes of UTF-8 on Instagram and 2,000 characters on Messenger, and is never split. Each send counts toward the limits: 10 in 10 seconds and 200 in 24 hours for a conversation, 100 in 10 seconds for an account; beyond them it is 409 `rate_limited`. 502 `send_failed` has the platform's reason in `detail`. With the detail `outcome_unknown` the message may have been sent: read the conversation before you send it again. A test key sends through a simulated connection. `message.sent` or `message.failed` follows. A signed-in person needs the role `agent`, `admin` or `owner`. */
            "POST /v1/messages/reply": {
                headers?: {
                    /** @description A unique key that you choose for this request. Repeating the key with the same body within 24 hours returns the first response and does nothing again. */
                    "Idempotency-Key"?: string;
                };
                body: components["schemas"]["SendReplyRequest"];
                data: components["schemas"]["SendReplyData"];
            };
            /** @description Get a message. Returns one message, for 7 days after it was sent. An unknown id, one of another tenant and, without `include_test=true`, one sent with a test key are 404 `message_not_found`. A signed-in person needs the role `agent`, `admin` or `owner`. */
            "GET /v1/messages/{id}": {
                path: {
                    /** @description The platform's id of the message. */
                    id: string;
                };
                query?: {
                    /** @description The slug of the tenant. Required for an operator key and for a member of several tenants, else optional. */
                    tenant?: string;
                    /**
                     * @description Whether a message sent with a test key is returned.
                     *
                     *     - `true`: It is returned.
                     *     - `false`: It is 404. This is the default.
                     * @default false
                     * @enum {string}
                     */
                    include_test?: "true" | "false";
                };
                data: components["schemas"]["GetMessageData"];
            };
            /** @description Get the name and version of the service. Returns the name and the version of the service. It needs no credential and says nothing about a tenant. */
            "GET /v1/ping": {
                data: components["schemas"]["PingData"];
            };
            /** @description Create a realtime ticket. Creates a ticket that opens one WebSocket within a minute: connect to `url` with `?ticket=<ticket>`. The connection of a signed-in person must have the console's origin. A ticket is returned once and works once. A signed-in person needs the role `agent`, `admin` or `owner`. */
            "POST /v1/realtime/ticket": {
                query?: {
                    /** @description The slug of the tenant. Required for an operator key and for a member of several tenants, else optional. */
                    tenant?: string;
                };
                data: components["schemas"]["CreateRealtimeTicketData"];
            };
            /** @description Get statistics. Returns counts of the current hour and the 24 hours before it, in UTC. Live messages are counted in the hour they were stored, deliveries in the hour they reached their status. A replay does not reduce a count. Messages and deliveries of test keys are not counted. A signed-in person needs the role `agent`, `admin` or `owner`. */
            "GET /v1/stats": {
                query?: {
                    /** @description The slug of the tenant. Required for an operator key and for a member of several tenants, else optional. */
                    tenant?: string;
                    /**
                     * @description Whether `series` is returned.
                     *
                     *     - `hour`: With the counts of each hour.
                     * @enum {string}
                     */
                    series?: "hour";
                };
                data: components["schemas"]["GetStatsData"];
            };
            /** @description List webhook endpoints. Returns the active and paused endpoints of the tenant, at most 20, without pages. Secrets are not returned. A signed-in person needs the role `admin` or `owner`. */
            "GET /v1/webhooks": {
                query?: {
                    /** @description The slug of the tenant. Required for an operator key and for a member of several tenants, else optional. */
                    tenant?: string;
                };
                data: components["schemas"]["ListWebhooksData"];
            };
            /** @description Create a webhook endpoint. Creates an endpoint and returns its signing secret, which is never returned again. The URL must be https with a public host: an address that Parley would not call is 400 `invalid_request` with the reason in `detail`. A tenant has at most 20 endpoints: 409 `endpoint_limit`. Each DNS lookup of a host counts toward a limit: 429. A signed-in person needs the role `admin` or `owner`. */
            "POST /v1/webhooks": {
                query?: {
                    /** @description The slug of the tenant. Required for an operator key and for a member of several tenants, else optional. */
                    tenant?: string;
                };
                body: components["schemas"]["CreateWebhookRequest"];
                data: components["schemas"]["CreateWebhookData"];
            };
            /** @description Get a webhook endpoint. Returns one endpoint with its health. Its signing secret is not returned. A deleted one is 404 `endpoint_not_found`. A signed-in person needs the role `admin` or `owner`. */
            "GET /v1/webhooks/{id}": {
                path: {
                    /** @description The id of the webhook endpoint. */
                    id: string;
                };
                query?: {
                    /** @description The slug of the tenant. Required for an operator key and for a member of several tenants, else optional. */
                    tenant?: string;
                };
                data: components["schemas"]["GetWebhookData"];
            };
            /** @description Update a webhook endpoint. Changes the fields that the body has; the others keep their values. The events of a paused endpoint are stored as `blocked` deliveries. After the endpoint is active again, replay them with `status=blocked`. A new URL is checked as on creation. A signed-in person needs the role `admin` or `owner`. */
            "PATCH /v1/webhooks/{id}": {
                path: {
                    /** @description The id of the webhook endpoint. */
                    id: string;
                };
                query?: {
                    /** @description The slug of the tenant. Required for an operator key and for a member of several tenants, else optional. */
                    tenant?: string;
                };
                body: components["schemas"]["UpdateWebhookRequest"];
                data: components["schemas"]["UpdateWebhookData"];
            };
            /** @description Delete a webhook endpoint. Deletes the endpoint and erases its signing secrets. Deliveries that wait become `failed`. The delivery history stays readable under the id. A second call is 404. A signed-in person needs the role `admin` or `owner`. */
            "DELETE /v1/webhooks/{id}": {
                path: {
                    /** @description The id of the webhook endpoint. */
                    id: string;
                };
                query?: {
                    /** @description The slug of the tenant. Required for an operator key and for a member of several tenants, else optional. */
                    tenant?: string;
                };
                data: components["schemas"]["DeleteWebhookData"];
            };
            /** @description List deliveries. Returns the deliveries of the endpoint, newest first. `from` and `to` select by the time of the event, both included. With `status` or `event_type` a page examines at most 200 deliveries: it may be short or empty and still return a `next_cursor`. An endpoint that does not exist has an empty page, and a deleted one its history. A signed-in person needs the role `admin` or `owner`. */
            "GET /v1/webhooks/{id}/deliveries": {
                path: {
                    /** @description The id of the webhook endpoint. */
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
                    /** @description One or more of pending, attempting, retrying, delivered, failed, blocked, dlq, separated by commas. */
                    status?: string;
                    /** @description One or more of message.received, message.sent, message.failed, message.deleted, message.edited, message.reaction, referral.received, conversation.updated, account.connected, account.reconnected, account.disconnected, account.refresh_failing, account.needs_reauth, account.restricted, account.recovered, webhook.paused, test.event, separated by commas. */
                    event_type?: string;
                    /** @description The earliest time of the event, included: ISO 8601 or epoch milliseconds. */
                    from?: string | number;
                    /** @description The latest time of the event, included: ISO 8601 or epoch milliseconds. */
                    to?: string | number;
                };
                data: components["schemas"]["ListDeliveriesData"];
            };
            /** @description Replay the deliveries of a time window. Gives each matching delivery ten new attempts, oldest first. Each parameter is read from the query or the body; the query wins. To include events that were delivered, name `delivered` in `status` and set `force=true`; without `force` it is 409 `replay_conflict`. `limit` caps the rows examined per call: repeat the call with `next_cursor` until it is null. Deliveries that are in progress are skipped. A signed-in person needs the role `admin` or `owner`. */
            "POST /v1/webhooks/{id}/deliveries/replay": {
                path: {
                    /** @description The id of the webhook endpoint. */
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
                    /** @description The earliest time of the event, included: ISO 8601 or epoch milliseconds. Required, here or in the body. */
                    from?: string | number;
                    /** @description The latest time of the event, included: ISO 8601 or epoch milliseconds. Default: now. */
                    to?: string | number;
                    /** @description One or more of dlq, failed, blocked, delivered, separated by commas. */
                    status?: string;
                    /** @description `true` permits `delivered` in `status`. Any other value counts as absent. */
                    force?: string;
                };
                body?: components["schemas"]["ReplayDeliveriesRequest"];
                data: components["schemas"]["ReplayDeliveriesData"];
            };
            /** @description List undelivered events. Returns the deliveries that did not succeed, newest first, without pages. It examines at most 1,000. It is not audited. A signed-in person needs the role `admin` or `owner`. */
            "GET /v1/webhooks/{id}/deliveries/summary": {
                path: {
                    /** @description The id of the webhook endpoint. */
                    id: string;
                };
                query?: {
                    /** @description The slug of the tenant. Required for an operator key and for a member of several tenants, else optional. */
                    tenant?: string;
                    /** @description The earliest time of the event, included: ISO 8601 or epoch milliseconds. Default: 24 hours ago. */
                    since?: string | number;
                    /** @description One or more of dlq, failed, blocked, retrying, separated by commas. */
                    status?: string;
                };
                data: components["schemas"]["SummarizeDeliveriesData"];
            };
            /** @description Get a delivery. Returns the delivery with the body of its event and its last ten attempts. Numbers of attempts may repeat: a failed probe of an open circuit consumes no attempt, and a replay starts again at 1. An attempt without a status and an error was started by a process that died. A signed-in person needs the role `admin` or `owner`. */
            "GET /v1/webhooks/{id}/deliveries/{deliveryId}": {
                path: {
                    /** @description The id of the webhook endpoint. */
                    id: string;
                    /** @description The id of the delivery, also that of the header `Svc-Delivery-Id`. */
                    deliveryId: string;
                };
                query?: {
                    /** @description The slug of the tenant. Required for an operator key and for a member of several tenants, else optional. */
                    tenant?: string;
                };
                data: components["schemas"]["GetDeliveryData"];
            };
            /** @description Replay a delivery. Gives the delivery ten new attempts, from now. One that is `delivered` requires `force=true`; one that is `pending`, `attempting` or `retrying` is 409 `replay_conflict`. 7 days after the event its body is gone: 409 `replay_expired`. The receiver gets the same event id again. A signed-in person needs the role `admin` or `owner`. */
            "POST /v1/webhooks/{id}/deliveries/{deliveryId}/replay": {
                path: {
                    /** @description The id of the webhook endpoint. */
                    id: string;
                    /** @description The id of the delivery, also that of the header `Svc-Delivery-Id`. */
                    deliveryId: string;
                };
                query?: {
                    /** @description The slug of the tenant. Required for an operator key and for a member of several tenants, else optional. */
                    tenant?: string;
                    /** @description `true` also replays a delivery that succeeded. Any other value counts as absent. */
                    force?: string;
                };
                data: components["schemas"]["ReplayDeliveryData"];
            };
            /** @description Rotate the signing secret. Creates a new signing secret and returns it; it is never returned again. The previous secret also signs deliveries for another 24 hours, so that a receiver has time to change it. One that an earlier rotation replaced ends at once. A signed-in person needs the role `admin` or `owner`. */
            "POST /v1/webhooks/{id}/rotate": {
                path: {
                    /** @description The id of the webhook endpoint. */
                    id: string;
                };
                query?: {
                    /** @description The slug of the tenant. Required for an operator key and for a member of several tenants, else optional. */
                    tenant?: string;
                };
                data: components["schemas"]["RotateWebhookSecretData"];
            };
            /** @description Send a test event. Sends a `test.event` to this endpoint by the real signing and delivery path, regardless of the types that it subscribes to. The delivery is asynchronous: read it by its id. A paused endpoint gets a `blocked` delivery. A signed-in person needs the role `admin` or `owner`. */
            "POST /v1/webhooks/{id}/test": {
                path: {
                    /** @description The id of the webhook endpoint. */
                    id: string;
                };
                query?: {
                    /** @description The slug of the tenant. Required for an operator key and for a member of several tenants, else optional. */
                    tenant?: string;
                };
                data: components["schemas"]["SendTestEventData"];
            };
            /** @description Get a held message by its secret. Returns what the check page shows. It takes the hold's secret instead of a key. A wrong secret, an unknown hold and one after its 30 minutes are the same 404 `hold_not_found`. One that was sent, failed or expired is 409 `hold_expired`. 30 wrong secrets or solutions from a network address in 5 minutes: 429 with `Retry-After`. */
            "POST /verify/holds/{hold_id}": {
                path: {
                    /** @description The id of the held message, from the query of `verify_url`. */
                    hold_id: string;
                };
                body: components["schemas"]["GetHeldMessageRequest"];
                data: components["schemas"]["GetHeldMessageData"];
            };
            /** @description Create a challenge. Returns puzzles for the browser, in the format of Cap. Their solutions raise the cost of scripted sending; they prove no person. A challenge is bound to the hold and works once, for 10 minutes or until the hold expires. At most 10 for a hold in 5 minutes: 429 with `Retry-After`. */
            "POST /verify/holds/{hold_id}/challenge": {
                path: {
                    /** @description The id of the held message, from the query of `verify_url`. */
                    hold_id: string;
                };
                body: components["schemas"]["CreateChallengeRequest"];
                data: components["schemas"]["CreateChallengeData"];
            };
            /** @description Complete the check. Checks the solutions and sends the held message, once. It waits up to 10 seconds for the platform: the status is then `sent` or `failed`, else `sending`. Wrong solutions, and a token that has expired or is of another hold, are 400 `invalid_request` with `invalid_solutions`, `challenge_expired` or `invalid_token` in `detail`: take a new challenge. A hold that was sent, failed or expired is 409 `hold_expired`. */
            "POST /verify/holds/{hold_id}/complete": {
                path: {
                    /** @description The id of the held message, from the query of `verify_url`. */
                    hold_id: string;
                };
                body: components["schemas"]["CompleteCheckRequest"];
                data: components["schemas"]["CompleteCheckData"];
            };
        };
        /** @description Why something that was accepted failed afterwards. Its codes are those of `error` in a response. */
        OutcomeError: {
            /** @description What went wrong, for programs, such as `send_failed`. */
            code: string;
            /** @description What is wrong and how to fix it, for people. */
            message: string;
            /** @description More about the cause, mostly in the platform's words. Null or empty when there is nothing more. */
            detail: string | null;
        };
        /** @description A file to send: one at a public URL, or one that was uploaded. */
        OutgoingAttachment: {
            type: components["schemas"]["MediaType"];
            /** @description A public https URL from which the platform fetches the file. */
            url?: string | null;
            /** @description The `attachment.id` of a `ready` upload for the same account. */
            attachment_id?: string | null;
        };
        /** @description An invite that the signed-in person may accept or decline. */
        OwnInvite: {
            /** @description The id of the invite: `inv_` and a ULID. */
            id: string;
            /** @description The slug of the tenant. */
            tenant: string;
            /** @description The name of the tenant. */
            name: string;
            role: components["schemas"]["Role"];
            /** @description Who sent it: the id of a person, or the operator's command line. */
            invited_by: string;
            /** @description The address of the person who sent it. Null if it is not known. */
            invited_by_email: string | null;
            /**
             * Format: date-time
             * @description When it expires, in ISO 8601. Null for the owner whom the operator named.
             */
            expires_at: string | null;
        };
        /** @description A tenant with the role that the signed-in person has in it. */
        OwnTenant: {
            /** @description The slug of the tenant, which `tenant` takes elsewhere. */
            id: string;
            /** @description The name for people, on one line. */
            name: string;
            status: components["schemas"]["TenantStatus"];
            /** @description The language of invites and notices by mail. Null: English. Pages follow the browser. */
            language: components["schemas"]["Language"] | null;
            /**
             * Format: date-time
             * @description When it was created, in ISO 8601 and UTC.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was last changed, in ISO 8601 and UTC.
             */
            updated_at: string;
            role: components["schemas"]["Role"];
            /** @description The id of the person who invited you. Null for a tenant that you created. */
            invited_by: string | null;
            /** @description The address of the person who invited you. Null for a tenant that you created. */
            invited_by_email: string | null;
        };
        /** @description The person who writes with the account. */
        Participant: {
            /** @description The platform's id of the person. It differs for each account that the person writes to. */
            id: string;
            /** @description What to call the person: the user name, or the full name on Messenger. Null until the profile is known. */
            handle: string | null;
            /** @description The person's user name on Instagram. Null on Messenger and until the profile is known. */
            username: string | null;
            /** @description The person's display name. Null until the profile is known. */
            name: string | null;
        };
        /** @description The data that `ping` returns. */
        PingData: {
            /** @description The name of the service: `parley`. */
            name: string;
            /** @description The version of the deployment, which is not that of the API. */
            version: string;
            /** @description The time of the server, in ISO 8601 and UTC. */
            time: string;
        };
        /** @description What a client sends to keep its connection open. */
        PingFrame: {
            /**
             * @description Always `ping`, which the server answers with `pong`.
             * @constant
             */
            type: "ping";
        };
        /**
         * @description The messaging platform.
         *
         *     - `instagram`: Instagram Direct.
         *     - `messenger`: Messenger of Facebook.
         * @enum {string}
         */
        Platform: "instagram" | "messenger";
        /** @description The answer to a ping of the client. */
        PongFrame: {
            /**
             * @description Always `pong`, of the answer to `ping`.
             * @constant
             */
            type: "pong";
        };
        /** @description A pressed button, or an ice breaker. */
        Postback: {
            /** @description The text on the button. Null where the platform gives none. */
            title: string | null;
            /** @description The payload that the business gave to the button. Null without one. */
            payload: string | null;
        };
        /** @description What a client sends when its person opens, answers or closes a conversation. */
        PresenceFrame: {
            /**
             * @description Always `presence`, of the frame of a person's activity.
             * @constant
             */
            type: "presence";
            /** @description The conversation that the person reads or writes in. */
            conversation_id: string;
            state: components["schemas"]["Activity"];
        };
        /** @description Another person of the tenant reads or writes in a conversation, or left it. */
        PresenceUpdatedFrame: {
            /** @description The id of the event: `evt_` and a ULID. It is the same in every delivery and replay: de-duplicate by it. */
            id: string;
            /**
             * @description The type, by which to choose what to do. Ignore events of a type that you do not know.
             * @constant
             */
            type: "presence.updated";
            /**
             * @description The version of the body. Within a version, bodies only gain fields.
             * @constant
             */
            api_version: "1.0.0";
            /**
             * Format: date-time
             * @description When Parley first learned of it, in ISO 8601 and UTC.
             */
            created_at: string;
            /** @description The slug of the tenant. */
            tenant_id: string;
            /** @description What a client sends when its person opens, answers or closes a conversation. */
            data: {
                /** @description The conversation that the person reads or writes in. */
                conversation_id: string;
                /** @description The id of the other person. */
                user_id: string;
                state: components["schemas"]["Activity"];
            };
        };
        /**
         * @description How much of the participant's profile Parley has.
         *
         *     - `pending`: It has not been fetched yet. The participant's next message tries again.
         *     - `partial`: It was fetched, and the platform gave neither a name nor a handle.
         *     - `complete`: It was fetched. A message after 24 hours fetches it again, because picture URLs expire.
         *     - `unavailable`: The platform does not show this person to the account.
         * @enum {string}
         */
        ProfileState: "pending" | "partial" | "complete" | "unavailable";
        /** @description A pressed quick reply. */
        QuickReply: {
            /** @description The payload that the business gave to the quick reply. */
            payload: string;
        };
        /** @description A reaction to a message. */
        Reaction: {
            by: components["schemas"]["ChangeAuthor"];
            /** @description The platform's word for it, such as `love` or `other`. Null when the platform gives none. */
            reaction: string | null;
            /** @description The emoji itself. Null when the platform gives none. */
            emoji: string | null;
            /**
             * Format: date-time
             * @description When somebody reacted, in ISO 8601 and UTC.
             */
            at: string;
        };
        /** @description What opens one connection to the realtime stream. */
        RealtimeTicket: {
            /** @description The secret of the ticket: `wst_` and random characters. It works once. */
            ticket: string;
            /** @description Until when it opens a connection, in epoch milliseconds. */
            expires_at: number;
            /**
             * @description How long it opens a connection, in milliseconds: always 60000.
             * @constant
             */
            expires_in_ms: 60000;
            /** @description The address of the WebSocket, without the ticket. */
            url: string;
        };
        /** @description How a person came to the conversation. */
        Referral: {
            /** @description The `ref` of the link or ad, as the business chose it. Null without one. */
            ref: string | null;
            /** @description The platform's word for where it was, such as `SHORTLINK` or `ADS`. Null where it gives none. */
            source: string | null;
            /** @description The platform's word for what happened, such as `OPEN_THREAD`. Null where it gives none. */
            type: string | null;
            /** @description The id of the ad. Null for anything but an ad. */
            ad_id: string | null;
        };
        /** @description A person came to the conversation by a link, ad or plugin without a message. It opens no messaging window. */
        ReferralReceivedEvent: {
            /** @description The id of the event: `evt_` and a ULID. It is the same in every delivery and replay: de-duplicate by it. */
            id: string;
            /**
             * @description The type, by which to choose what to do. Ignore events of a type that you do not know.
             * @constant
             */
            type: "referral.received";
            /**
             * @description The version of the body. Within a version, bodies only gain fields.
             * @constant
             */
            api_version: "1.0.0";
            /**
             * Format: date-time
             * @description When Parley first learned of it, in ISO 8601 and UTC.
             */
            created_at: string;
            /** @description The slug of the tenant. */
            tenant_id: string;
            /** @description What happened. Its fields depend on `type`. */
            data: {
                /** @description The referral with the person and the account. No message is stored. */
                referral: {
                    /** @description The conversation to which it belongs. */
                    conversation_id: string;
                    /** @description The key of the connected account: `<platform>#<external_id>`. */
                    account_key: string;
                    platform: components["schemas"]["Platform"];
                    participant: components["schemas"]["Participant"];
                    /** @description The `ref` of the link or ad, as the business chose it. Null without one. */
                    ref: string | null;
                    /** @description The platform's word for where it was, such as `SHORTLINK` or `ADS`. Null where it gives none. */
                    source: string | null;
                    /** @description The platform's word for what happened, such as `OPEN_THREAD`. Null where it gives none. */
                    type: string | null;
                    /** @description The id of the ad. Null for anything but an ad. */
                    ad_id: string | null;
                    /**
                     * Format: date-time
                     * @description When the person came, by the platform's clock, in ISO 8601 and UTC.
                     */
                    at: string;
                };
            };
        };
        /** @description The data that `removeMember` returns. */
        RemoveMemberData: {
            /**
             * @description Always `true`: the person has no role in the tenant.
             * @constant
             */
            removed: true;
        };
        /** @description What an erasure removed so far. It has counts only, never content. */
        RemovedCounts: {
            /** @description 1 if the conversation itself was removed by this call, else 0. */
            conversation: number;
            /** @description 1 if a stored profile of the participant was removed, else 0. */
            profile: number;
            /** @description How many messages were removed, in both directions. */
            messages: number;
            /** @description How many records beside the messages were removed: ids of outbound messages, published edits and reactions, and changes that arrived before their message. */
            markers: number;
            /** @description How many deliveries of events were removed, with their bodies, on all endpoints. */
            deliveries: number;
            /** @description How many records of sends and idempotency keys were removed. */
            send_records: number;
            /** @description How many uploads that waited for the platform were removed. */
            uploads: number;
            /** @description How many held messages were removed. */
            holds: number;
        };
        /** @description The data that `replayDeliveries` returns. */
        ReplayDeliveriesData: {
            /** @description How many deliveries of this page were in the window with one of the statuses. */
            matched: number;
            /** @description How many of them are attempted again. */
            enqueued: number;
            /** @description How many of them were left as they are: an attempt is in progress, or the body is gone. */
            skipped: number;
            /** @description The `cursor` of the next page. Null on the last page. */
            next_cursor: string | null;
        };
        /** @description The window of a bulk replay. Each field can also be a parameter of the query, which wins. */
        ReplayDeliveriesRequest: {
            /** @description The earliest time of the event, included: ISO 8601 or epoch milliseconds. Required, here or in the query. */
            from?: string | number;
            /** @description The latest time of the event, included: ISO 8601 or epoch milliseconds. Default: now. */
            to?: string | number;
            /** @description One or more of dlq, failed, blocked, delivered, separated by commas. */
            status?: string;
            /** @description The text `true` or the boolean permits `delivered` in `status`. Any other value counts as absent. */
            force?: unknown;
        };
        /** @description The data that `replayDelivery` returns. */
        ReplayDeliveryData: {
            /** @description The id of the delivery, which stays the same. */
            delivery_id: string;
            /**
             * @description Always `pending`: the first new attempt is due.
             * @enum {string}
             */
            status: "pending";
        };
        /** @description The data that `requestSignInLink` returns. */
        RequestSignInLinkData: {
            /**
             * @description Always `true`, also for an address that gets no mail.
             * @constant
             */
            sent: true;
        };
        /** @description The body of `requestSignInLink`: an address, and where the link redirects. */
        RequestSignInLinkRequest: {
            /**
             * Format: email
             * @description The address to which the link is sent.
             */
            email: string;
            /** @description The path of the console to which the link redirects. Absent: `/app`, or `/` of a console on another host. A text that is no such path counts as `/`. */
            redirect?: unknown;
            /** @description The invite from the link of its mail: the sign-in accepts it. Any other text counts as none. */
            invite?: unknown;
        };
        /** @description The data that `resendInvite` returns. */
        ResendInviteData: {
            invite: components["schemas"]["Invite"];
        };
        /** @description The data that `revokeInvite` returns. */
        RevokeInviteData: {
            /**
             * @description Always `true`: the invite can no longer be accepted.
             * @constant
             */
            revoked: true;
        };
        /** @description The data that `revokeKey` returns. */
        RevokeKeyData: {
            /**
             * @description Always `true`: the key no longer works.
             * @constant
             */
            revoked: true;
        };
        /**
         * @description What a member may do in the tenant.
         *
         *     - `agent`: Read, reply, upload and send as a person.
         *     - `admin`: Also manage accounts, keys, webhooks, invites, erasures and the audit log.
         *     - `owner`: Also manage roles and the settings of the tenant.
         * @enum {string}
         */
        Role: "agent" | "admin" | "owner";
        RotateWebhookSecretData: components["schemas"]["IssuedEndpoint"];
        /** @description The data that `selectLoginPage` returns. */
        SelectLoginPageData: {
            /** @description The accounts that were connected, in the order of the request. */
            accounts: components["schemas"]["Account"][];
        };
        /** @description The body that `selectLoginPage` takes. */
        SelectLoginPageRequest: {
            /** @description The page, as `GET /oauth/messenger/pages` lists it. */
            page_id: string;
            /** @description What to connect: `messenger`, the page's own account; `instagram`, the linked one; or both. */
            connect: components["schemas"]["Platform"][];
        };
        /** @description The data that `sendHumanAgentMessage` returns. */
        SendHumanAgentMessageData: {
            hold: components["schemas"]["Hold"];
        };
        /** @description The body of a message from a named person: a conversation, the person, and either a text or attachments. */
        SendHumanAgentMessageRequest: {
            /** @description The conversation to send to, which also names the tenant. */
            conversation_id: string;
            /** @description The text to send: at most 1,000 bytes of UTF-8 on Instagram, and 2,000 characters on Messenger. */
            text?: string | null;
            /** @description The platform's id of the message that this one answers. Absent or null for none. */
            reply_to?: string | null;
            /** @description Who typed the message. Of a session it is its own `actor_id`; a key names any person. Null or absent is 409 `missing_actor`. */
            actor_id?: string | null;
            /** @description 1 to 10 images, or one video, audio or file. */
            attachments?: components["schemas"]["OutgoingAttachment"][] | null;
        };
        /** @description The data that `sendReply` returns. */
        SendReplyData: {
            /** @description The platform's id of the sent message, which `GET /v1/messages/{id}` takes. */
            platform_message_id: string;
        };
        /** @description The body of a reply: a conversation, and either a text or attachments. */
        SendReplyRequest: {
            /** @description The conversation to send to, which also names the tenant. */
            conversation_id: string;
            /** @description The text to send: at most 1,000 bytes of UTF-8 on Instagram, and 2,000 characters on Messenger. */
            text?: string | null;
            /** @description The platform's id of the message that this one answers. Absent or null for none. */
            reply_to?: string | null;
            /** @description 1 to 10 images, or one video, audio or file. */
            attachments?: components["schemas"]["OutgoingAttachment"][] | null;
        };
        /** @description The data that `sendTestEvent` returns. */
        SendTestEventData: {
            /** @description The id of the delivery, by which its outcome can be read. */
            delivery_id: string;
        };
        /**
         * @description The way by which the message was sent.
         *
         *     - `participant`: By the participant.
         *     - `api_in_window`: Through the API, within 24 hours of the participant's last message.
         *     - `api_human_agent`: Through the API by a named person, between 24 hours and 7 days after that message.
         *     - `native_app`: From the platform's own app or inbox.
         *     - `other_app`: By a third app that also has access to the account.
         * @enum {string}
         */
        SentVia: "participant" | "api_in_window" | "api_human_agent" | "native_app" | "other_app";
        /** @description The data that `signOut` returns. */
        SignOutData: {
            /**
             * @description Always `true`: every session of the person has ended.
             * @constant
             */
            signed_out: true;
        };
        /** @description How the deliveries of an endpoint ended. */
        StatsEndpoint: {
            /** @description The id of the webhook endpoint. */
            endpoint_id: string;
            /** @description How many deliveries succeeded. */
            delivered: number;
            /** @description How many deliveries became `failed` or `blocked`. */
            failed: number;
            /** @description How many deliveries became `dlq`, after ten failed attempts. */
            dlq: number;
        };
        /** @description The counts of one hour. */
        StatsHour: {
            /**
             * Format: date-time
             * @description When the hour starts, in ISO 8601 and UTC.
             */
            starts_at: string;
            /** @description How many live inbound messages were stored in the hour. */
            received: number;
            /** @description How many live messages of the account were stored, from the API and other apps. */
            sent: number;
            /** @description The answers of the hour by the time from the first message that waited. Each answer counts once, in the first of these that it fits. */
            answers: {
                /** @description Answers within 5 minutes of the first message that waited. */
                within_5_minutes: number;
                /** @description Answers after 5 to 15 minutes. */
                within_15_minutes: number;
                /** @description Answers after 15 minutes to 1 hour. */
                within_1_hour: number;
                /** @description Answers after 1 to 4 hours. */
                within_4_hours: number;
                /** @description Answers after 4 to 24 hours. */
                within_24_hours: number;
                /** @description Answers after more than 24 hours. */
                later: number;
            };
            /** @description A row for each endpoint that had deliveries in the hour. */
            endpoints: components["schemas"]["StatsEndpoint"][];
        };
        /** @description A story that a message is about. */
        Story: {
            /** @description The platform's id of the story. Null for a mention. */
            id: string | null;
            /** @description The platform's URL of its media, which expires with the story. Null where the platform gives none. */
            url: string | null;
            /**
             * @description How the message is about the story.
             *
             *     - `reply`: The participant answered a story of the account.
             *     - `mention`: The participant mentioned the account in a story of their own.
             * @enum {string}
             */
            kind: "reply" | "mention";
        };
        /** @description The data that `summarizeDeliveries` returns. */
        SummarizeDeliveriesData: {
            /** @description The deliveries that did not succeed, newest first. */
            deliveries: components["schemas"]["Delivery"][];
            /** @description Whether there may be older ones: only the most recent 1,000 were examined. */
            truncated: boolean;
        };
        /** @description A workspace: a business with its accounts, keys, conversations and endpoints. */
        Tenant: {
            /** @description The slug of the tenant, which `tenant` takes elsewhere. */
            id: string;
            /** @description The name for people, on one line. */
            name: string;
            status: components["schemas"]["TenantStatus"];
            /** @description The language of invites and notices by mail. Null: English. Pages follow the browser. */
            language: components["schemas"]["Language"] | null;
            /**
             * Format: date-time
             * @description When it was created, in ISO 8601 and UTC.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was last changed, in ISO 8601 and UTC.
             */
            updated_at: string;
        };
        /**
         * @description Whether the tenant can be used.
         *
         *     - `active`: It works.
         *     - `suspended`: The operator suspended it: keys and sessions get 403. Intake and deliveries continue.
         * @enum {string}
         */
        TenantStatus: "active" | "suspended";
        /** @description A test event was requested for this endpoint. */
        TestEvent: {
            /** @description The id of the event: `evt_` and a ULID. It is the same in every delivery and replay: de-duplicate by it. */
            id: string;
            /**
             * @description The type, by which to choose what to do. Ignore events of a type that you do not know.
             * @constant
             */
            type: "test.event";
            /**
             * @description The version of the body. Within a version, bodies only gain fields.
             * @constant
             */
            api_version: "1.0.0";
            /**
             * Format: date-time
             * @description When Parley first learned of it, in ISO 8601 and UTC.
             */
            created_at: string;
            /** @description The slug of the tenant. */
            tenant_id: string;
            /** @description What happened. Its fields depend on `type`. */
            data: {
                /** @description The id of the endpoint that gets the event. */
                endpoint_id: string;
                /** @description A sentence for people which says that this is a test. */
                note: string;
                /** @description Who requested it, in the form of an audit entry's `actor`. */
                requested_by: string;
            };
        };
        /** @description The data that `updateConversation` returns. */
        UpdateConversationData: {
            conversation: components["schemas"]["Conversation"];
        };
        /** @description The body that `updateConversation` takes. */
        UpdateConversationRequest: {
            /** @description `true` marks the last inbound message as done. `false` removes the mark. */
            done: boolean;
        };
        /** @description The data that `updateMember` returns. */
        UpdateMemberData: {
            member: components["schemas"]["Member"];
        };
        /** @description The body of `updateMember`: the new role. */
        UpdateMemberRequest: {
            role: components["schemas"]["Role"];
        };
        /** @description The data that `updateSession` returns. */
        UpdateSessionData: {
            /** @description The name as it is stored. */
            name: string;
        };
        /** @description The body that `updateSession` takes. */
        UpdateSessionRequest: {
            /** @description The new name: 1 to 80 characters on one line. */
            name: string;
        };
        /** @description The data that `updateTenant` returns. */
        UpdateTenantData: {
            tenant: components["schemas"]["Tenant"];
        };
        /** @description The body of `updateTenant`: what changes. At least one field. */
        UpdateTenantRequest: {
            /** @description The name for people, on one line. */
            name?: string;
            /** @description The language of invites and notices by mail. Null: English. */
            language?: components["schemas"]["Language"] | null;
        };
        /** @description The data that `updateWebhook` returns. */
        UpdateWebhookData: {
            endpoint: components["schemas"]["Endpoint"];
        };
        /** @description The body that `updateWebhook` takes. */
        UpdateWebhookRequest: {
            /**
             * Format: uri
             * @description The new URL, checked as on creation.
             */
            url?: string;
            /** @description The types that it receives from now on. They replace the earlier ones. */
            events?: components["schemas"]["EventType"][];
            /**
             * @description Whether events are delivered.
             *
             *     - `active`: They are delivered. It also closes an open circuit.
             *     - `paused`: They are stored as `blocked` deliveries.
             * @enum {string}
             */
            status?: "active" | "paused";
        };
        /** @description A file on its way to a platform. */
        Upload: {
            /** @description The id of the upload: `upl_` and a ULID. */
            id: string;
            status: components["schemas"]["UploadStatus"];
            /** @description The conversation to which it belongs. */
            conversation_id: string;
            /** @description The name of the file, as given. */
            filename: string;
            /** @description The media type of the file, such as `image/png`. */
            content_type: string;
            /** @description The size of the file in bytes. */
            size: number;
            type: components["schemas"]["MediaType"];
            /** @description The file at the platform. Present once the status is `ready`. */
            attachment?: {
                /** @description What a send takes as `attachment_id`, for 90 days. Of a test key it begins with `mock_att_`. */
                id: string;
                type: components["schemas"]["MediaType"];
            };
            error?: components["schemas"]["OutcomeError"];
        };
        /** @description The form by which a file is posted. */
        UploadGrant: {
            /** @description The id of the upload, by which it is finished. */
            id: string;
            /** @description Where to post the form. */
            url: string;
            /** @description The fields of the form. The file follows them, as the field `file`. */
            fields: {
                [key: string]: string;
            };
            /**
             * @description The method of the request: always `POST`.
             * @constant
             */
            method: "POST";
            /**
             * Format: date-time
             * @description Until when the file can be posted, in ISO 8601: 15 minutes from now.
             */
            expires_at: string;
            /** @description The most bytes that the file may have. Storage refuses a larger one. */
            max_size: number;
        };
        /**
         * @description The state of an upload.
         *
         *     - `waiting`: The file has not been posted, or the upload has not been finished.
         *     - `processing`: The file passed its checks, and the platform is fetching it.
         *     - `ready`: The platform has the file. `attachment.id` can be sent.
         *     - `failed`: The platform does not have the file. `error` says why.
         * @enum {string}
         */
        UploadStatus: "waiting" | "processing" | "ready" | "failed";
        /** @description An upload changed its status. */
        UploadUpdatedFrame: {
            /** @description The id of the event: `evt_` and a ULID. It is the same in every delivery and replay: de-duplicate by it. */
            id: string;
            /**
             * @description The type, by which to choose what to do. Ignore events of a type that you do not know.
             * @constant
             */
            type: "upload.updated";
            /**
             * @description The version of the body. Within a version, bodies only gain fields.
             * @constant
             */
            api_version: "1.0.0";
            /**
             * Format: date-time
             * @description When Parley first learned of it, in ISO 8601 and UTC.
             */
            created_at: string;
            /** @description The slug of the tenant. */
            tenant_id: string;
            /** @description What happened. Its fields depend on `type`. */
            data: {
                upload: components["schemas"]["Upload"];
            };
        };
        /** @description Parley paused a webhook endpoint of the tenant. The paused endpoint does not receive this event. */
        WebhookPausedEvent: {
            /** @description The id of the event: `evt_` and a ULID. It is the same in every delivery and replay: de-duplicate by it. */
            id: string;
            /**
             * @description The type, by which to choose what to do. Ignore events of a type that you do not know.
             * @constant
             */
            type: "webhook.paused";
            /**
             * @description The version of the body. Within a version, bodies only gain fields.
             * @constant
             */
            api_version: "1.0.0";
            /**
             * Format: date-time
             * @description When Parley first learned of it, in ISO 8601 and UTC.
             */
            created_at: string;
            /** @description The slug of the tenant. */
            tenant_id: string;
            /** @description What happened. Its fields depend on `type`. */
            data: {
                /** @description The id of the endpoint that was paused. */
                endpoint_id: string;
                /** @description Why it was paused: `gone` after a 410, `failing` after 5 days of failed attempts. */
                reason: string;
            };
        };
        /**
         * @description What the business may send at this moment.
         *
         *     - `open_24h`: Replies, for 24 hours after the participant's last message.
         *     - `human_agent_7d`: Messages that a named person types and confirms, until 7 days after it.
         *     - `closed`: Nothing until the participant writes again.
         *     - `no_inbound`: Nothing: the participant has not written yet.
         * @enum {string}
         */
        WindowState: "open_24h" | "human_agent_7d" | "closed" | "no_inbound";
    };
}
