// Lists, reads, replies and verifies with the generated client. Prints what it saw as JSON.
package main

import (
	"context"
	"encoding/json"
	"log"
	"net/http"
	"os"
	"time"

	"example.com/inbox/parley"
	"example.com/inbox/receivers"
)

type delivery struct{ Body, Secret, Signature, Timestamp string }

func open(key string) *parley.ClientWithResponses {
	client, err := parley.NewClientWithResponses(os.Getenv("PARLEY_URL"),
		parley.WithRequestEditorFn(func(_ context.Context, request *http.Request) error {
			request.Header.Set("Authorization", "Bearer "+key)
			return nil
		}))
	check(err)
	return client
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func main() {
	ctx := context.Background()
	client := open(os.Getenv("PARLEY_KEY"))

	limit := 10
	listed, err := client.ListConversationsWithResponse(ctx, &parley.ListConversationsParams{Limit: &limit})
	check(err)
	conversation := listed.JSON200.Data.Conversations[0]

	read, err := client.GetConversationWithResponse(ctx, conversation.Id, &parley.GetConversationParams{})
	check(err)
	texts := []string{}
	for _, message := range read.JSON200.Data.Messages {
		texts = append(texts, message.Text)
	}

	var body parley.SendReplyRequest
	check(body.FromTextReply(parley.TextReply{ConversationId: conversation.Id, Text: os.Getenv("REPLY_TEXT")}))
	sent, err := client.SendReplyWithResponse(ctx, &parley.SendReplyParams{}, body)
	check(err)

	refused, err := open("svc_live_unknown").ListConversationsWithResponse(ctx, &parley.ListConversationsParams{})
	check(err)

	var received delivery
	text, err := os.ReadFile("delivery.json")
	check(err)
	check(json.Unmarshal(text, &received))
	headers := http.Header{"Svc-Timestamp": {received.Timestamp}, "Svc-Signature": {received.Signature}}
	verify := func(rawBody string) bool {
		return receivers.Verify([]byte(rawBody), headers, received.Secret, time.Now())
	}
	var event parley.MessageReceivedEvent
	check(json.Unmarshal([]byte(received.Body), &event))

	check(json.NewEncoder(os.Stdout).Encode(map[string]any{
		"conversation": conversation.Id,
		"texts":        texts,
		"sent":         sent.JSON200.Data.PlatformMessageId,
		"refusal":      refused.JSON401.Error.Code,
		"verified":     verify(received.Body),
		"changed":      verify(received.Body + " "),
		"event":        event.Data.Message.Text,
	}))
}
