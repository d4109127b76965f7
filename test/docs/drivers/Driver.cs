using System;
using System.Collections.Generic;
using System.Text;

/// <summary>The lines are described in driver.mjs.</summary>
public static class Driver
{
    public static void Main()
    {
        while (Console.ReadLine() is string line)
        {
            var fields = line.Split('\t');
            var headers = new Dictionary<string, string>();
            if (fields[1] != "-") headers["Svc-Timestamp"] = Text(fields[1]);
            if (fields[2] != "-") headers["Svc-Signature"] = Text(fields[2]);
            var now = DateTimeOffset.FromUnixTimeSeconds(long.Parse(Text(fields[4])));
            var given = Deliveries.Verify(
                Convert.FromBase64String(fields[0]),
                name => headers.TryGetValue(name, out var value) ? value : null,
                Text(fields[3]),
                now);
            Console.WriteLine(given ? "true" : "false");
        }
    }

    private static string Text(string field) => Encoding.UTF8.GetString(Convert.FromBase64String(field));
}
