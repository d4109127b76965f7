import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.ConversationsApi;
import org.openapitools.client.api.MessagesApi;
import org.openapitools.client.model.Message;
import org.openapitools.client.model.MessageReceivedEvent;
import org.openapitools.client.model.SendReplyRequest;
import org.openapitools.client.model.TextReply;
import org.openapitools.client.model.UnauthorizedFailure;

/** Lists, reads, replies and verifies with the generated client. Prints what it saw as JSON. */
public final class Program {
  private static final ObjectMapper json = ApiClient.createDefaultObjectMapper();

  private static ApiClient open(String key) {
    var client = new ApiClient();
    client.updateBaseUri(System.getenv("PARLEY_URL"));
    client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + key));
    return client;
  }

  public static void main(String[] args) throws Exception {
    var client = open(System.getenv("PARLEY_KEY"));
    var conversations = new ConversationsApi(client);
    var listed = conversations.listConversations(null, 10, null, null, null, null, null, null);
    var conversation = listed.getData().getConversations().get(0);
    var read = conversations.getConversation(conversation.getId(), null, null, null, null);

    var body = new TextReply().conversationId(conversation.getId()).text(System.getenv("REPLY_TEXT"));
    var sent = new MessagesApi(client).sendReply(new SendReplyRequest(body), null);

    JsonNode delivery = json.readTree(Files.readString(Path.of("delivery.json")));
    String rawBody = delivery.get("body").asText();
    var event = json.readValue(rawBody, MessageReceivedEvent.class);

    Map<String, Object> seen = new HashMap<>();
    seen.put("conversation", conversation.getId());
    seen.put("texts", read.getData().getMessages().stream().map(Message::getText).toList());
    seen.put("sent", sent.getData().getPlatformMessageId());
    seen.put("refusal", refusal());
    seen.put("verified", verify(rawBody, delivery));
    seen.put("changed", verify(rawBody + " ", delivery));
    seen.put("event", event.getData().getMessage().getText());
    System.out.println(json.writeValueAsString(seen));
  }

  private static String refusal() throws Exception {
    try {
      new ConversationsApi(open("svc_live_unknown")).listConversations(null, null, null, null, null, null, null, null);
      return "none";
    } catch (ApiException error) {
      return json.readValue(error.getResponseBody(), UnauthorizedFailure.class).getError().getCode().getValue();
    }
  }

  private static boolean verify(String rawBody, JsonNode delivery) throws Exception {
    var headers =
        Map.of(
            "Svc-Timestamp", delivery.get("timestamp").asText(),
            "Svc-Signature", delivery.get("signature").asText());
    byte[] bytes = rawBody.getBytes(StandardCharsets.UTF_8);
    return Verify.verify(bytes, headers::get, delivery.get("secret").asText(), Instant.now());
  }
}
