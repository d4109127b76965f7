<?php

declare(strict_types=1);

const TOLERANCE_SECONDS = 300;

/**
 * Verifies the signature and the timestamp.
 *
 * @param string $rawBody the unparsed body: file_get_contents('php://input')
 * @param array<string, string> $headers as returned by getallheaders()
 * @param int $now Unix seconds, as returned by time()
 */
function verify(string $rawBody, array $headers, string $secret, int $now): bool
{
    $headers = array_change_key_case($headers);
    $timestamp = $headers['svc-timestamp'] ?? '';
    if (!preg_match('/\A[0-9]{1,12}\z/', $timestamp)) {
        return false;
    }
    if (abs($now - (int) $timestamp) > TOLERANCE_SECONDS) {
        return false;
    }
    $expected = 'v1=' . hash_hmac('sha256', "$timestamp.$rawBody", $secret);
    foreach (explode(',', $headers['svc-signature'] ?? '') as $part) {
        if (hash_equals($expected, trim($part))) {
            return true;
        }
    }
    return false;
}
