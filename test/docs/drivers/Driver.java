import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.time.Instant;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;

/** The lines are described in driver.mjs. */
public final class Driver {
  public static void main(String[] args) throws Exception {
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      String[] fields = line.split("\t", -1);
      Map<String, String> headers = new HashMap<>();
      if (!fields[1].equals("-")) headers.put("Svc-Timestamp", text(fields[1]));
      if (!fields[2].equals("-")) headers.put("Svc-Signature", text(fields[2]));
      Instant now = Instant.ofEpochSecond(Long.parseLong(text(fields[4])));
      System.out.println(Verify.verify(bytes(fields[0]), headers::get, text(fields[3]), now));
    }
  }

  private static byte[] bytes(String field) {
    return Base64.getDecoder().decode(field);
  }

  private static String text(String field) {
    return new String(bytes(field), UTF_8);
  }
}
