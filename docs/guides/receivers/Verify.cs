#nullable enable

using System;
using System.Globalization;
using System.Linq;
using System.Security.Cryptography;
using System.Text;

public static class Deliveries
{
    private const long ToleranceSeconds = 300;

    /// <summary>Verifies the signature and the timestamp.</summary>
    /// <param name="rawBody">The unparsed body, read from Request.Body before any binding.</param>
    /// <param name="header">Returns a header's value or null: name => Request.Headers[name].</param>
    public static bool Verify(byte[] rawBody, Func<string, string?> header, string secret, DateTimeOffset now)
    {
        var timestamp = header("Svc-Timestamp");
        if (!long.TryParse(timestamp, NumberStyles.None, CultureInfo.InvariantCulture, out var sentAt)) return false;
        if (Math.Abs(now.ToUnixTimeSeconds() - sentAt) > ToleranceSeconds) return false;
        var signed = Encoding.UTF8.GetBytes(timestamp + ".").Concat(rawBody).ToArray();
        var digest = HMACSHA256.HashData(Encoding.UTF8.GetBytes(secret), signed);
        var expected = Encoding.UTF8.GetBytes("v1=" + Convert.ToHexString(digest).ToLowerInvariant());
        return (header("Svc-Signature") ?? "")
            .Split(',')
            .Any(part => CryptographicOperations.FixedTimeEquals(Encoding.UTF8.GetBytes(part.Trim()), expected));
    }
}
