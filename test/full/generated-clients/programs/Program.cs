#nullable enable

using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text;
using Newtonsoft.Json;
using Parley.Api.Api;
using Parley.Api.Client;
using Parley.Api.Model;

/// <summary>Lists, reads, replies and verifies with the generated client. Prints what it saw as JSON.</summary>
public static class Program
{
    private static string Env(string name) => Environment.GetEnvironmentVariable(name) ?? "";

    private static Configuration Open(string key) => new() { BasePath = Env("PARLEY_URL"), AccessToken = key };

    public static void Main()
    {
        var configuration = Open(Env("PARLEY_KEY"));
        var conversations = new ConversationsApi(configuration);
        var conversation = conversations.ListConversations(limit: 10).Data.Conversations[0];
        var read = conversations.GetConversation(conversation.Id);
        var body = new TextReply(conversationId: conversation.Id, text: Env("REPLY_TEXT"));
        var sent = new MessagesApi(configuration).SendReply(new SendReplyRequest(body));

        var text = File.ReadAllText("delivery.json");
        var delivery = JsonConvert.DeserializeObject<Dictionary<string, string>>(text)!;
        var headers = new Dictionary<string, string>
        {
            ["Svc-Timestamp"] = delivery["timestamp"],
            ["Svc-Signature"] = delivery["signature"],
        };
        bool IsVerified(string rawBody) =>
            Deliveries.Verify(
                Encoding.UTF8.GetBytes(rawBody),
                name => headers.GetValueOrDefault(name),
                delivery["secret"],
                DateTimeOffset.UtcNow
            );
        var message = JsonConvert.DeserializeObject<MessageReceivedEvent>(delivery["body"])!.Data.Message;

        Console.WriteLine(
            JsonConvert.SerializeObject(
                new
                {
                    conversation = conversation.Id,
                    texts = read.Data.Messages.Select(one => one.Text),
                    sent = sent.Data.PlatformMessageId,
                    refusal = Refusal(),
                    verified = IsVerified(delivery["body"]),
                    changed = IsVerified(delivery["body"] + " "),
                    @event = message.Text,
                }
            )
        );
    }

    private static string Refusal()
    {
        try
        {
            new ConversationsApi(Open("svc_live_unknown")).ListConversations();
            return "none";
        }
        catch (ApiException exception)
        {
            var failure = JsonConvert.DeserializeObject<UnauthorizedFailure>((string)exception.ErrorContent);
            return failure!.Error.Code.ToString().ToLowerInvariant();
        }
    }
}
