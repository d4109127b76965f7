const secretArn = (name: string) => `arn:aws:secretsmanager:eu-central-1:123456789012:secret:${name}-AbCdEf`;

/** The existing buckets of the settings below, by their names. Their findings are those of the stack's own. */
export const existingBuckets: Readonly<Record<string, string>> = {
  "left-raw": "RawBucket",
  "left-uploads": "UploadBucket",
  "left-journal": "JournalBucket",
};

/** Settings that together create each kind of resource. */
export const settingsToCheck = {
  default: {},
  small: { "parley:size": "small" },
  CloudFront: { "parley:cloudFront": "on" },
  "domains, mail, alarms and budget": {
    "parley:domain": "api.example.com",
    "parley:realtimeDomain": "ws.example.com",
    "parley:certificateArn": "arn:aws:acm:eu-central-1:123456789012:certificate/1",
    "parley:mailFrom": "parley@example.com",
    "parley:alarmTopicArn": "arn:aws:sns:eu-central-1:123456789012:alarms",
    "parley:budgetAmount": "10",
    "parley:budgetNotify": "owner@example.com",
  },
  adopted: {
    "parley:existingTable": "ParleyCopy",
    "parley:existingKey": "1234abcd-12ab-34cd-56ef-1234567890ab",
    "parley:existingRawBucket": "left-raw",
    "parley:existingUploadBucket": "left-uploads",
    "parley:existingJournalBucket": "left-journal",
    "parley:existingRootSecret": secretArn("Root"),
    "parley:existingPlatformSecret": secretArn("Platforms"),
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, string>>>>;
