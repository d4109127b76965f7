import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.function.UnaryOperator;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

public final class Verify {
  private static final long TOLERANCE_SECONDS = 300;

  private Verify() {}

  /**
   * Verifies the signature and the timestamp.
   *
   * @param rawBody the unparsed body: {@code request.getInputStream().readAllBytes()}
   * @param header returns a header's value or null: {@code request::getHeader}
   */
  public static boolean verify(byte[] rawBody, UnaryOperator<String> header, String secret, Instant now)
      throws GeneralSecurityException {
    String timestamp = header.apply("Svc-Timestamp");
    String signature = header.apply("Svc-Signature");
    if (timestamp == null || signature == null || !timestamp.matches("[0-9]{1,12}")) return false;
    if (Math.abs(now.getEpochSecond() - Long.parseLong(timestamp)) > TOLERANCE_SECONDS) return false;
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(secret.getBytes(UTF_8), "HmacSHA256"));
    mac.update((timestamp + ".").getBytes(UTF_8));
    byte[] expected = ("v1=" + HexFormat.of().formatHex(mac.doFinal(rawBody))).getBytes(UTF_8);
    return Arrays.stream(signature.split(","))
        .anyMatch(part -> MessageDigest.isEqual(part.strip().getBytes(UTF_8), expected));
  }
}
