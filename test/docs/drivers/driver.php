<?php

// The lines are described in driver.mjs.
declare(strict_types=1);

require $argv[1] . '/verify.php';

while (($line = fgets(STDIN)) !== false) {
    [$body, $timestamp, $signature, $secret, $now] = explode("\t", rtrim($line, "\n"));
    $headers = array_filter(['Svc-Timestamp' => $timestamp, 'Svc-Signature' => $signature], fn ($value) => $value !== '-');
    $given = verify(
        base64_decode($body),
        array_map(base64_decode(...), $headers),
        base64_decode($secret),
        (int) base64_decode($now),
    );
    echo $given ? "true\n" : "false\n";
}
