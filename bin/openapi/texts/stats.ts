import { oneOf, type Texts } from "../describe/texts.ts";

/** Counts of messages and deliveries. */
export const statsTexts: Texts = {
  getStats:
    "Returns counts of the current hour and the 24 hours before it, in UTC. Live messages are counted in the hour they were stored, deliveries in the hour they reached their status. A replay does not reduce a count. Messages and deliveries of test keys are not counted.",
  "getStats?series": oneOf("Whether `series` is returned.", { hour: "With the counts of each hour." }),
  "GetStatsData.messages_24h": "How many live messages were stored, in every direction.",
  "GetStatsData.dlq_total": "The sum of `dlq` over the endpoints.",
  "GetStatsData.window_hours": "How many full hours the counts cover, beside the current one.",
  "GetStatsData.endpoints": "A row for every endpoint that is not deleted.",
  "GetStatsData.series": "The counts of each of the 25 hours, the earliest first. Only with `series=hour`.",
  StatsEndpoint: "How the deliveries of an endpoint ended.",
  "StatsEndpoint.endpoint_id": "The id of the webhook endpoint.",
  "StatsEndpoint.delivered": "How many deliveries succeeded.",
  "StatsEndpoint.failed": "How many deliveries became `failed` or `blocked`.",
  "StatsEndpoint.dlq": "How many deliveries became `dlq`, after ten failed attempts.",
  StatsHour: "The counts of one hour.",
  "StatsHour.starts_at": "When the hour starts, in ISO 8601 and UTC.",
  "StatsHour.received": "How many live inbound messages were stored in the hour.",
  "StatsHour.sent": "How many live messages of the account were stored, from the API and other apps.",
  "StatsHour.answers":
    "The answers of the hour by the time from the first message that waited. Each answer counts once, in the first of these that it fits.",
  "StatsHour.answers.within_5_minutes": "Answers within 5 minutes of the first message that waited.",
  "StatsHour.answers.within_15_minutes": "Answers after 5 to 15 minutes.",
  "StatsHour.answers.within_1_hour": "Answers after 15 minutes to 1 hour.",
  "StatsHour.answers.within_4_hours": "Answers after 1 to 4 hours.",
  "StatsHour.answers.within_24_hours": "Answers after 4 to 24 hours.",
  "StatsHour.answers.later": "Answers after more than 24 hours.",
  "StatsHour.endpoints": "A row for each endpoint that had deliveries in the hour.",
};
