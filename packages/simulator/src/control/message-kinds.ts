import type { Attachment, ThreadMessage } from "../world/model.ts";

/** The platform that a kind of message exists on; `both` if it exists on both. */
type KindPlatform = "Instagram" | "Messenger" | "both";

/** The parts of an action that a message is made of. */
export interface MessageInput {
  text: string | undefined;
  attachments: Attachment[];
  payload: string | undefined;
  adId: string | undefined;
  /** The URL under which the simulator serves its sample media. */
  mediaUrl: string;
  onInstagram: boolean;
}

/** The content of a person's message. */
export interface MessageParts extends Partial<Pick<ThreadMessage, "note" | "story">> {
  text?: string | undefined;
  attachments?: Attachment[];
  /** Further members of the webhook's `message`. */
  extra?: Record<string, unknown>;
}

interface MessageKind {
  platform: KindPlatform;
  parts(input: MessageInput): MessageParts;
}

const both = (parts: MessageKind["parts"]): MessageKind => ({ platform: "both", parts });
const instagram = (parts: MessageKind["parts"]): MessageKind => ({ platform: "Instagram", parts });
const messenger = (parts: MessageKind["parts"]): MessageKind => ({ platform: "Messenger", parts });

const media = (type: string, url: string): Attachment => ({ type, payload: { url } });
const stickerId = 369_239_263_222_822;

/** The given attachments, or else a sample. A photo or a file may have a text beside it. */
function attached(sample: (input: MessageInput) => Attachment[]): MessageKind {
  return both((input) => ({
    text: input.text,
    attachments: input.attachments.length > 0 ? input.attachments : sample(input),
  }));
}

/** Every kind of message that a person can send. */
export const messageKinds = {
  text: both(({ text, attachments }) => ({ text, attachments })),
  image: attached(({ mediaUrl }) => [media("image", `${mediaUrl}/photo-${Date.now() % 6}.png`)]),
  album: attached(({ mediaUrl }) => [0, 2, 5].map((number) => media("image", `${mediaUrl}/photo-${number}.png`))),
  video: attached(({ mediaUrl }) => [media("video", `${mediaUrl}/clip.webm`)]),
  audio: attached(({ mediaUrl }) => [media("audio", `${mediaUrl}/voice.wav`)]),
  file: attached(({ mediaUrl }) => [media("file", `${mediaUrl}/price-list.pdf`)]),
  quick_reply: both(({ text = "Yes, please", payload = "QUICK_REPLY" }) => ({
    text,
    note: "Chose a quick reply",
    extra: { quick_reply: { payload } },
  })),
  story_reply: instagram(({ text = "Love this!", mediaUrl }) => {
    const story = { id: "17900000000000001", url: `${mediaUrl}/story-1.png` };
    return { text, note: "Replied to your story", story: { url: story.url }, extra: { reply_to: { story } } };
  }),
  story_mention: instagram(({ mediaUrl }) => ({
    attachments: [media("story_mention", `${mediaUrl}/story-2.png`)],
    note: "Mentioned you in a story",
  })),
  view_once: instagram(() => ({ attachments: [{ type: "ephemeral" }], note: "Sent a photo to view once" })),
  sticker: both(({ mediaUrl, onInstagram }) => {
    const payload = { url: `${mediaUrl}/sticker-1.png`, sticker_id: stickerId };
    return {
      attachments: [onInstagram ? { type: "like_heart" } : { type: "sticker", payload }],
      note: "Sent a sticker",
    };
  }),
  like: both(({ mediaUrl, onInstagram }) => {
    const payload = { url: `${mediaUrl}/sticker-1.png`, sticker_id: stickerId };
    return { attachments: [onInstagram ? { type: "like_heart" } : { type: "image", payload }], note: "Sent a like" };
  }),
  shared_post: both(({ mediaUrl, onInstagram }) => {
    const post = { url: `${mediaUrl}/photo-1.png`, title: "Autumn collection" };
    const payload = { ...post, ig_post_media_id: "17900000000000002" };
    return {
      attachments: [onInstagram ? { type: "ig_post", payload } : { type: "fallback", payload: post }],
      note: "Shared a post",
    };
  }),
  reel: both(({ mediaUrl }) => ({
    attachments: [
      {
        type: "ig_reel",
        payload: { url: `${mediaUrl}/clip.webm`, title: "Behind the counter", reel_video_id: "17900000000000003" },
      },
    ],
    note: "Shared a reel",
  })),
  location: messenger(() => ({
    attachments: [
      { type: "location", title: "Pinned Location", payload: { coordinates: { lat: 55.6761, long: 12.5683 } } },
    ],
    note: "Shared a location",
  })),
  ad_message: both(({ text = "Is this still available?", adId = "23851234567890123" }) => ({
    text,
    note: "Wrote from an ad",
    extra: { referral: { ref: "autumn-ad", source: "ADS", type: "OPEN_THREAD", ad_id: adId } },
  })),
  unsupported: both(() => ({
    note: "Sent something that the platform does not pass on",
    extra: { is_unsupported: true },
  })),
} satisfies Record<string, MessageKind>;

export type MessageKindName = keyof typeof messageKinds;
